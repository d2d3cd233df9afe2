/** One execution in a line, as pages that list them need it. */
import type { LedgerRow } from '../crew/ledger.ts'
import type { Micros } from '../base/units.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import { endReasonText } from './sentences/end-reasons.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { SampleExecution } from './document.ts'
import type { ClockMapping } from './clock.ts'
import { toRunClock } from './clock.ts'

/** Times are whole milliseconds since its kickoff was intended, unless they say otherwise. */
export interface ExecutionRow {
  index: number
  kickoffId: string | null
  outcome: Outcome
  /** May be a text of the target. */
  reason: string | null
  /** Each as `name=value`. */
  tags: readonly string[]
  /** The task in which a failed execution was last seen; null for others, and if none was. */
  failedIn: string | null
  warmUp: boolean
  /** On the run's clock. */
  intendedMs: number
  acceptedMs: number | null
  /** When the client knew the outcome. */
  totalMs: number
  polls: number
  retries: number
  /** What the ledger says of it; null without a row. */
  ledger: LedgerTimes | null
}

interface LedgerTimes {
  acceptedMs: number
  /** Null if no worker began it. */
  startedMs: number | null
  /** Null if it never ended. */
  endedMs: number | null
  /**
   * The first lane that was free when it began, from 0: as many lanes as executions were at work at
   * a time. Ledgers do not name workers.
   */
  lane: number | null
}

/** A sample of the executions of a run, or all of them. */
export interface SampledExecutions {
  runId: string
  /** Of the whole run, warm-up included; those without an end are not counted. */
  total: number
  /** Of `total`: they were sent, and not completed. */
  failed: number
  /** By index. A sample: the slowest, those that failed, and an even share of the rest. */
  rows: readonly ExecutionRow[]
  /** Some of them with all of their requests, the most telling first. */
  details: readonly SampleExecution[]
}

/** A row without its ledger. */
export function executionRowOf(record: ExecutionRecord): ExecutionRow {
  const { index, kickoffId, outcome, reason, warmUp, kickoff, polls } = record
  const since = (micros: Micros): number => wholeMs(micros - record.intendedMicros)
  const retries = [...kickoff.retry, ...polls.retry].filter((flag) => flag === 1).length
  return {
    index,
    kickoffId,
    outcome,
    reason: reason === null ? null : endReasonText(reason),
    tags: Object.entries(record.tags).map(([name, value]) => `${name}=${value}`),
    failedIn: outcome === 'failed' ? (record.changes.at(-1)?.task ?? null) : null,
    warmUp,
    intendedMs: wholeMs(record.intendedMicros),
    acceptedMs: record.acceptedMicros === null ? null : since(record.acceptedMicros),
    totalMs: Math.max(0, since(record.endedMicros)),
    polls: polls.answer.length,
    retries,
    ledger: null,
  }
}

export function withLedgerTimes(
  row: ExecutionRow,
  { accepted_ms: accepted, started_ms: started, ended_ms: ended }: LedgerRow,
  clock: ClockMapping,
  lane: number | null,
): ExecutionRow {
  const since = (ms: number): number => wholeMs(toRunClock(ms, clock)) - row.intendedMs
  return {
    ...row,
    ledger: {
      acceptedMs: since(accepted),
      startedMs: started === null ? null : since(started),
      endedMs: ended === null ? null : since(ended),
      lane,
    },
  }
}

function wholeMs(micros: Micros): number {
  return Math.round(micros / MICROS_PER_MS)
}
