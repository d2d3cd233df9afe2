/** Whether k6 can carry a run in the way that was asked for. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { tooFew } from '../../scenario/parts.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RunOptions } from '../options.ts'
import { vusOf } from './vus.ts'

/** More processes than any machine has cores are no use. */
export const MOST_INSTANCES = 64
/** Of one run on this machine: each holds an engine of its own, some MB. */
export const MOST_VUS = 10_000

/** Throws UserError with every mistake. */
export function demandK6(options: RunOptions, plan: Plan): void {
  const { engine, k6Mode = 'events' } = options
  if (engine !== 'k6') return
  const mistakes = [
    ...countMistakes(options),
    ...(k6Mode === 'events' ? eventsMistakes(options, plan) : iterationsMistakes(options, plan)),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** `source` is the flag that asked for so many VUs. Throws UserError for each limit of the plan of which not every VU would have a part. */
export function demandParts(plan: Plan, vus: number, source: string): void {
  const mistakes = partMistakes(plan, vus, source)
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** k6 gives VUs to segments one by one: a process that gets none would end at once, and its part of the schedule with it. */
export function evenlyWords(instances: number): string {
  return `expected a multiple of the ${instances} instances`
}

function countMistakes({ k6Instances, k6Vus }: RunOptions): Mistake[] {
  const mistakes = [
    ...outOfRange('--instances', k6Instances, MOST_INSTANCES),
    ...outOfRange('--k6-vus', k6Vus, MOST_VUS),
  ]
  if (mistakes.length > 0 || k6Instances === undefined || k6Vus === undefined) return mistakes
  if (k6Vus % k6Instances === 0) return []
  return [mistake('--k6-vus', k6Vus, evenlyWords(k6Instances))]
}

function outOfRange(source: string, found: number | undefined, most: number): Mistake[] {
  if (found === undefined || (Number.isInteger(found) && found >= 1 && found <= most)) return []
  return [mistake(source, found, `expected a whole number from 1 to ${most}`)]
}

function eventsMistakes(options: RunOptions, plan: Plan): Mistake[] {
  const { k6Out = [], k6Vus } = options
  const problem = 'goes with --k6-mode iterations: in the mode events k6 measures nothing itself'
  const source = k6Vus === undefined ? '--instances' : '--k6-vus'
  return [
    ...k6Out.map((output) => mistake('--k6-out', output, problem)),
    ...partMistakes(plan, vusOf(options, plan), source),
  ]
}

function iterationsMistakes({ k6Instances = 1, k6Vus }: RunOptions, { arrivals }: Plan): Mistake[] {
  const mistakes: Mistake[] = []
  if (k6Instances > 1) {
    const problem = 'expected 1 in the mode iterations, whose summary is that of one process'
    mistakes.push(mistake('--instances', k6Instances, problem))
  }
  if (arrivals.kind === 'closed' && k6Vus !== undefined && k6Vus !== arrivals.clients) {
    const problem = `expected ${arrivals.clients}, one for each closed client, in the mode iterations`
    mistakes.push(mistake('--k6-vus', k6Vus, problem))
  }
  return mistakes
}

function partMistakes(plan: Plan, vus: number, source: string): Mistake[] {
  return tooFew(plan, vus, 'VU').map((problem) => mistake(source, vus, problem))
}

function mistake(source: string, found: number | string, problem: string): Mistake {
  return { source, path: '', found: String(found), problem }
}
