/**
 * When a client learns that an execution has ended: the times of its polls, drawn once from the
 * intervals that the engine itself uses, and looked up for any end.
 */
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import { nextIntervalMicros } from '../../../../scenario/polling/index.ts'

/** Poll times of so many clients stand for those of all, where they differ. */
const CLIENTS = 64
/** The most polls that are kept of one client, which short intervals over a long time exceed. */
const MOST_POLLS = 20_000

/** Times from acceptance. `client` is any whole number of 0 or more. */
export interface Detection {
  /**
   * When the answer comes that tells of an end at `endMicros`; Infinity where no poll before the
   * deadline sees it.
   */
  knownMicros(endMicros: Micros, client: number): Micros
  /**
   * The latest end that is known before `beforeMicros`, and before the deadline; -Infinity where
   * none is.
   */
  latestEnd(beforeMicros: Micros, client: number): Micros
}

export interface PollingModel {
  policy: PollingPolicy
  /** The time from acceptance to the deadline. */
  deadlineMicros: Micros
  /** What a poll takes. */
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

/** When each poll is sent, from acceptance, rising. */
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

/** The first place of `rising` that holds at least `value`; its length where none does. */
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
