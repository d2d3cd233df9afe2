/** One search of one drawn crew, and plain bisection beside it. */
import { createRandom } from '../../../src/base/random.ts'
import { parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'
import {
  driftOf,
  kickoffRefusals,
} from '../../../src/study/capacity/analyse/learn/besides-queue.ts'
import type { Learned } from '../../../src/study/capacity/analyse/learn/learn.ts'
import type { Criterion } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { criterionOf } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { knownAtOnce } from '../../../src/study/capacity/analyse/model/detection.ts'
import { CapacitySearch } from '../../../src/study/capacity/analyse/search/search.ts'
import { rangesOf } from '../../../src/study/capacity/analyse/search/estimator.ts'
import type { DrawnCrew } from './crews.ts'
import { FAILED_LIMIT, failedShare } from './crews.ts'
import { World } from './world.ts'

export interface Found {
  perHour: number | null
  low: number
  high: number
  kickoffs: number
  /** The model was refused, or there is no model. */
  refused: boolean
  /**
   * The parts of the model that disagreed with the confirmation, or why there is no model; empty
   * when it was accepted.
   */
  parts: string
  cpuMs: number
}

interface Asked {
  budget: number
  within: number
  /** The number of executions to simulate. Default: 1,000,000. */
  simulated?: number
}

/** Searches for the capacity of a crew, from the first load to the last. */
export function searchOf(crew: DrawnCrew, { budget, within, simulated }: Asked): CapacitySearch {
  const world = new World(crew)
  const search = new CapacitySearch({
    criteria: promisesOf(crew),
    within,
    budget,
    mostClients: 1_024,
    detectionOf: () => knownAtOnce(Infinity),
    random: createRandom(crew.seed).fork('search'),
    ...(simulated === undefined ? {} : { simulated }),
  })
  for (let step = search.next(); step !== null; step = search.next()) {
    search.saw(step, world.put(step.load))
  }
  search.conclude()
  return search
}

export function searched(crew: DrawnCrew, budget: number, within: number): Found {
  const began = process.cpuUsage()
  const search = searchOf(crew, { budget, within })
  const { estimate } = search
  const kickoffs = search.loads.reduce((sum, { facts }) => sum + facts.seen.executions.length, 0)
  const capacity = estimate === null ? null : rangesOf(estimate).capacity
  const { user, system } = process.cpuUsage(began)
  return {
    perHour: capacity?.perHour ?? null,
    low: capacity?.low ?? 0,
    high: capacity?.high ?? Infinity,
    kickoffs,
    refused: partsOf(search, crew) !== '',
    parts: partsOf(search, crew),
    cpuMs: (user + system) / 1_000,
  }
}

/**
 * Says why the search found no number. Empty if it found one, or if it says correctly that no rate
 * keeps the promises.
 */
export function partsOf(
  { confirmation, estimate, failsAlone, learned }: CapacitySearch,
  crew: DrawnCrew,
): string {
  if (kickoffRefusals(learned).isLimited) return 'limiter'
  if (estimate?.solution.kind !== 'rate') return partOfAlone(failsAlone, learned, crew)
  const disagreeing = (confirmation?.parts ?? []).filter(({ agrees }) => !agrees)
  return disagreeing.map(({ name }) => name).join(', ')
}

/**
 * The same for a search without a rate. The conclusion that even a lone execution breaks a promise
 * is correct if a crew with one running execution fails too often.
 */
function partOfAlone(failsAlone: boolean | null, learned: Learned, crew: DrawnCrew): string {
  if (driftOf(learned) !== null) return 'drift'
  if (failsAlone === null) return 'too few'
  if (!failsAlone) return 'holds alone'
  return failedShare(crew, 1) > FAILED_LIMIT ? 'fails alone' : ''
}

function promisesOf({ kind, boundMicros, queueLimit }: DrawnCrew): Criterion[] {
  const late = promise('execution.p95', `< ${Math.round(boundMicros)}us`)
  if (kind === 'failures grow') return [late, promise('execution.failed', `< ${FAILED_LIMIT}`)]
  return Number.isFinite(queueLimit) ? [late, promise('outcome.rejected', '< 2%')] : [late]
}

function promise(metric: string, text: string): Criterion {
  const threshold = parseThreshold(metric, text)
  const criterion = 'problem' in threshold ? null : criterionOf(threshold)
  if (criterion === null) throw new Error(`${metric} ${text}`)
  return criterion
}

const PROBES = 8

/**
 * Finds the capacity by bisection: eight probes with an eighth of the budget each, between a
 * quarter of the truth and four times the truth.
 */
export function bisected(crew: DrawnCrew, truth: number, budget: number): number {
  const world = new World(crew)
  let [holds, breaks] = [truth / 4, truth * 4]
  for (let probe = 0; probe < PROBES; probe++) {
    const perHour = Math.sqrt(holds * breaks)
    const executions = Math.floor(budget / PROBES)
    const { executions: seen } = world.put({ kind: 'open', perHour, executions })
    const bad = seen.filter(
      ({ intended, ended }) => ended === null || ended - intended >= crew.boundMicros,
    )
    if (bad.length < 0.05 * executions) holds = perHour
    else breaks = perHour
  }
  return Math.sqrt(holds * breaks)
}
