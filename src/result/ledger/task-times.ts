/** When the tasks of one execution were worked on by the ledger, and what they waited meanwhile. */
import { sumOf } from '../statistics/moments.ts'
import type { LedgerRow } from '../../crew/ledger.ts'

/** A finished task; in milliseconds, on the ledger's clock. */
interface TaskByLedger {
  task: string
  beginMs: number
  endMs: number
  /** As clients are told: with all that it waited. */
  tookMs: number
  waits: {
    /** Its calls waited for a quota. */
    quotaMs: number
    /** It had only a part of a shared processor. */
    slowedMs: number
    /** For people, and then for a worker. */
    askedMs: number
  }
  /** Without its waits; rounding may make it negative. */
  workMs: number
}

/** A question to a person. */
interface AskedTimes {
  /** The position of the task that ends with the answer. */
  place: number
  fromMs: number
  /** Infinity while nobody has answered. */
  toMs: number
  /** When a worker went on with it. */
  resumedMs: number
}

interface RowTimes {
  tasks: TaskByLedger[]
  asked: AskedTimes[]
}

const MS_PER_SECOND = 1_000
/** Half of the millisecond to which the times of tasks are rounded. */
const ROUNDING_MS = 0.5

/**
 * Tasks follow each other; what belongs to none of them is spread evenly before all tasks of an
 * execution that completed.
 */
export function rowTimesOf(row: LedgerRow): RowTimes {
  const { started_ms: started, ended_ms: ended, outcome } = row
  const tookMs = row.tasks.map(({ execution_time: seconds }) => seconds * MS_PER_SECOND)
  const isWhole = outcome === 'completed' && started !== null && ended !== null
  const setUpMs = isWhole ? (ended - started - sumOf(tookMs)) / tookMs.length : 0
  let at = started ?? 0
  const endsMs = tookMs.map((ms) => (at += setUpMs + ms))
  const asked = askedIn(row, started === null ? [] : endsMs)
  const tasks = row.tasks.map((each, place): TaskByLedger => {
    const { task_id: task, execution_time: seconds, quota_wait = 0, slowed = 0 } = each
    const here = asked.filter((ask) => ask.place === place)
    const askedMs = sumOf(here.map(({ fromMs, resumedMs }) => resumedMs - fromMs))
    const before = endsMs[place - 1] ?? started ?? 0
    return {
      task,
      beginMs: setUpMs > ROUNDING_MS ? before + setUpMs : before,
      endMs: endsMs[place]!,
      tookMs: tookMs[place]!,
      waits: { quotaMs: quota_wait * MS_PER_SECOND, slowedMs: slowed * MS_PER_SECOND, askedMs },
      workMs: (seconds - quota_wait - slowed) * MS_PER_SECOND - askedMs,
    }
  })
  return { tasks, asked }
}

/**
 * A task ends when a worker goes on after the answer about it, so its time in the ledger contains
 * the wait for both; one that a no repeats goes on. A person who has not answered was asked about
 * the first task that has not ended.
 */
function askedIn({ asked = [], tasks, outcome }: LedgerRow, endsMs: number[]): AskedTimes[] {
  return asked.map(({ task_id: id, from_ms: fromMs, to_ms: toMs, approved }) => {
    if (toMs === null) return { place: tasks.length, fromMs, toMs: Infinity, resumedMs: Infinity }
    const place = tasks.findIndex((task) => task.task_id === id)
    const isOver = place >= 0 && approved !== false && outcome === 'completed'
    const resumedMs = isOver ? Math.max(toMs, endsMs[place] ?? toMs) : toMs
    return { place: place < 0 ? tasks.length : place, fromMs, toMs, resumedMs }
  })
}
