/** Why no kind is named, or not without reserve. */
import { lastWhere } from '../../../../result/statistics/shares.ts'
import type { RateLimit } from '../../document.ts'
import type { Belief } from './belief.ts'
import type { LimitEvidence, LimiterAnswer } from './interface.ts'
import type { LimitCaveat } from '../../sentences/reasons.ts'

/** An explanation that misses more of the groups than this is none. */
const MISSES_ALLOWED = 2
const MISSES_SHARE = 0.02
export function missesAllowed(groups: number): number {
  return Math.max(MISSES_ALLOWED, MISSES_SHARE * groups)
}

/** Why the best explanation is not to be named at all; null when it may be. */
export function caveatOf(
  belief: Belief,
  rateLimit: RateLimit,
  evidence: LimitEvidence,
): LimitCaveat | null {
  return misfitCaveat(belief) ?? jitterIn(belief) ?? atOnceIn(belief, rateLimit, evidence)
}

/** Why the best explanation is none; null where it explains the answers. */
export function misfitCaveat({ weighed: [best], grouped, isNoChance }: Belief): LimitCaveat | null {
  if (best === undefined) return null
  if (best.best.misses > missesAllowed(grouped.groups.length)) return { code: 'no-limiter' }
  return isNoChance ? null : { code: 'chance' }
}

/** Share of a window: if arrivals are known no better than this, lateness is part of its length. */
const LATE_SHARE = 0.03
/** The same for what exceeds the usual error of an arrival by so many standard deviations. */
const UNUSUAL_SHARE = 0.02
const USUAL = 3

/** Why a window is not known that round trips are too long for; null where they are not. */
export function latenessOf({ grouped }: Belief, { windowMs }: RateLimit): LimitCaveat | null {
  const { lateMs, timing } = grouped
  if (windowMs === null) return null
  const unusualMs = lateMs - USUAL * timing.sigmaMs
  const isLate = lateMs > LATE_SHARE * windowMs.value
  if (!isLate && unusualMs <= UNUSUAL_SHARE * windowMs.value) return null
  return { code: 'late', tripMs: 2 * lateMs, windowMs: windowMs.value }
}

/** Multiples of a burst's spread: what comes back within this time comes within the jitter. */
const HELD_SPREADS = 2
const TOKEN_SPREADS = 0.5

function jitterIn({ weighed: [best], grouped }: Belief): LimitCaveat | null {
  // Headers may say which of the two it is.
  if (best === undefined || grouped.promise?.isConcurrent === true) return null
  const { longServiceMs, spreadMs } = grouped.timing
  const { kind } = best.pool.hypothesis
  const isHidden =
    (kind === 'concurrency' && longServiceMs < HELD_SPREADS * spreadMs) ||
    (kind === 'token-bucket' && best.best.parameters.windowMs < TOKEN_SPREADS * spreadMs)
  return isHidden ? { code: 'jitter' } : null
}

const NO_RATE: ReadonlySet<RateLimit['kind']> = new Set(['none', 'unknown', 'concurrency'])

/** Why no rate is named: a limit of how many are in flight may refuse the same requests. */
function atOnceIn(
  { grouped }: Belief,
  { kind, delaying }: RateLimit,
  evidence: LimitEvidence,
): LimitCaveat | null {
  // Headers that are followed count requests over a time, and a queue that serves one after the
  // other is both: it is known by its rate.
  if (NO_RATE.has(kind) || grouped.promise !== null || delaying) return null
  const limit = mostAtOnce(evidence)
  return limit === null ? null : { code: 'at-once', limit }
}

/** A rate or a window with a wider interval than this share of it is no answer. */
const WIDEST = 0.25

/** Why the kind is not enough of an answer; null where rate or window are known well enough. */
export function loosenessOf({ ratePerSecond, windowMs }: RateLimit): LimitCaveat | null {
  const estimate = ratePerSecond ?? windowMs
  if (estimate === null) return null
  const { value, low, high } = estimate
  if (high - low <= WIDEST * value) return null
  return { code: 'loose', what: ratePerSecond === null ? 'window' : 'rate', low, high }
}

/**
 * Why the best explanation is named with reserve: a limiter that nobody else uses explains every
 * answer within the jitter. Null where it does.
 */
export function surpriseOf({ weighed, isUnlikely }: Belief): LimitCaveat | null {
  const times = weighed[0]?.best.misses ?? 0
  if (times > 0) return { code: 'contradicted', times }
  return isUnlikely ? { code: 'poor-fit' } : null
}

/** For this share of its trip, at either end, a request may not be at the target. */
const EDGE = 0.15
/** This share of the refused must have met as many: ways differ, and a few may not have. */
const EXPLAINED = 0.9

/**
 * Whether a limit of how many requests are in flight at once explains the answers, if each request
 * counts from when it was sent until its answer comes. What a target takes for every answer, also
 * for a refusal, cannot be told from the way to it: such a limit looks like none that is known.
 *
 * The limit, in requests; null where there is none. As many as were let in were in flight together,
 * and the refused met as many.
 */
export function mostAtOnce(evidence: LimitEvidence): number | null {
  const accepted = evidence.filter(({ answer }) => answer === 'accepted')
  const refused = evidence.filter(({ answer }) => answer === 'refused')
  const sent = sorted(accepted.map(({ sentMs }) => sentMs))
  const received = sorted(accepted.map(({ receivedMs }) => receivedMs))
  const met = refused.map(
    (one) => countUpTo(sent, one.sentMs + edgeMs(one)) - countUpTo(received, one.sentMs),
  )
  const limit = togetherIn(accepted)
  const explained = met.filter((count) => count >= limit).length
  // One that met none at all was refused by something else.
  const isPossible = limit > 0 && !met.includes(0) && explained >= EXPLAINED * met.length
  return isPossible && met.length > 0 ? limit : null
}

/** The most that were in flight together, surely. */
function togetherIn(accepted: LimitEvidence): number {
  const begins = sorted(accepted.map((one) => one.sentMs + edgeMs(one)))
  const ends = sorted(accepted.map((one) => one.receivedMs - edgeMs(one)))
  return begins.reduce((most, ms, i) => Math.max(most, i + 1 - countUpTo(ends, ms)), 0)
}

function edgeMs({ sentMs, receivedMs }: LimiterAnswer): number {
  return EDGE * (receivedMs - sentMs)
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

/** How many of the sorted values are no larger. */
function countUpTo(values: readonly number[], value: number): number {
  return lastWhere(0, values.length + 1, (count) => values[count - 1]! <= value)
}
