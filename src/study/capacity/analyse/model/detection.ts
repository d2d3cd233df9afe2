/**
 * Models when a client learns that an execution has ended: the times of its polls are drawn once,
 * from the intervals that the engine uses, and looked up for any end.
 */
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import { nextIntervalMicros } from '../../../../scenario/polling/index.ts'

/**
 * Poll times are drawn for this many clients, which represent all of them where intervals are
 * random.
 */
const CLIENTS = 64
/** The most polls that are kept per client; short intervals over a long time would exceed it. */
const MOST_POLLS = 20_000

/** All times count from acceptance. `client` is any whole number of 0 or more. */
export interface Detection {
  /**
   * Returns when the client receives the answer that reports an end at `endMicros`; Infinity if no
   * poll before the deadline sees it.
   */
  knownMicros(endMicros: Micros, client: number): Micros
  /**
   * Returns the latest end that is known before `beforeMicros`, and before the deadline; -Infinity
   * if there is none.
   */
  latestEnd(beforeMicros: Micros, client: number): Micros
}

export interface PollingModel {
  policy: PollingPolicy
  /** The time from acceptance to the deadline. */
  deadlineMicros: Micros
  /** The time that a poll takes. */
  requestMicros: Micros
  random: Random
}

export function pollsOf(model: PollingModel): Detection {
  const looks = Array.from({ length: CLIENTS }, (_, i) =>
    looksOf(model, model.random.fork('client', i)),
  )
  const { requestMicros } = model
  const half = requestMicros / 2
  return {
    knownMicros: (endMicros, client) => {
      const sent = looks[client % CLIENTS]!
      const look = sent[firstAtLeast(sent, endMicros - half)]
      return look === undefined ? Infinity : look + requestMicros
    },
    latestEnd: (beforeMicros, client) => {
      const sent = looks[client % CLIENTS]!
      const look = sent[firstAtLeast(sent, beforeMicros - requestMicros) - 1]
      return look === undefined ? -Infinity : look + half
    },
  }
}

/** Detection without polling: the end is known when it comes, unless that is after the deadline. */
export function knownAtOnce(deadlineMicros: Micros): Detection {
  return {
    knownMicros: (endMicros) => (endMicros < deadlineMicros ? endMicros : Infinity),
    latestEnd: (beforeMicros) => Math.min(beforeMicros, deadlineMicros) * JUST_BELOW,
  }
}

const JUST_BELOW = 1 - Number.EPSILON

/** Returns the times at which polls are sent, counted from acceptance, in rising order. */
function looksOf(
  { policy, deadlineMicros, requestMicros }: PollingModel,
  random: Random,
): Float64Array {
  const sent: number[] = []
  const pace = { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
  while (sent.length < MOST_POLLS) {
    const interval = nextIntervalMicros(policy, pace, random)
    const dueMicros = pace.elapsedMicros + interval
    if (dueMicros >= deadlineMicros) break
    sent.push(dueMicros)
    pace.intervals++
    pace.previousMicros = interval
    pace.elapsedMicros = dueMicros + requestMicros
  }
  return Float64Array.from(sent)
}

/** The first index of `rising` whose value is at least `value`; the length if there is none. */
function firstAtLeast(rising: Float64Array, value: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rising[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
