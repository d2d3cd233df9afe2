/** Whether k6 can carry a run in the way that was asked for. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { tooFew } from '../../scenario/parts.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RunOptions } from '../options.ts'

/** More processes than any machine has cores are no use. */
export const MOST_INSTANCES = 64
/** Of one run on this machine: each holds an engine of its own, some MB. */
export const MOST_VUS = 10_000

/** Throws UserError with every mistake. */
export function demandK6(options: RunOptions, plan: Plan): void {
  if (options.engine !== 'k6') return
  const source = options.k6Vus === undefined ? '--instances' : '--k6-vus'
  const mistakes = [
    ...countMistakes(options),
    ...partMistakes(plan, vusOf(options), source),
    ...outputMistakes(options.k6Out ?? [], options.k6Instances ?? 1),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** `source` is the flag that asked for so many VUs. Throws UserError for each limit of the plan of which not every VU would have a part. */
export function demandParts(plan: Plan, vus: number, source: string): void {
  const mistakes = partMistakes(plan, vus, source)
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** VUs over all processes: as many as asked for, else one a process. */
export function vusOf({
  k6Vus,
  k6Instances = 1,
}: Pick<RunOptions, 'k6Vus' | 'k6Instances'>): number {
  return k6Vus ?? k6Instances
}

/** Of these each process of k6 makes the file anew; without a file, or with `-`, they print. */
const TO_FILES = /^(json|csv)(?:=(.*))?$/s

/** `processes` of k6 have the same outputs. Throws UserError with every mistake. */
export function demandOutputs(outputs: readonly string[], processes: number): void {
  const mistakes = outputMistakes(outputs, processes)
  if (mistakes.length > 0) throw new UserError(mistakes)
}

function outputMistakes(outputs: readonly string[], processes: number): Mistake[] {
  return outputs.flatMap((output) => {
    if (output.trim() === '') return [mistake('--k6-out', '""', 'expected an output of k6')]
    const [isOfFile, kind, file = ''] = TO_FILES.exec(output) ?? []
    if (isOfFile === undefined) return []
    if (file === '' || file === '-') {
      return [mistake('--k6-out', output, `expected a file: ${kind}=FILE`)]
    }
    if (processes === 1) return []
    const problem = `${processes} processes would write over each other's file: name an output that is a service, or use one process`
    return [mistake('--k6-out', output, problem)]
  })
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

function partMistakes(plan: Plan, vus: number, source: string): Mistake[] {
  return tooFew(plan, vus, 'VU').map((problem) => mistake(source, vus, problem))
}

function mistake(source: string, found: number | string, problem: string): Mistake {
  return { source, path: '', found: String(found), problem }
}
