/**
 * A strategy replayed over all subjects: polls and detection delays of each, and what they come to
 * under any weighting of the subjects.
 */
import { firstAtLeast } from '../../../../result/statistics/rising.ts'
import type { Random } from '../../../../base/random.ts'
import { forks } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { Subject } from './lives.ts'
import type { ReplayedTimes, Life } from './replay.ts'
import { replayPolls } from './replay.ts'

/** Times in microseconds. */
export interface Trace {
  /** Mean over the lives of each subject. */
  polls: Float64Array
  /** The delays of lives that end, in increasing order. */
  delays: Float64Array
  /** The subject of each delay. */
  owners: Int32Array
  /** Number of lives of each subject. */
  lives: Int32Array
  /** Share of the lives of each subject that end, but whose deadline comes before a poll. */
  missed: Float64Array
}

export interface TraceFigures {
  pollsMean: number
  delayMean: number
  delayP50: number
  delayP95: number
  /** Share of what ends whose deadline comes before a poll sees the end. */
  missedShare: number
}

/** How strategies are compared: under the same request times and the same random numbers. */
export interface ReplayStage {
  requests: ReplayedTimes
  random: Random
}

/**
 * `policyOf`: the strategy for subject `i`, which is one for all, or one that was learned without
 * that subject. Where the deadline comes before a poll sees an end, the delay is what it would be
 * without the deadline: how late a strategy learns of an end is its own doing, and the deadline is
 * not.
 */
export function traceOf(
  subjects: readonly Subject[],
  policyOf: (subject: number) => PollingPolicy,
  { requests, random }: ReplayStage,
): Trace {
  const streams = forks(random, 'life')
  const polls = new Float64Array(subjects.length)
  const missed = new Float64Array(subjects.length)
  const delays: number[] = []
  const owners: number[] = []
  let life = 0
  const delayWithoutDeadline = (policy: PollingPolicy, ended: Life): Micros => {
    const free = { ...ended, deadlineMicros: Infinity }
    return (
      replayPolls(policy, free, { requests, life, random: streams(life) }).delayMicros ?? Infinity
    )
  }
  subjects.forEach(({ lives }, subject) => {
    const policy = policyOf(subject)
    for (const each of lives) {
      const seen = replayPolls(policy, each, { requests, life, random: streams(life) })
      polls[subject]! += seen.polls / lives.length
      if (each.endMicros < Infinity) {
        if (seen.delayMicros === null) missed[subject]! += 1 / lives.length
        delays.push(seen.delayMicros ?? delayWithoutDeadline(policy, each))
        owners.push(subject)
      }
      life++
    }
  })
  const rising = Float64Array.from(delays).sort()
  return {
    polls,
    delays: rising,
    owners: inOrder(owners, delays, rising),
    lives: Int32Array.from(subjects, ({ lives }) => lives.length),
    missed,
  }
}

/** `owners` in the order of their delays; those of equal ones stay in the order that they have. */
function inOrder(
  owners: readonly number[],
  delays: readonly number[],
  rising: Float64Array,
): Int32Array {
  const ordered = new Int32Array(owners.length)
  /** By the first place of a delay: how many of the same have been put behind it. */
  const taken = new Int32Array(owners.length)
  for (let i = 0; i < owners.length; i++) {
    const first = firstAtLeast(rising, delays[i]!)
    ordered[first + taken[first]!++] = owners[i]!
  }
  return ordered
}

type Weights = Float64Array | readonly number[]

/** `weights`: of the subjects, 0 or more. NaN where nothing has a weight. */
export function figuresOf(trace: Trace, weights: Weights): TraceFigures {
  return figuresUnder(trace)(weights)
}

/** As `figuresOf`, for many weightings of one trace, which share the memory for sums. */
export function figuresUnder(trace: Trace): (weights: Weights) => TraceFigures {
  const shares = new Float64Array(trace.polls.length)
  const reached = new Float64Array(trace.delays.length)
  const finite = firstAtLeast(trace.delays, Infinity)
  return (weights) => weighed(trace, weights, { shares, reached, finite })
}

/** `shares`: by subject; `reached`: by delay. Both are overwritten. `finite`: delays that are. */
function weighed(
  { polls, delays, owners, lives, missed }: Trace,
  weights: Weights,
  { shares, reached, finite }: { shares: Float64Array; reached: Float64Array; finite: number },
): TraceFigures {
  let [sum, pollsSum, missedSum] = [0, 0, 0]
  for (let i = 0; i < polls.length; i++) {
    const weight = weights[i]!
    sum += weight
    pollsSum += weight * polls[i]!
    missedSum += weight * missed[i]!
    shares[i] = weight / lives[i]!
  }
  // Sums of shares up to each delay: where one reaches a level lies the quantile.
  let ended = 0
  let delaySum = 0
  for (let i = 0; i < delays.length; i++) {
    const share = shares[owners[i]!]!
    // No share of an endless delay adds nothing.
    delaySum += i < finite || share > 0 ? share * delays[i]! : 0
    ended += share
    reached[i] = ended
  }
  return {
    pollsMean: pollsSum / sum,
    delayMean: delaySum / ended,
    delayP50: delays[firstReaching(reached, 0.5 * ended)] ?? Number.NaN,
    delayP95: delays[firstReaching(reached, 0.95 * ended)] ?? Number.NaN,
    missedShare: missedSum / ended,
  }
}

/** Guards the sum of shares against its last bits. */
const ROUNDING = 1e-9

/** The place in the rising sums of the first that reaches the level. */
function firstReaching(rising: Float64Array, level: number): number {
  return firstAtLeast(rising, level * (1 - ROUNDING))
}
