/**
 * The clock of a fake crew's ledger, by which it names itself; apart from the ledger's schemas,
 * because k6 reads it too, without zod.
 */

export interface LedgerClock {
  /** The current time on the ledger's clock. */
  now_ms: number
  /** Wall clock at the ledger's zero, in Unix milliseconds. */
  anchor_unix_ms: number
  speed: number
  /** The clock stands still until somebody advances it; missing for one that does not. */
  manual?: true
  /** The base URL behind a proxy of the fake crew; a crew leaves it out. */
  forwards_to?: string
}

/** Below the base URL of a fake crew: its control. */
export const CONTROL_PATH = '/__fake__'

/** About three hundred years in milliseconds: no clock of a crew can be beyond it. */
const MOST_LEDGER_MS = 1e13

/** A clock has these three fields; no other service returns them under this address. */
export function isClock(value: unknown): value is LedgerClock {
  const fields: { [Key in keyof LedgerClock]?: unknown } = { ...(value as object | null) }
  const { now_ms, anchor_unix_ms, speed, forwards_to, manual } = fields
  return (
    isLedgerTime(now_ms) &&
    isLedgerTime(anchor_unix_ms) &&
    Number.isFinite(speed) &&
    Number(speed) > 0 &&
    (forwards_to === undefined || typeof forwards_to === 'string') &&
    (manual === undefined || manual === true)
  )
}

function isLedgerTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) < MOST_LEDGER_MS
}
