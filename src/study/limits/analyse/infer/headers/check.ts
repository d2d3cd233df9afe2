/** Whether experiments bear out what the headers promise. */
import { parseHttpDate } from '../../../../../crew/header-times.ts'
import type { HeaderLie, ParameterEstimate, RateLimit } from '../../../document.ts'
import type { Belief } from '../belief.ts'
import type { RequestGroup } from '../evidence/groups.ts'
import type { Conclusion, LimitEvidence } from '../interface.ts'
import { advanceModel } from '../search/replay.ts'
import { contradictionIn } from './follow.ts'
import { policiesIn, retryAfterMs } from '../evidence/promise.ts'

/** Seconds are whole: a promise may be off by one, and by this share. */
const ROUNDED_MS = 1_000
/** A date is rounded up, and the `Date` that it is counted from down. */
const DATED_MS = 2 * ROUNDED_MS
const SHARE = 0.05
/** So much longer than needed, beyond rounding, is too long a wait. */
const TOO_LONG = 1.5

interface CheckedHeaders {
  evidence: LimitEvidence
  belief: Belief
  /** Of requests that were no experiments. */
  isRecorded: boolean
}

/** Null where no header speaks of limits. Nothing is checked before the limiter is known. */
export function headersOf(
  { evidence, belief, isRecorded }: CheckedHeaders,
  rateLimit: RateLimit,
  isSettled: boolean,
): Conclusion['headers'] {
  const promised = policiesIn(evidence).toSorted((a, b) => a.limit - b.limit)[0] ?? null
  const asksToWait = evidence.some((one) => one.answer === 'refused' && retryAfterMs(one) !== null)
  if (promised === null && !asksToWait) return null
  const wait = isRecorded ? RECORDED_WAIT : 'Retry-After'
  const { dialect = wait, limit = null, windowMs = null } = promised ?? {}
  const isChecked = isSettled && rateLimit.kind !== 'none'
  const found = isChecked
    ? [limitLie(limit, rateLimit), windowLie(windowMs, rateLimit), waitLie(evidence, belief)]
    : []
  const lies = [contradictionIn(evidence), ...found].filter((each) => each !== null)
  const usedUp = evidence.some(({ answer }) => answer === 'refused')
  const truthful = lies.length > 0 ? false : isChecked && usedUp ? true : null
  return { dialect, limit, windowMs, truthful, usedUp, lies }
}

/** Of a recorded wait it is not known which header asked for it. */
const RECORDED_WAIT = 'Retry-After or a used-up quota'

function limitLie(
  promised: number | null,
  { limit, capacity, concurrency }: RateLimit,
): HeaderLie | null {
  const found = limit ?? capacity ?? concurrency
  if (promised === null || found === null) return null
  if (promised >= found.low && promised <= found.high) return null
  return { code: 'limit', promised, found: found.value }
}

function windowLie(promised: number | null, rateLimit: RateLimit): HeaderLie | null {
  const found = windowOf(rateLimit)
  if (promised === null || found === null) return null
  const low = found.low * (1 - SHARE) - ROUNDED_MS
  const high = found.high * (1 + SHARE) + ROUNDED_MS
  if (promised >= low && promised <= high) return null
  return { code: 'window', promised, found: found.value }
}

/** The window; for a bucket, the time in which it fills. */
function windowOf({ windowMs, capacity, ratePerSecond }: RateLimit): ParameterEstimate | null {
  if (windowMs !== null || capacity === null || ratePerSecond === null) return windowMs
  return {
    value: (capacity.value / ratePerSecond.value) * 1_000,
    low: (capacity.low / ratePerSecond.high) * 1_000,
    high: (capacity.high / ratePerSecond.low) * 1_000,
  }
}

/** `Retry-After` of single refused requests, beside what the best explanation says. */
function waitLie(evidence: LimitEvidence, belief: Belief): HeaderLie | null {
  const { groups, timing, promise } = belief.grouped
  const { pool, best } = belief.weighed[0]!
  const model = pool.hypothesis.model(best.parameters, timing.sigmaMs)
  const state = model.fresh()
  const roundedMs = tellsDates(evidence) ? DATED_MS : ROUNDED_MS
  let short = 0
  let long = 0
  let of = 0
  for (const group of groups) {
    advanceModel(model, state, group, promise)
    const askedMs = group.refused > 0 ? askedAt(evidence, group) : null
    const neededMs = model.timeOf(state, 1, group) - group.lastRefusedMs
    if (askedMs === null || !Number.isFinite(neededMs) || neededMs <= 0) continue
    of++
    if (askedMs < neededMs * (1 - SHARE) - 4 * timing.sigmaMs) short++
    const isLong = askedMs > neededMs * TOO_LONG + roundedMs
    if (isLong && isLetInBefore(evidence, group.lastRefusedMs, askedMs)) long++
  }
  const code = short > of / 2 ? 'wait-short' : long > of / 2 ? 'wait-long' : null
  return code === null ? null : { code, promised: null, found: null }
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
    .flatMap((one) => retryAfterMs(one) ?? [])
  return asked.length === 0 ? null : Math.max(...asked)
}
