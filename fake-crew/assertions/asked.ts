/** What assertions read of a crew: its requests, its ledger and its clock. */
import type { LedgerClock } from '../../src/crew/fake/clock.ts'
import type { LedgerRow, LedgerRequest } from '../../src/crew/ledger.ts'
import { retryAfterMicros } from '../../src/crew/retry-after.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'

/** A fake crew, or the part of it that one test has. */
export interface AskedCrew {
  requests(): readonly LedgerRequest[]
  ledger(): readonly LedgerRow[]
  clock(): LedgerClock
  readonly requestsDropped: number
}

/** Requests of the interface, in the order in which they came. */
export function inOrder(crew: AskedCrew): LedgerRequest[] {
  return crew
    .requests()
    .filter(({ operation }) => operation !== 'other')
    .toSorted((a, b) => a.at_ms - b.at_ms)
}

/** The polls of each execution, in the order in which they came, by its id. */
export function pollsById(rows: readonly LedgerRequest[]): Map<string, LedgerRequest[]> {
  const byId = new Map<string, LedgerRequest[]>()
  for (const row of rows) {
    if (row.operation !== 'status' || row.kickoff_id === null) continue
    byId.set(row.kickoff_id, [...(byId.get(row.kickoff_id) ?? []), row])
  }
  return byId
}

/**
 * How long the answer asked its client to wait, from when it was sent; null if it did not, or if
 * nobody can read it.
 */
export function askedWaitMs(row: LedgerRequest, { anchor_unix_ms: anchorMs }: LedgerClock) {
  const { retry_after: field, answered_ms: answeredMs } = row
  if (field === null || answeredMs === null) return null
  const micros = retryAfterMicros({ 'retry-after': field }, () => anchorMs + answeredMs)
  return micros === null ? null : micros / MICROS_PER_MS
}
