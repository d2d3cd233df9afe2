/**
 * Determines when an execution began, when it ended and how long its tasks took: from the ledger of
 * a fake crew, from what the target reports, or from the polls that enclose each change.
 */
import { rowTimesOf } from '../../../result/ledger/task-times.ts'
import type { Between } from '../../../result/inferred-workers/observed-stay.ts'
import { sumOf } from '../../../result/statistics/moments.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import type { LedgerRow } from '../../../crew/ledger.ts'
import { reportedSeconds, sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request.ts'

export interface SeenTask {
  /** The position among the tasks of an execution, from 0. */
  place: number
  /** Without what it waited for beside a worker, where a ledger says so. */
  micros: Between
  /** What it waited, by a ledger; missing where executions share nothing but workers. */
  waits?: { quota: Micros; slowed: Micros }
}

interface SeenAsk {
  /** The position of the task that ends with the answer. */
  place: number
  from: Micros
  /** Infinity while nobody has answered. */
  to: Micros
  /** When a worker went on with it. */
  resumed: Micros
}

/** The times of one execution. */
export interface ExecutionTimes {
  /** When the crew had it; null where it was not accepted. */
  accepted: Micros | null
  /** When a worker began with it; null if nothing reports it. */
  started: Between | null
  /** When it ended; `high` is Infinity if the end was not observed. */
  ended: Between | null
  /** The time from start to end as the target reports it; null if it does not. */
  ranMicros: Between | null
  /** Tasks whose times are known, in order. */
  tasks: readonly SeenTask[]
  /**
   * The position of the task in which it failed; null if it did not fail, or nothing reports the
   * task.
   */
  failedIn: number | null
  /** Whether it was watched to its deadline, or its ledger says that it never ended. */
  isStuck: boolean
  /** When people were asked about it, in order of time, by its ledger; missing for never. */
  asked?: readonly SeenAsk[]
}

const UNITS_SECONDS = [1, 0.1, 0.01] as const
/** Fewer reported times may all be multiples of a unit by chance. */
const FEWEST_REPORTED = 5

/**
 * Returns half of the coarsest unit of which all reported times are multiples, a millisecond at
 * least.
 */
export function errorOfReports(records: readonly ExecutionRecord[]): Micros {
  const reported = records.flatMap((each) => each.reported.executionTimeSeconds ?? [])
  if (reported.length < FEWEST_REPORTED) return (0.001 * MICROS_PER_SECOND) / 2
  const unit = UNITS_SECONDS.find((each) =>
    reported.every((seconds) => Math.abs(seconds / each - Math.round(seconds / each)) < 1e-6),
  )
  return ((unit ?? 0.001) * MICROS_PER_SECOND) / 2
}

/** Half of the millisecond to which ledgers round. */
const LEDGER_MICROS = 500

function about(micros: Micros, error: Micros): Between {
  return { low: Math.max(0, micros - error), high: Math.max(1, micros + error) }
}

export function timesByLedger(row: LedgerRow, onRunClock: (ms: number) => Micros): ExecutionTimes {
  const { accepted_ms: accepted, started_ms: started, ended_ms: ended, outcome } = row
  const { tasks, asked } = rowTimesOf(row)
  const waitedMs = sumOf(tasks.map(({ waits }) => sumOf(Object.values(waits))))
  const hasEnded = (outcome === 'completed' || outcome === 'failed') && ended !== null
  return {
    accepted: onRunClock(accepted),
    started: started === null ? null : about(onRunClock(started), 0),
    ended: hasEnded ? about(onRunClock(ended), 0) : null,
    ranMicros:
      hasEnded && started !== null
        ? about((ended - started - waitedMs) * MICROS_PER_MS, LEDGER_MICROS)
        : null,
    tasks: tasks.map(({ workMs, waits: { quotaMs, slowedMs } }, place) => {
      const micros = about(Math.max(0, workMs * MICROS_PER_MS), LEDGER_MICROS)
      if (row.tasks[place]!.quota_wait === undefined) return { place, micros }
      const waits = { quota: quotaMs * MICROS_PER_MS, slowed: slowedMs * MICROS_PER_MS }
      return { place, micros, waits }
    }),
    ...(asked.length > 0 && {
      asked: asked.map(({ place, fromMs, toMs, resumedMs }) => {
        const [from, to, resumed] = [onRunClock(fromMs), onRunClock(toMs), onRunClock(resumedMs)]
        return { place, from, to, resumed }
      }),
    }),
    failedIn: outcome === 'failed' ? tasks.length : null,
    isStuck: outcome === 'stuck',
  }
}

/** `errorMicros`: half of the unit in which the target reports its times. */
export function timesByPolls(record: ExecutionRecord, errorMicros: Micros): ExecutionTimes {
  const { acceptedMicros: accepted, lastNotDoneSentMicros, firstDoneReceivedMicros } = record
  const after = Math.max(accepted ?? 0, lastNotDoneSentMicros ?? 0)
  const isSeen = sawTheEnd(record) && firstDoneReceivedMicros !== null
  const ended = { low: after, high: isSeen ? firstDoneReceivedMicros : Infinity }
  const seconds = isSeen ? reportedSeconds(record) : null
  const ranMicros = seconds === null ? null : about(seconds * MICROS_PER_SECOND, errorMicros)
  const low = accepted ?? 0
  const started =
    ranMicros === null
      ? null
      : {
          low: Math.max(low, ended.low - ranMicros.high),
          high: Math.max(low, ended.high - ranMicros.low),
        }
  const completed = record.changes.reduce((most, each) => Math.max(most, each.completed ?? 0), 0)
  return {
    accepted,
    started,
    ended: accepted === null ? null : ended,
    ranMicros,
    tasks: tasksOf(record, { ended, started, errorMicros }),
    failedIn: record.outcome === 'failed' ? completed : null,
    isStuck: record.outcome === 'stuck',
  }
}

export function scaled({ low, high }: Between, by: number): Between {
  return { low: low * by, high: high * by }
}

export function scaledTimes(times: ExecutionTimes, by: number): ExecutionTimes {
  const { accepted, started, ended, ranMicros, tasks, asked } = times
  return {
    ...times,
    accepted: accepted === null ? null : accepted * by,
    started: started && scaled(started, by),
    ended: ended && scaled(ended, by),
    ranMicros: ranMicros && scaled(ranMicros, by),
    tasks: tasks.map((task) => scaledTask(task, by)),
    ...(asked && {
      asked: asked.map(({ place, from, to, resumed }) => {
        return { place, from: from * by, to: to * by, resumed: resumed * by }
      }),
    }),
  }
}

function scaledTask({ place, micros, waits }: SeenTask, by: number): SeenTask {
  const own = { place, micros: scaled(micros, by) }
  return waits ? { ...own, waits: { quota: waits.quota * by, slowed: waits.slowed * by } } : own
}

interface Frame {
  ended: Between
  started: Between | null
  errorMicros: Micros
}

function tasksOf(record: ExecutionRecord, frame: Frame): SeenTask[] {
  const { tasks } = record.reported
  if (tasks.length > 0 && tasks.every((task) => task.executionTimeSeconds !== null)) {
    return tasks.map(({ executionTimeSeconds: seconds }, place) => ({
      place,
      micros: about((seconds ?? 0) * MICROS_PER_SECOND, frame.errorMicros),
    }))
  }
  return tasksByPolls(record, frame)
}

/**
 * The times of tasks by polls. A task lasts from one bound to the next, each of which lies between
 * two polls. The task in which an execution failed is left out, because it was cut short; the time
 * of one whose end was not observed is a lower bound.
 */
function tasksByPolls(record: ExecutionRecord, { ended, started }: Frame): SeenTask[] {
  const { acceptedMicros: accepted, outcome } = record
  if (accepted === null) return []
  const bounds = boundsOf(record)
  const total = record.changes.reduce((most, each) => Math.max(most, each.total ?? 0), 0)
  // The first task begins with the execution; its time is used only if that start is known, or if
  // it is the only bound.
  const first = started ?? { low: accepted, high: accepted }
  const all = [first, ...bounds.slice(0, Math.max(0, total - 1))]
  if (outcome !== 'failed') all.push(ended)
  return all.slice(1).map((end, i): SeenTask => {
    const begin = all[i]!
    const low = Math.max(0, end.low - begin.high)
    return { place: i, micros: { low, high: Math.max(low + 1, end.high - begin.low) } }
  })
}

/** A crew that reports higher numbers is not believed: no profile could hold its tasks. */
export const MOST_TASKS = 1_000

/**
 * The times at which further tasks were completed: between the poll that first reported it and the
 * poll before.
 */
function boundsOf(record: ExecutionRecord): Between[] {
  const { polls, changes, intendedMicros, acceptedMicros } = record
  const sent = requestsIn(polls, intendedMicros).map(({ sentMicros }) => sentMicros)
  const bounds: Between[] = []
  for (const { atMicros, completed } of changes) {
    const more = Math.max(0, Math.min(completed ?? 0, MOST_TASKS) - bounds.length)
    // The last poll sent before the change was seen is the one that reported it; the one before saw
    // no change.
    const before = sent.filter((at) => at < atMicros).at(-2) ?? acceptedMicros ?? 0
    const bound = { low: Math.min(before, atMicros), high: atMicros }
    bounds.push(...Array.from({ length: more }, () => bound))
  }
  return bounds
}

/** When each of its tasks ended: by the ledger, else when a poll saw it done. */
export function completionsOf(
  { record, row }: { record: ExecutionRecord; row: LedgerRow | null },
  onRunClock: ((ms: number) => Micros) | null,
): Micros[] {
  if (row === null || onRunClock === null) return boundsOf(record).map(({ high }) => high)
  if (row.started_ms === null) return []
  return rowTimesOf(row).tasks.map(({ endMs }) => onRunClock(endMs))
}
