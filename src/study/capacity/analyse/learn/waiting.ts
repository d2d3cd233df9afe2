/** How many executions are at work while another one surely waits. */
import { Occupancy } from '../../../../result/statistics/occupancy.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Ran } from './seen.ts'

/** A shorter wait is the time of a request, and not a wait for a worker. */
export const SHORTEST_WAIT_MICROS = 1_000

/** A time in which an execution surely waits, and the same number of others is at work. */
interface WaitingSpan {
  micros: Micros
  atWork: number
}

/**
 * The spans of a load, in the order of time. A start is known only as precisely as the polls that
 * enclose the end, and the acceptance before it exactly.
 */
export function waitingSpans({
  ran,
  busy,
}: {
  ran: readonly Ran[]
  busy: Occupancy
}): WaitingSpan[] {
  const waits = ran.flatMap(({ accepted, started, endedWithin }): [number, number][] =>
    started - accepted > 2 * endedWithin + SHORTEST_WAIT_MICROS
      ? [[accepted, started - endedWithin]]
      : [],
  )
  const waiting = new Occupancy(waits)
  const times = [...waits.flat(), ...ran.flatMap(({ started, ended }) => [started, ended])]
  times.sort((a, b) => a - b)
  return times.slice(0, -1).flatMap((from, i) => {
    const micros = times[i + 1]! - from
    return micros === 0 || waiting.at(from) === 0 ? [] : { micros, atWork: busy.at(from) }
  })
}
