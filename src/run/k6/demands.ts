/** The demands of k6 as the engine of a run. */
import type { Mistake } from '../../base/mistakes.ts'
import { plural } from '../../base/numbers.ts'
import { demandNone, notWhole } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { EngineTerms } from '../bodies/body.ts'
import type { K6Engine } from '../options.ts'
import { fixedTokenMistakes } from '../../host/node/token-source.ts'
import { MOST_INSTANCES, MOST_VUS } from '../options.ts'

export function k6Terms(engine: K6Engine): EngineTerms {
  const { instances = 1, out = [], vus } = engine
  const processes = instances === 1 ? '' : ` in ${instances} processes`
  return {
    words: `k6, ${plural(vusOf(engine), 'VU')}${processes}`,
    demand: (plan, { faults, tokenSource }) =>
      demandNone([
        ...countMistakes(engine),
        ...partMistakes(plan, vusOf(engine), vus === undefined ? '--instances' : '--k6-vus'),
        ...outputMistakes(out, instances),
        ...(faults === undefined ? [] : [NO_FAULTS]),
        ...fixedTokenMistakes('--engine k6', tokenSource),
        ...webhookMistakes(plan),
      ]),
  }
}

const NO_FAULTS: Mistake = {
  source: 'faults',
  problem: 'work only with the engines node and virtual',
}

/** A script of k6 sends requests and cannot be sent any. */
export function webhookMistakes({ webhooks }: Plan): Mistake[] {
  if (webhooks === undefined) return []
  const problem =
    'k6 cannot listen for pushes: use the engine node or virtual, or leave webhooks out and poll'
  return [{ source: 'scenario', path: 'webhooks', problem }]
}

/** VUs of all processes together: as many as requested, by default one per process. */
export function vusOf({ vus, instances = 1 }: K6Engine): number {
  return vus ?? instances
}

/**
 * With these outputs each process of k6 overwrites the file; without a file, or with `-`, it
 * prints.
 */
const TO_FILES = /^(json|csv)(?:=(.*))?$/s

/** All `processes` of k6 have the same outputs. */
export function outputMistakes(outputs: readonly string[], processes: number): Mistake[] {
  return outputs.flatMap((output) => {
    if (output.trim() === '') return [mistake('--k6-out', '""', 'expected an output of k6')]
    const [isOfFile, kind, file = ''] = TO_FILES.exec(output) ?? []
    if (isOfFile === undefined) return []
    if (file === '' || file === '-') {
      return [mistake('--k6-out', output, `expected a file: ${kind}=FILE`)]
    }
    if (processes === 1) return []
    const problem =
      `${processes} processes would overwrite each other's file: ` +
      'name an output that is a service, or use one process'
    return [mistake('--k6-out', output, problem)]
  })
}

/**
 * k6 assigns VUs to segments one by one: a process without a VU would end immediately, and its part
 * of the schedule would be lost.
 */
export function evenlyWords(instances: number): string {
  return `expected a multiple of the ${instances} instances`
}

function countMistakes({ instances, vus }: K6Engine): Mistake[] {
  const mistakes = [
    ...(instances === undefined ? [] : notWhole('--instances', instances, 1, MOST_INSTANCES)),
    ...(vus === undefined ? [] : notWhole('--k6-vus', vus, 1, MOST_VUS)),
  ]
  if (mistakes.length > 0 || instances === undefined || vus === undefined) return mistakes
  return vus % instances === 0 ? [] : [mistake('--k6-vus', vus, evenlyWords(instances))]
}

/**
 * A mistake for each limit of the plan that is too small to give every VU a part: less than one
 * would mean none, or in total more than the limit. `source` is the flag that asked for so many.
 */
export function partMistakes(plan: Plan, vus: number, source: string): Mistake[] {
  const { arrivals, admission, http } = plan
  const { cost } = plan.budget
  const kickoffs = cost === undefined ? Infinity : Math.floor(cost.most / cost.perKickoff)
  const limits: [string, number][] = [
    ['arrivals.clients', arrivals.kind === 'closed' ? arrivals.clients : Infinity],
    ['admission.maxInFlight', admission.maxInFlight ?? Infinity],
    ['connections.max', http.maxConnections],
    ['--max-cost, in kickoffs', kickoffs],
  ]
  return limits
    .filter(([, most]) => most < vus)
    .map(([name, most]) =>
      mistake(source, vus, `each VU needs its part of ${name}, which is ${most}`),
    )
}

function mistake(source: string, found: number | string, problem: string): Mistake {
  return { source, found: String(found), problem }
}
