/**
 * A strategy replayed over all subjects: polls and detection delays of each, and what they come to
 * under any weighting of the subjects.
 */
import type { Random } from '../../../../base/random.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { Subject } from './lives.ts'
import type { RequestTimes } from './replay.ts'
import { replay } from './replay.ts'

/** Times in microseconds. */
export interface Trace {
  /** Mean over the lives of each subject. */
  polls: Float64Array
  /** Of each life that ends, rising: Infinity where no poll saw the end. */
  delays: Float64Array
  /** The subject of each delay. */
  owners: Int32Array
  /** Number of lives of each subject. */
  lives: Int32Array
}

export interface Figures {
  pollsMean: number
  delayMean: number
  delayP50: number
  delayP95: number
}

/** How strategies are compared: under the same request times and the same random numbers. */
export interface Stage {
  requests: RequestTimes
  random: Random
}

/**
 * `policyOf`: the strategy for subject `i`, which is one for all, or one that was learned without
 * that subject.
 */
export function traceOf(
  subjects: readonly Subject[],
  policyOf: (subject: number) => PollingPolicy,
  { requests, random }: Stage,
): Trace {
  const streams = random.forks('life')
  const polls = new Float64Array(subjects.length)
  const delays: number[] = []
  const owners: number[] = []
  let life = 0
  subjects.forEach(({ lives }, subject) => {
    const policy = policyOf(subject)
    for (const each of lives) {
      const seen = replay(policy, each, { requests, life, random: streams(life) })
      life++
      polls[subject]! += seen.polls / lives.length
      if (each.endMicros === Infinity) continue
      delays.push(seen.delayMicros ?? Infinity)
      owners.push(subject)
    }
  })
  const order = Int32Array.from(delays.keys()).sort((a, b) => delays[a]! - delays[b]!)
  return {
    polls,
    delays: Float64Array.from(order, (at) => delays[at]!),
    owners: order.map((at) => owners[at]!),
    lives: Int32Array.from(subjects, ({ lives }) => lives.length),
  }
}

/** `weights`: of the subjects, 0 or more. NaN where nothing has a weight. */
export function figuresOf(trace: Trace, weights: Float64Array | readonly number[]): Figures {
  const { polls, delays, owners, lives } = trace
  let sum = 0
  let pollsSum = 0
  const shares = new Float64Array(polls.length)
  for (let i = 0; i < polls.length; i++) {
    const weight = weights[i]!
    sum += weight
    pollsSum += weight * polls[i]!
    shares[i] = weight / lives[i]!
  }
  // Sums of shares up to each delay: where one reaches a level lies the quantile.
  const reached = new Float64Array(delays.length)
  let ended = 0
  let delaySum = 0
  for (let i = 0; i < delays.length; i++) {
    const share = shares[owners[i]!]!
    if (share > 0) delaySum += share * delays[i]!
    ended += share
    reached[i] = ended
  }
  return {
    pollsMean: pollsSum / sum,
    delayMean: delaySum / ended,
    delayP50: delays[firstAtLeast(reached, 0.5 * ended)] ?? Number.NaN,
    delayP95: delays[firstAtLeast(reached, 0.95 * ended)] ?? Number.NaN,
  }
}

/** Guards the sum of shares against its last bits. */
const ROUNDING = 1e-9

/** The place in the rising sums of the first that reaches the level. */
function firstAtLeast(rising: Float64Array, level: number): number {
  const wanted = level * (1 - ROUNDING)
  let [from, to] = [0, rising.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (rising[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from
}
