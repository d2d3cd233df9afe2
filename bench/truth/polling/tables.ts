/** The two tables of bench/results/polling-truth.md. */
import { writtenPolling } from '../../../src/scenario/polling/index.ts'
import { pollingCostOf } from '../../../src/study/polling/analyse/choice/goal.ts'
import type { Strategy } from '../../../src/study/polling/document.ts'
import type { FamilyName } from '../../../src/study/polling/analyse/families/list.ts'
import type { Recording } from '../../../src/study/polling/analyse/replay/recording.ts'
import type { Crew } from './crews.ts'
import { recordedRun } from './record.ts'
import {
  answerTo,
  FIRST_POLLING,
  inMilliseconds,
  isWithin,
  policyOf,
  PRICES,
  Replays,
} from './truth.ts'

const LEARNED = { executions: 2_000, seed: 1 }
const FRESH = { executions: 2_000, seed: 7 }

/** The recommendation and the prediction for a crew, compared with runs of the engine itself. */
export interface Comparison {
  crew: string
  recommended: string
  /** The cost of the recommendation over the least cost of the family, minus 1, on a fresh run. */
  excess: number
  /**
   * The errors of the prediction for a run of the same executions (`same`), and for one of others
   * (`fresh`).
   */
  same: { polls: number; p95: number }
  fresh: { polls: number; p95: number }
}

export async function compared(crew: Crew): Promise<Comparison> {
  const learned = await recordedRun(crew, { ...LEARNED, polling: FIRST_POLLING })
  const { recommended } = answerTo(learned)
  if (recommended === null) throw new Error(`nothing is recommended for ${crew.name}`)
  const policy = policyOf(recommended)
  const polling = writtenPolling(policy)
  const same = await recordedRun(crew, { ...LEARNED, polling })
  const fresh = await recordedRun(crew, { ...FRESH, polling })
  const replays = new Replays(fresh)
  const least = replays.least(familyOf(recommended.family))
  return {
    crew: crew.name,
    recommended: `${recommended.family}: ${recommended.words}`,
    excess: pollingCostOf(replays.figures(policy), PRICES) / least - 1,
    same: against(same, recommended),
    fresh: against(fresh, recommended),
  }
}

function familyOf(family: Strategy['family']): FamilyName {
  if (family === 'retry-after') throw new Error('no strategy of the target is tried')
  return family
}

function against({ observed }: Recording, told: Strategy): Comparison['same'] {
  const { pollsPerExecution, delayP95Micros } = observed
  const p95 = told.detectionDelayMs?.p95 ?? Number.NaN
  return {
    polls: (pollsPerExecution ?? Number.NaN) / told.pollsPerExecution.value - 1,
    p95: inMilliseconds(delayP95Micros ?? Number.NaN) / p95 - 1,
  }
}

export interface Inside {
  polls: boolean
  p95: boolean
  mean: boolean
}

/**
 * Takes consecutive executions of a long run, and checks whether the bands learned from them
 * contain what the whole run shows for the recommended strategy.
 */
export function insideOf(reference: Recording, from: number, executions: number): Inside | null {
  const ordered = reference.executions.toSorted((a, b) => a.acceptedMicros - b.acceptedMicros)
  const some = { ...reference, executions: ordered.slice(from, from + executions) }
  const { recommended } = answerTo(some)
  if (recommended?.detectionDelayMs == null) return null
  const truth = new Replays(reference).figures(policyOf(recommended))
  const { pollsPerExecution: polls, detectionDelayMs: delay } = recommended
  return {
    polls: isWithin(truth.pollsMean, polls.low, polls.high),
    p95: isWithin(inMilliseconds(truth.delayP95), delay.low, delay.high),
    mean: isWithin(inMilliseconds(truth.delayMean), delay.meanLow, delay.meanHigh),
  }
}

/** Formats a share, for example `0.4 %`. */
export function percent(share: number): string {
  const rounded = (100 * share).toFixed(1)
  return `${rounded === '-0.0' ? '0.0' : rounded} %`
}

export function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

const PARTS = ['crews', 'chance', 'sizes', 'bands', 'many'] as const

export type Part = (typeof PARTS)[number]

export function partsOf(word: string | undefined): readonly Part[] {
  if (word === undefined) return PARTS
  const parts = PARTS.filter((part) => part === word)
  if (parts.length === 0) throw new Error(`there is no part ${word}: ${PARTS.join(', ')}`)
  return parts
}
