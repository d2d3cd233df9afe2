/** How a client should poll under the limit that was found. */
import type { LimitsPlan, OperationLimit, SafeSettings } from '../document.ts'
import { loopsOf } from '../../frame/loops/loops.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'

const INTERVALS_MS = [2_000, 5_000, 10_000, 15_000, 30_000, 60_000]
/** Kept free for retries, and for a second client with the same token. */
const USED_SHARE = 0.9

/** Of so many times the wait after the first refusal, the longest is. */
const GROWTH = 8

/** Null where no rate of polls is known to be safe: a guess is not recommended. */
export function settingsFor(
  { inFlight, paths }: LimitsPlan,
  status: OperationLimit | null,
): SafeSettings | null {
  const safe = status?.safePerSecond ?? null
  if (status === null || safe === null || safe <= 0) return null
  const pollsPerSecond = safe * USED_SHARE
  const each = status.scope.path === true
  const intervalMs = niceInterval(((each ? 1 : inFlight) / pollsPerSecond) * 1_000)
  const everyMicros = intervalMs * MICROS_PER_MS
  const example = { executions: inFlight, intervalMs }
  return {
    operation: 'status',
    pollsPerSecond,
    each,
    basis: status.headers?.usedUp === false ? 'promised' : 'measured',
    inFlight: (each ? [] : INTERVALS_MS).map((ms) => ({
      intervalMs: ms,
      executions: Math.floor((pollsPerSecond * ms) / 1_000),
    })),
    example,
    scenario: scenarioLines(intervalMs, safe, status.refusal?.waitMs ?? 0),
    ...loopsOf({ kind: 'fixed', everyMicros, initialDelayMicros: everyMicros }, paths?.status),
  }
}

/** Rounded up, to a whole second from one second on: an interval that a person would write. */
function niceInterval(ms: number): number {
  const least = Math.max(ms, 100)
  return least < 1_000 ? Math.ceil(least / 100) * 100 : Math.ceil(least / 1_000) * 1_000
}

/** `waitMs`: until a client that was refused is surely let in again, 0 where that is not known. */
function scenarioLines(intervalMs: number, safePerSecond: number, waitMs: number): string {
  const initialMs = niceInterval(1_000 / safePerSecond)
  const maxMs = Math.max(niceInterval(waitMs), GROWTH * initialMs)
  const backoff = `initial: '${written(initialMs)}', factor: 2, max: '${written(maxMs)}', jitter: 'full'`
  return (
    `polling: { fixed: '${written(intervalMs)}' },\n` +
    `retry: { backoff: { ${backoff} } },\nhonourRetryAfter: true,\n`
  )
}

function written(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`
}
