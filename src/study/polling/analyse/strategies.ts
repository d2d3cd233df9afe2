/** Strategies as the document tells them. */
import { upperMedian } from '../../../result/statistics/rising.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { nextIntervalMicros, timedPolicy, writtenPolling } from '../../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../../scenario/polling/schemas.ts'
import type { Consequences, Strategy, Wish } from '../document.ts'
import type { Estimated } from './choice/estimate.ts'
import { costOf, seesEnds } from './choice/wish.ts'
import type { PollGap, Recording } from './replay/recording.ts'
import type { Subject } from './replay/lives.ts'
import { slower } from './replay/lives.ts'
import type { ReplayStage } from './replay/trace.ts'
import { figuresOf, traceOf } from './replay/trace.ts'
import type { Micros } from '../../../base/units.ts'

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
  recording: Recording
}

/** What follows from a strategy for the target, beside polls and delay of an execution. */
export function consequencesOf(
  { candidate: { policy }, value }: Estimated,
  { subjects, stage, wish, recording: { arrivalsPerSecond, gaps } }: Setting,
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

/** Polls whose gap differs by no more than this factor tell of each other. */
const NEAR = 1.25
/** Fewer tell nothing. */
const FEWEST = 10

/**
 * Share of polls after such a gap that opened a connection; null where too few were observed. What
 * lies beyond the longest gap at which nearly all did open one, does so too: idle connections are
 * not kept longer.
 */
export function freshShareAt(gaps: readonly PollGap[], gapMicros: Micros): number | null {
  const near = gaps.filter(
    (each) => each.gapMicros >= gapMicros / NEAR && each.gapMicros <= gapMicros * NEAR,
  )
  if (near.length >= FEWEST) return shareOf(near)
  const shorter = gaps.filter((each) => each.gapMicros < gapMicros)
  const longest = shorter.toSorted((a, b) => b.gapMicros - a.gapMicros).slice(0, FEWEST)
  if (longest.length === FEWEST && shareOf(longest) > 0.9) return 1
  const longer = gaps.filter((each) => each.gapMicros > gapMicros)
  const shortest = longer.toSorted((a, b) => a.gapMicros - b.gapMicros).slice(0, FEWEST)
  return shortest.length === FEWEST && shareOf(shortest) === 0 ? 0 : null
}

function shareOf(gaps: readonly PollGap[]): number {
  return gaps.filter(({ fresh }) => fresh).length / gaps.length
}

/** What opening a connection adds to a poll, in the median; null where it was not observed. */
export function handshakeMicros(gaps: readonly PollGap[]): Micros | null {
  const took = (fresh: boolean): number[] =>
    gaps.filter((each) => each.fresh === fresh).map(({ tookMicros }) => tookMicros)
  const [opened, kept] = [took(true), took(false)]
  if (opened.length < FEWEST || kept.length < FEWEST) return null
  return Math.max(0, upperMedian(opened) - upperMedian(kept))
}
