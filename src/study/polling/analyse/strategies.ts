/** Strategies as the document tells them. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { nextIntervalMicros, timedPolicy, writtenPolling } from '../../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../../scenario/polling/schemas.ts'
import type { Strategy } from '../document.ts'
import type { Estimated } from './choice/estimate.ts'
import type { Wish } from './choice/wish.ts'
import { costOf, seesEnds } from './choice/wish.ts'
import { freshShareAt } from './connections.ts'
import type { PollGap } from './replay/recording.ts'
import type { Subject } from './replay/lives.ts'
import { slower } from './replay/lives.ts'
import type { ReplayStage } from './replay/trace.ts'
import { figuresOf, traceOf } from './replay/trace.ts'

/** The policy in the times of a scenario file, which a run at that `speed` had divided. */
export function undivided(policy: PollingPolicy, speed: number): PollingPolicy {
  return timedPolicy(policy, (micros) => Math.round(micros * speed))
}

/** Its `polling` is for a scenario file; all else is as a run at that `speed` measures it. */
export function strategyOf(
  { candidate, value, low, high }: Estimated,
  speed: number,
  family: Strategy['family'] = candidate.family,
): Strategy {
  const { policy } = candidate
  return {
    family,
    polling: { ...writtenPolling(undivided(policy, speed)) },
    words: pollingWordsOf(policy).tell(policy),
    pollsPerExecution: { value: value.pollsMean, low: low.pollsMean, high: high.pollsMean },
    detectionDelayMs: seesEnds(high)
      ? {
          p50: value.delayP50 / MICROS_PER_MS,
          p95: value.delayP95 / MICROS_PER_MS,
          mean: value.delayMean / MICROS_PER_MS,
          low: low.delayP95 / MICROS_PER_MS,
          high: high.delayP95 / MICROS_PER_MS,
          meanLow: low.delayMean / MICROS_PER_MS,
          meanHigh: high.delayMean / MICROS_PER_MS,
        }
      : null,
  }
}

interface Setting {
  subjects: readonly Subject[]
  stage: ReplayStage
  wish: Wish
  arrivalsPerSecond: number | null
  gaps: readonly PollGap[]
}

interface Consequences {
  cost: number | null
  pollsPerSecond: number | null
  twiceAsLong: { pollsPerExecution: number; pollsPerSecond: number | null }
  freshShare: number | null
}

/** What follows from a strategy for the target, beside polls and delay of an execution. */
export function consequencesOf(
  { candidate: { policy }, value }: Estimated,
  { subjects, stage, wish, arrivalsPerSecond, gaps }: Setting,
): Consequences {
  const longer = slower(subjects, 2)
  const trace = traceOf(longer, () => policy, stage)
  const later = figuresOf(
    trace,
    longer.map(({ weight }) => weight),
  )
  const perSecond = (polls: number): number | null =>
    arrivalsPerSecond === null ? null : arrivalsPerSecond * polls
  const cost = wish.prices === null ? null : costOf(value, wish.prices)
  return {
    cost: cost === null || !Number.isFinite(cost) ? null : cost,
    pollsPerSecond: perSecond(value.pollsMean),
    twiceAsLong: {
      pollsPerExecution: later.pollsMean,
      pollsPerSecond: perSecond(later.pollsMean),
    },
    freshShare: freshShareOf(policy, subjects, gaps, stage),
  }
}

/** Most intervals of one execution that are looked at. */
const MOST_INTERVALS = 200

/** Over the intervals of an execution of middle length; null where one of them was not observed. */
function freshShareOf(
  policy: PollingPolicy,
  subjects: readonly Subject[],
  gaps: readonly PollGap[],
  { random, requests }: ReplayStage,
): number | null {
  const lengths = subjects
    .map(({ lives }) => lives[0]!.endMicros)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b)
  const untilMicros = lengths[Math.floor(lengths.length / 2)] ?? 0
  const pace = { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
  let sum = 0
  while (pace.intervals < MOST_INTERVALS) {
    const interval = nextIntervalMicros(policy, pace, random)
    const hintMicros = policy.hint === 'obey' ? requests.hintMicros(0, pace.intervals - 1) : 0
    const gap = Math.max(interval, hintMicros)
    const share = freshShareAt(gaps, gap)
    if (share === null) return null
    sum += share
    pace.intervals++
    pace.previousMicros = interval
    pace.elapsedMicros += gap
    if (pace.elapsedMicros >= untilMicros) break
  }
  return sum / pace.intervals
}
