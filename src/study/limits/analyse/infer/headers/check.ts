/** Whether experiments bear out what the headers promise. */
import { parseHttpDate } from '../../../../../crew/http-date.ts'
import { retryAfterMicros } from '../../../../../crew/retry-after.ts'
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import type { Belief } from '../belief.ts'
import type { RequestGroup } from '../evidence/group.ts'
import type { Conclusion, ParameterEstimate, LimitEvidence, InferredLimit } from '../interface.ts'
import { advance } from '../search/advance.ts'
import { contradictionIn } from './follow.ts'
import { policiesIn } from './promise.ts'

/** Seconds are whole: a promise may be off by one, and by this share. */
const ROUNDED_MS = 1_000
/** A date is rounded up, and the `Date` that it is counted from down. */
const DATED_MS = 2 * ROUNDED_MS
const SHARE = 0.05
/** So much longer than needed, beyond rounding, is too long a wait. */
const TOO_LONG = 1.5

/** Null where no header speaks of limits. Nothing is checked before the limiter is known. */
export function headersOf(
  evidence: LimitEvidence,
  finding: InferredLimit,
  belief: Belief,
  isSettled: boolean,
): Conclusion['headers'] {
  const promised = policiesIn(evidence).toSorted((a, b) => a.limit - b.limit)[0] ?? null
  const asksToWait = evidence.some(
    ({ answer, headers }) => answer === 'refused' && retryAfterMicros(headers) !== null,
  )
  if (promised === null && !asksToWait) return null
  const { dialect = 'Retry-After', limit = null, windowMs = null } = promised ?? {}
  const isChecked = isSettled && finding.kind !== 'none'
  const contradiction = contradictionIn(evidence)
  const lies = [
    ...(contradiction === null ? [] : [contradiction]),
    ...(isChecked
      ? [
          ...limitLies(limit, finding),
          ...windowLies(windowMs, finding),
          ...waitLies(evidence, belief),
        ]
      : []),
  ]
  const usedUp = evidence.some(({ answer }) => answer === 'refused')
  const truthful = lies.length > 0 ? false : isChecked && usedUp ? true : null
  return { dialect, limit, windowMs, truthful, usedUp, lies }
}

function limitLies(
  promised: number | null,
  { limit, capacity, concurrency }: InferredLimit,
): string[] {
  const found = limit ?? capacity ?? concurrency
  if (promised === null || found === null) return []
  if (promised >= found.low && promised <= found.high) return []
  return [`The headers promise ${promised} requests, and ${found.value} get through.`]
}

function windowLies(promisedMs: number | null, finding: InferredLimit): string[] {
  const found = windowOf(finding)
  if (promisedMs === null || found === null) return []
  const low = found.low * (1 - SHARE) - ROUNDED_MS
  const high = found.high * (1 + SHARE) + ROUNDED_MS
  if (promisedMs >= low && promisedMs <= high) return []
  return [
    `The headers promise a window of ${seconds(promisedMs)}, and it is ${seconds(found.value)}.`,
  ]
}

/** The window; for a bucket, the time in which it fills. */
function windowOf({ windowMs, capacity, ratePerSecond }: InferredLimit): ParameterEstimate | null {
  if (windowMs !== null || capacity === null || ratePerSecond === null) return windowMs
  return {
    value: (capacity.value / ratePerSecond.value) * 1_000,
    low: (capacity.low / ratePerSecond.high) * 1_000,
    high: (capacity.high / ratePerSecond.low) * 1_000,
  }
}

/** `Retry-After` of single refused requests, beside what the best explanation says. */
function waitLies(evidence: LimitEvidence, belief: Belief): string[] {
  const { groups, timing, promise } = belief.grouped
  const { pool, best } = belief.weighed[0]!
  const model = pool.hypothesis.model(best.parameters, timing.sigmaMs)
  const state = model.fresh()
  const roundedMs = tellsDates(evidence) ? DATED_MS : ROUNDED_MS
  let short = 0
  let long = 0
  let of = 0
  for (const group of groups) {
    advance(model, state, group, promise)
    const askedMs = group.refused > 0 ? askedAt(evidence, group) : null
    const neededMs = model.timeOf(state, 1, group) - group.lastRefusedMs
    if (askedMs === null || !Number.isFinite(neededMs) || neededMs <= 0) continue
    of++
    if (askedMs < neededMs * (1 - SHARE) - 4 * timing.sigmaMs) short++
    const isLong = askedMs > neededMs * TOO_LONG + roundedMs
    if (isLong && isLetInBefore(evidence, group.lastRefusedMs, askedMs)) long++
  }
  if (short > of / 2)
    return ['Retry-After is too short: a client that waits so long is refused again.']
  if (long > of / 2) return ['Retry-After is too long: requests would get through earlier.']
  return []
}

function tellsDates(evidence: LimitEvidence): boolean {
  return evidence.some(({ headers }) => parseHttpDate(headers['retry-after'] ?? '') !== undefined)
}

/** Whether a client that did not wait as long as it was asked to was let in. */
function isLetInBefore(evidence: LimitEvidence, refusedMs: number, askedMs: number): boolean {
  return evidence.some(
    ({ answer, sentMs }) =>
      answer === 'accepted' && sentMs > refusedMs && sentMs < refusedMs + askedMs,
  )
}

/** The longest that a refusal of the group asks for: each may put off the next acceptance. */
function askedAt(
  evidence: LimitEvidence,
  { firstRefusedMs, lastRefusedMs }: RequestGroup,
): number | null {
  const asked = evidence
    .filter(
      ({ sentMs, receivedMs, answer }) =>
        answer === 'refused' && sentMs <= lastRefusedMs && receivedMs >= firstRefusedMs,
    )
    .flatMap(({ headers }) => retryAfterMicros(headers) ?? [])
  return asked.length === 0 ? null : Math.max(...asked) / MICROS_PER_MS
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
