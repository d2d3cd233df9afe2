/**
 * One recorded execution replayed under another polling strategy: how many polls it takes, and how
 * late its end is known. The intervals are those of the scenario's own strategies, so that the
 * engine does what is predicted; one poll is outstanding at a time, and the next interval counts
 * from its answer.
 */
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import { nextIntervalMicros } from '../../../../scenario/polling/index.ts'

/** One way in which a recorded execution may have gone. */
export interface Life {
  /** The end, counted from acceptance; Infinity for one that does not end. */
  endMicros: Micros
  deadlineMicros: Micros
  completionsMicros: readonly Micros[] | null
}

export interface Replayed {
  polls: number
  /** True end to the last byte of the answer that told it; null when no poll saw the end. */
  delayMicros: Micros | null
}

/** How long polls take, and when within one the target looks at its clock. */
export interface RequestTimes {
  /** The time that poll `poll` (from 0) of life `life` takes. */
  tookMicros(life: number, poll: number): Micros
  /** Share of it, 0 to 1, that is over when the target looks. */
  lookShare: number
}

/** No execution is polled more often: an interval of milliseconds over hours says no more. */
const MOST_POLLS = 20_000

/**
 * `life`: the number of the life, which picks its request times. `random` serves jitter alone.
 */
export function replay(
  policy: PollingPolicy,
  { endMicros, deadlineMicros, completionsMicros }: Life,
  { requests, life, random }: { requests: RequestTimes; life: number; random: Random },
): Replayed {
  const pace = {
    intervals: 0,
    previousMicros: 0,
    elapsedMicros: 0,
    completedTasks: null as number | null,
  }
  for (let polls = 0; polls < MOST_POLLS;) {
    const interval = nextIntervalMicros(policy, pace, random)
    const dueMicros = pace.elapsedMicros + interval
    if (dueMicros >= deadlineMicros) return { polls, delayMicros: null }
    pace.intervals++
    pace.previousMicros = interval
    const tookMicros = requests.tookMicros(life, polls)
    const lookedMicros = dueMicros + requests.lookShare * tookMicros
    pace.elapsedMicros = dueMicros + tookMicros
    polls++
    if (lookedMicros >= endMicros) return { polls, delayMicros: pace.elapsedMicros - endMicros }
    if (completionsMicros !== null) {
      pace.completedTasks = countUntil(completionsMicros, lookedMicros)
    }
  }
  return { polls: MOST_POLLS, delayMicros: null }
}

function countUntil(rising: readonly Micros[], atMicros: Micros): number {
  let count = 0
  while (count < rising.length && rising[count]! <= atMicros) count++
  return count
}

/** Most request times that are kept; more would change no figure. */
const KEPT_TIMES = 499

/**
 * Request times as they were measured, each as often as the others, in an order that depends on
 * nothing but the numbers of life and poll: strategies are compared under the same ones.
 */
export function requestTimesOf(measured: readonly Micros[], lookShare: number): RequestTimes {
  const sorted = measured.toSorted((a, b) => a - b)
  const size = Math.min(KEPT_TIMES, sorted.length)
  if (size === 0) return { tookMicros: () => 0, lookShare }
  const kept = Array.from(
    { length: size },
    (_, i) => sorted[Math.floor(((i + 0.5) / size) * sorted.length)]!,
  )
  return {
    tookMicros: (life, poll) => kept[(life * 193 + poll * 101) % size]!,
    lookShare,
  }
}
