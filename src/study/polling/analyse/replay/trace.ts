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
  /** Of each life that ends, in no order: Infinity where no poll saw the end. */
  delays: Float64Array
  /** The subject of each delay. */
  owners: Int32Array
  /** The delays' places in rising order. */
  order: Int32Array
  /** Lives of each subject. */
  lives: Int32Array
}

export interface Figures {
  pollsMean: number
  delayMean: number
  delayP50: number
  delayP95: number
}

/** How strategies are compared: under the same request times and the same draws. */
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
    delays: Float64Array.from(delays),
    owners: Int32Array.from(owners),
    order,
    lives: Int32Array.from(subjects, ({ lives }) => lives.length),
  }
}

/** `weights`: of the subjects, 0 or more. NaN where nothing has a weight. */
export function figuresOf(trace: Trace, weights: Float64Array | readonly number[]): Figures {
  const { polls, delays, owners, order, lives } = trace
  let sum = 0
  let pollsSum = 0
  for (let i = 0; i < polls.length; i++) {
    sum += weights[i]!
    pollsSum += weights[i]! * polls[i]!
  }
  let ended = 0
  let delaySum = 0
  const shares = new Float64Array(delays.length)
  for (let i = 0; i < delays.length; i++) {
    const share = weights[owners[i]!]! / lives[owners[i]!]!
    shares[i] = share
    if (share === 0) continue
    ended += share
    delaySum += share * delays[i]!
  }
  return {
    pollsMean: pollsSum / sum,
    delayMean: delaySum / ended,
    delayP50: quantileOf(delays, order, shares, 0.5 * ended),
    delayP95: quantileOf(delays, order, shares, 0.95 * ended),
  }
}

/** Guards the sum of shares against its last bits. */
const ROUNDING = 1e-9

/** The least value at which the shares add up to `wanted`. */
function quantileOf(
  values: Float64Array,
  order: Int32Array,
  shares: Float64Array,
  wanted: number,
): number {
  let sum = 0
  for (const at of order) {
    sum += shares[at]!
    if (sum >= wanted * (1 - ROUNDING)) return values[at]!
  }
  return Number.NaN
}
