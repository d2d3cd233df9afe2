/** Why no kind is named, or not without reserve, and what would settle it. */
import { unreachable } from '../../../../base/assert.ts'
import { formatMs, formatValue, plural } from '../../../../report/frame/format.ts'
import type { Belief } from './belief.ts'
import type { Conclusion, LimitEvidence, InferredLimit, Observed } from './interface.ts'

/** An explanation that misses more of the groups than this is none. */
const MISSES_ALLOWED = 2
const MISSES_SHARE = 0.02
export function missesAllowed(groups: number): number {
  return Math.max(MISSES_ALLOWED, MISSES_SHARE * groups)
}

/** Multiples of a burst's spread: what comes back within this time comes within the jitter. */
const HELD_SPREADS = 2
const TOKEN_SPREADS = 0.5

const SHARED = 'another client may use the same one. Use a token that nobody else uses.'
const LESS_JITTER = 'Use a network with less jitter.'

/** Why the best explanation is not to be named at all; null when it may be. */
export function doubtOf(
  belief: Belief,
  finding: InferredLimit,
  evidence: LimitEvidence,
): string | null {
  return misfitOf(belief) ?? hiddenIn(belief) ?? atOnceIn(belief, finding, evidence)
}

/** Why the best explanation is none; null where it explains the answers. */
export function misfitOf(belief: Belief): string | null {
  const best = belief.weighed[0]
  if (best === undefined) return null
  if (best.best.misses > missesAllowed(belief.grouped.groups.length)) {
    return `No single limiter explains the answers: ${SHARED}`
  }
  if (!belief.isNoChance) {
    return `Refusals at random explain the answers almost as well as a limiter: ${SHARED}`
  }
  return null
}

/** Share of a window: if arrivals are known no better than this, lateness is part of its length. */
const LATE_SHARE = 0.03
/** The same for what exceeds the usual error of an arrival by so many standard deviations. */
const UNUSUAL_SHARE = 0.02
const USUAL = 3

/** Why a window is not known that round trips are too long for; null where they are not. */
export function latenessOf({ grouped }: Belief, { windowMs }: InferredLimit): string | null {
  const { lateMs, timing } = grouped
  if (windowMs === null) return null
  const unusualMs = lateMs - USUAL * timing.sigmaMs
  const isLate = lateMs > LATE_SHARE * windowMs.value
  if (!isLate && unusualMs <= UNUSUAL_SHARE * windowMs.value) return null
  return (
    `One round trip in ten took ${Math.round(2 * lateMs)} ms or longer, too long to measure a ` +
    `window of ${Math.round(windowMs.value)} ms. Use a quieter machine, nearer to the target.`
  )
}

function hiddenIn(belief: Belief): string | null {
  const best = belief.weighed[0]
  // Headers may say which of the two it is.
  if (best === undefined || belief.grouped.promise?.isConcurrent === true) return null
  const { longServiceMs, spreadMs } = belief.grouped.timing
  const { kind } = best.pool.hypothesis
  const isHidden =
    (kind === 'concurrency' && longServiceMs < HELD_SPREADS * spreadMs) ||
    (kind === 'token-bucket' && best.best.parameters.windowMs < TOKEN_SPREADS * spreadMs)
  return isHidden
    ? `Within this jitter, a limit of concurrency and a fast bucket look the same. ${LESS_JITTER}`
    : null
}

const NO_RATE: ReadonlySet<InferredLimit['kind']> = new Set(['none', 'unknown', 'concurrency'])

/** Why no rate is named: a limit of how many are in flight may refuse the same requests. */
function atOnceIn(
  { grouped }: Belief,
  finding: InferredLimit,
  evidence: LimitEvidence,
): string | null {
  if (NO_RATE.has(finding.kind)) return null
  // Headers that are followed count requests over a time, and a queue that serves one after the
  // other is both: it is told by its rate.
  if (grouped.promise !== null || finding.delaying) return null
  const most = mostAtOnce(evidence)
  if (most === null) return null
  return (
    `A limit of ${plural(most, 'request')} in flight at once explains the answers as well. ` +
    LESS_JITTER
  )
}

/** A rate or a window with a wider interval than this share of it is no answer. */
const WIDEST = 0.25

/** Why the kind is not enough of an answer; null where rate or window are known well enough. */
export function loosenessOf({ ratePerSecond, windowMs }: InferredLimit): string | null {
  const [name, words, estimate] =
    ratePerSecond === null
      ? ['window', formatMs, windowMs]
      : ['rate', (rate: number) => `${formatValue(rate, 'ratio')}/s`, ratePerSecond]
  if (estimate === null) return null
  const { value, low, high } = estimate
  if (high - low <= WIDEST * value) return null
  return `The ${name} is known as ${words(low)} to ${words(high)} only. ${LESS_JITTER}`
}

/**
 * Why the best explanation is named with reserve: a limiter that nobody else uses explains every
 * answer within the jitter. Null where it does.
 */
export function surpriseOf({ weighed, isUnlikely }: Belief): string | null {
  const misses = weighed[0]?.best.misses ?? 0
  if (misses === 0) return isUnlikely ? `The answers fit this limit poorly: ${SHARED}` : null
  const times = misses === 1 ? 'once' : `${misses} times`
  return `The answers contradict this limit ${times}, by more than the jitter: ${SHARED}`
}

export function reasonsFor(
  outcome: Conclusion['outcome'],
  finding: Pick<InferredLimit, 'kind' | 'runnerUp'>,
  requests: number,
  isFollowed: boolean,
): string[] {
  const rivals = rivalsIn(finding)
  switch (outcome) {
    case 'settled':
      return []
    case 'budget-spent': {
      const sent = plural(requests, 'request')
      if (isFollowed) return [`${sent} do not ${rivals}; --ignore-headers spends more.`]
      if (finding.kind === 'none') return [`${sent} met no limit; more may meet one.`]
      return [`${sent} ${requests === 1 ? 'does' : 'do'} not ${rivals}; more would.`]
    }
    case 'cannot-tell':
      return [`No experiment that fits in the budget can ${rivals}.`]
    case 'blocked':
      return ['Requests are still refused; the limit has not let any in again.']
    case 'target-fails':
      return ['Too many requests fail without being refused to infer a limit.']
    default:
      return unreachable(outcome)
  }
}

/** The same where nothing more can be sent. */
export function recordedReasonsFor(
  outcome: Conclusion['outcome'],
  finding: Pick<InferredLimit, 'kind' | 'runnerUp'>,
): string[] {
  switch (outcome) {
    case 'settled':
      return []
    case 'budget-spent':
    case 'cannot-tell':
      return [`The recorded requests do not ${rivalsIn(finding)}.`]
    case 'blocked':
      return ['No recorded request was let in after the first refusal.']
    case 'target-fails':
      return ['Too many recorded requests failed without being refused to infer a limit.']
    default:
      return unreachable(outcome)
  }
}

/** `tell a fixed window from a sliding log`. */
function rivalsIn({ kind, runnerUp }: Pick<InferredLimit, 'kind' | 'runnerUp'>): string {
  if (runnerUp === null) return `confirm ${named(kind)}`
  return `tell ${named(kind)} from ${named(runnerUp.kind)}`
}

/** `a fixed window`. */
function named(kind: InferredLimit['kind']): string {
  if (kind === 'none') return 'no limit'
  if (kind === 'concurrency') return 'a limit of concurrency'
  return kind === 'unknown' ? 'refusals at random' : `a ${kind.replace('-', ' ')}`
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

function edgeMs({ sentMs, receivedMs }: Observed): number {
  return EDGE * (receivedMs - sentMs)
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

/** How many of the sorted values are no larger. */
function countUpTo(values: readonly number[], value: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}
