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
  const looks = Array.from(
    { length: CLIENTS },
    (_, i) => new Rising(looksOf(model, model.random.fork('client', i))),
  )
  const { requestMicros } = model
  const half = requestMicros / 2
  return {
    knownMicros: (endMicros, client) => {
      const sent = looks[client % CLIENTS]!
      return sent.firstAtLeast(endMicros - half) + requestMicros
    },
    latestEnd: (beforeMicros, client) => {
      const sent = looks[client % CLIENTS]!
      return sent.lastBelow(beforeMicros - requestMicros) + half
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

/**
 * Rising numbers of 0 or more that are looked up millions of times: a table says where to begin,
 * which takes a quarter of the time of a binary search.
 */
class Rising {
  readonly #values: Float64Array
  readonly #perUnit: number
  /** How many values lie before each of the equal stretches into which their span is cut. */
  readonly #before: Uint32Array

  constructor(values: Float64Array) {
    const { length } = values
    this.#values = values
    this.#perUnit = length === 0 ? 0 : length / values[length - 1]!
    this.#before = new Uint32Array(length + 2)
    for (const value of values) this.#before[this.#stretchOf(value) + 1]!++
    for (let i = 1; i < length + 2; i++) this.#before[i]! += this.#before[i - 1]!
  }

  /** The first that is at least `bound`; Infinity where none is. */
  firstAtLeast(bound: number): number {
    return this.#values[this.#placeOf(bound)] ?? Infinity
  }

  /** The last that is below `bound`; -Infinity where none is. */
  lastBelow(bound: number): number {
    return this.#values[this.#placeOf(bound) - 1] ?? -Infinity
  }

  /** Where the values that are at least `bound` begin. All values in earlier stretches are less. */
  #placeOf(bound: number): number {
    const values = this.#values
    let place = this.#before[this.#stretchOf(bound)]!
    while (place < values.length && values[place]! < bound) place++
    return place
  }

  #stretchOf(value: number): number {
    const stretch = Math.floor(value * this.#perUnit)
    return stretch > 0 ? Math.min(stretch, this.#values.length) : 0
  }
}
