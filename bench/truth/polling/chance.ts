/**
 * Measures whether predictions are off by more than chance: each of many studies of different
 * executions is compared with a run of the engine that it has not seen, and the difference with
 * that between two such runs.
 */
import { writtenPolling } from '../../../src/scenario/polling/index.ts'
import type { Recording } from '../../../src/study/polling/analyse/replay/recording.ts'
import type { Crew } from './crews.ts'
import { recordedRun } from './record.ts'
import { answerTo, FIRST_POLLING, inMilliseconds, policyOf, Replays } from './truth.ts'

const EXECUTIONS = 2_000
/** The number of studies per crew; each is compared with a fresh run. */
export const STUDIES = 10
/** Student's t for 95 %, at 9 degrees of freedom. */
const T = 2.262
/** The first seeds. No study, no fresh run and no run of the first table have a seed in common. */
const SEEDS = { learned: 1_000, fresh: 2_000 }

/** How far fresh runs deviate from their predictions, as shares of the prediction. */
export interface Deviation {
  /** The deviation of each fresh run. */
  each: readonly number[]
  mean: number
  /** Half the width of the 95 % interval of the mean. */
  within: number
  /** The standard deviation of `each`. */
  spread: number
  /**
   * The standard deviation of the difference between two fresh runs under one strategy, as a share
   * of their mean.
   */
  chance: number
}

export interface Chance {
  polls: Deviation
  p95: Deviation
}

interface Pair {
  polls: number
  p95: number
  fresh: Recording
}

export async function chanceOf(crew: Crew): Promise<Chance> {
  const pairs: Pair[] = []
  let policy: ReturnType<typeof policyOf> | null = null
  for (let i = 0; i < STUDIES; i++) {
    const about = { executions: EXECUTIONS, seed: SEEDS.learned + i }
    const { recommended } = answerTo(await recordedRun(crew, { ...about, polling: FIRST_POLLING }))
    if (recommended?.detectionDelayMs == null) {
      throw new Error(`nothing is recommended for ${crew.name}`)
    }
    const own = policyOf(recommended)
    policy ??= own
    const fresh = await recordedRun(crew, {
      ...about,
      seed: SEEDS.fresh + i,
      polling: writtenPolling(own),
    })
    const { pollsPerExecution, delayP95Micros } = fresh.observed
    pairs.push({
      polls: (pollsPerExecution ?? Number.NaN) / recommended.pollsPerExecution.value - 1,
      p95: inMilliseconds(delayP95Micros ?? Number.NaN) / recommended.detectionDelayMs.p95 - 1,
      fresh,
    })
  }
  // All fresh runs are replayed with one strategy; otherwise their differences would not be due to
  // chance alone.
  const same = pairs.map(({ fresh }) => new Replays(fresh).figures(policy!))
  return {
    polls: deviationOf(
      pairs.map(({ polls }) => polls),
      same.map(({ pollsMean }) => pollsMean),
    ),
    p95: deviationOf(
      pairs.map(({ p95 }) => p95),
      same.map(({ delayP95 }) => delayP95),
    ),
  }
}

function deviationOf(each: readonly number[], fresh: readonly number[]): Deviation {
  const spread = spreadOf(each)
  return {
    each,
    mean: meanOf(each),
    within: (T * spread) / Math.sqrt(each.length),
    spread,
    chance: (Math.SQRT2 * spreadOf(fresh)) / meanOf(fresh),
  }
}

/** Whether the interval of the mean contains 0. */
export function isUnbiased({ mean, within }: Deviation): boolean {
  return Math.abs(mean) <= within
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function spreadOf(values: readonly number[]): number {
  const mean = meanOf(values)
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(square / (values.length - 1))
}
