/** Determines from a ledger when people were asked, and when a worker went on. */
import type { Micros } from '../../../../base/units.ts'
import type { LedgerRow } from '../../../../crew/ledger.ts'
import type { SeenAsk } from './seen.ts'

const MS_PER_SECOND = 1_000

/**
 * A task ends when a worker goes on after the answer about it, so its time in the ledger contains
 * the wait for both. A person who has not answered was asked about the first task that has not
 * ended.
 */
export function askedOf(row: LedgerRow, onRunClock: (ms: number) => Micros): SeenAsk[] {
  const { asked = [], tasks } = row
  return asked.map(({ task_id: id, from_ms: from, to_ms: to }) => {
    const place = tasks.findIndex((task) => task.task_id === id)
    if (to === null) {
      return { place: tasks.length, from: onRunClock(from), to: Infinity, resumed: Infinity }
    }
    const resumed = place < 0 ? to : Math.max(to, endOf(row, place) ?? to)
    return {
      place: place < 0 ? tasks.length : place,
      from: onRunClock(from),
      to: onRunClock(to),
      resumed: onRunClock(resumed),
    }
  })
}

/**
 * The end of a task, counted back from the end of the execution: what belongs to no task is spread
 * evenly before all of them. Null for an execution that did not complete.
 */
function endOf({ started_ms: started, ended_ms: ended, outcome, tasks }: LedgerRow, place: number) {
  if (outcome !== 'completed' || started === null || ended === null) return null
  const timesMs = tasks.map(({ execution_time: seconds }) => seconds * MS_PER_SECOND)
  const setUpMs = (ended - started - sum(timesMs)) / tasks.length
  return ended - sum(timesMs.slice(place + 1).map((timeMs) => timeMs + setUpMs))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
