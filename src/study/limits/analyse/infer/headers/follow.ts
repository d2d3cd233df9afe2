/**
 * Headers that tell what is left steer the study: few requests show what kind of limit they count,
 * and one burst shows whether it is kept, where it is small enough.
 */
import type { HeaderLie } from '../../../document.ts'
import type { Grouped } from '../evidence/groups.ts'
import { burstOf } from '../evidence/timing.ts'
import type { ExperimentPlan, LimitEvidence, LimiterAnswer } from '../interface.ts'
import { burst } from '../plan/plans.ts'
import type { HeaderCount } from '../evidence/promise.ts'
import { policiesIn, retryAfterMs, countsIn, countOf } from '../evidence/promise.ts'

/** Requests within which a promise is checked: with those for its scope, 60 at most. */
export const MOST_FOLLOWING = 54
/** Requests that are kept for what follows a burst that uses the limit up. */
const KEPT = 12
/** Before anything is followed: what a round trip takes, and whether all answers count. */
const LEAST = 3
/** A burst this much larger than what is left is refused in part, whatever it gains meanwhile. */
const BEYOND = 2
/** Requests of a burst that does not use the limit up, where that would take too many. */
const SAMPLED = 12

/** The limit that is used up first; null where no header says what is left. */
export function followedIn(evidence: LimitEvidence): HeaderCount | null {
  if (evidence.length < LEAST) return null
  const counting = policiesIn(evidence).filter(({ left }) => left !== null)
  return counting.toSorted((a, b) => a.limit - b.limit)[0] ?? null
}

/** A limit that is used up is waited for so long at most, where headers say how long that takes. */
const SOON_MS = 120_000

/** Whether the promised limit is used up by so many requests, and back soon afterwards. */
export function isSoonBack({ limit, windowMs, resetMs }: HeaderCount, most: number): boolean {
  const backMs = Math.max(windowMs ?? 0, resetMs ?? 0)
  return limit <= most && backMs > 0 && backMs <= SOON_MS
}

/** What is refused although headers say that some is left. Null where nothing contradicts them. */
export function contradictionIn(evidence: LimitEvidence): HeaderLie | null {
  for (const { answer, headers } of evidence) {
    if (answer !== 'refused') continue
    const counts = countsIn(headers).filter(({ left }) => left !== null)
    const open = counts.find(({ left }) => left! > 0)
    if (open !== undefined && counts.every(({ left }) => left! > 0)) {
      return { code: 'left', promised: open.left, found: 0 }
    }
  }
  return null
}

/** So many bursts at most look for a refusal: a window may have begun between two counts. */
const BURSTS = 3

/**
 * Null once it has been tried, or where it would take too much that was. `most`: requests that may
 * still be sent.
 */
export function burstPlan(
  { groups, timing }: Grouped,
  { limit, windowMs, left }: HeaderCount,
  nowMs: number,
  most: number,
): ExperimentPlan | null {
  const bursts = groups.filter(({ accepted, refused }) => accepted + refused > 1)
  if (bursts.length === BURSTS || bursts.some(({ refused }) => refused > 0)) return null
  const gained =
    windowMs === null ? 0 : Math.ceil((timing.spreadMs + timing.tripMs) * (limit / windowMs))
  const size = left! + gained + BEYOND
  if (size > most - KEPT && bursts.length > 0) return null
  return burst(nowMs, size <= most - KEPT ? size : SAMPLED)
}

/**
 * So long before the promised time a request is refused: a block that follows it lasts beyond that
 * time, for none that is looked for is shorter. Headers tell whole seconds, so that the limit
 * mostly still holds then.
 */
const BEFORE_MS = 850
/**
 * Where the wait is long, one more is refused this share of it before: a block that is a little
 * shorter than the window still lasts then, and has ended at the other time.
 */
const EARLIER = 0.04
const LEAST_EARLIER_MS = 1_200

/**
 * One request when the target says that one is let in again, or that more is left, and after a
 * refusal one or two shortly before that; null where it has not said, or where that time has
 * passed.
 */
export function promisedPlan(
  evidence: LimitEvidence,
  { timing }: Grouped,
  { key }: HeaderCount,
  { nowMs, most }: { nowMs: number; most: number },
): ExperimentPlan | null {
  const last = evidence.findLast(({ answer }) => answer === 'refused') ?? evidence.at(-1)
  if (last === undefined) return null
  const waitMs = waitIn(last, key)
  if (waitMs === null) return null
  const promisedMs = Math.min(
    last.receivedMs + waitMs,
    ...promisesBefore(evidence, key, last.receivedMs + waitMs),
  )
  const startMs = promisedMs + timing.orderMs
  if (startMs < nowMs) return null
  const beforeMs = most > 1 ? timeBefore(evidence, promisedMs, waitMs) : null
  return burst(beforeMs !== null && beforeMs > nowMs ? beforeMs : startMs, 1)
}

/** Null where it is not said. */
function waitIn(observed: LimiterAnswer, key: string): number | null {
  const askedMs = observed.answer === 'refused' ? retryAfterMs(observed) : null
  return askedMs ?? countOf(observed.headers, key)?.resetMs ?? null
}

/** Headers round up to whole seconds: times that differ by less are the same. */
const ROUNDED_MS = 1_000

/** The times that earlier refusals promise, where they promise the same. */
function promisesBefore(evidence: LimitEvidence, key: string, promisedMs: number): number[] {
  return refusedLast(evidence).flatMap((observed) => {
    const waitMs = waitIn(observed, key)
    const ms = observed.receivedMs + (waitMs ?? Infinity)
    return promisedMs - ms < ROUNDED_MS ? [ms] : []
  })
}

/** Null where no request, or none more, is to be refused before the promised time. */
function timeBefore(evidence: LimitEvidence, promisedMs: number, waitMs: number): number | null {
  const times = new Set(refusedLast(evidence).map(burstOf)).size
  const earlierMs = EARLIER * waitMs
  if (times === 1 && earlierMs > LEAST_EARLIER_MS) return promisedMs - earlierMs
  return times === 1 || times === 2 ? promisedMs - BEFORE_MS : null
}

/** What has been refused since a request was last let in. */
function refusedLast(evidence: LimitEvidence): LimitEvidence {
  const accepted = evidence.findLast(({ answer }) => answer === 'accepted')
  return evidence.filter(
    ({ answer, sentMs }) => answer === 'refused' && sentMs >= (accepted?.sentMs ?? -Infinity),
  )
}

/** The least number of requests that others have sent; 0 where no header counts. */
export function othersIn(evidence: LimitEvidence): number {
  const counting = policiesIn(evidence).filter(
    ({ left, isConcurrent }) => left !== null && !isConcurrent,
  )
  const batches = batchesOf(evidence)
  return Math.max(0, ...counting.map(({ key }) => takenFrom(batches, key)))
}

/** Requests of which one was sent before the answers to all others had come. */
function batchesOf(evidence: LimitEvidence): LimiterAnswer[][] {
  const batches: LimiterAnswer[][] = []
  let endMs = -Infinity
  for (const observed of evidence.toSorted((a, b) => a.sentMs - b.sentMs)) {
    if (observed.sentMs > endMs) batches.push([])
    batches.at(-1)!.push(observed)
    endMs = Math.max(endMs, observed.receivedMs)
  }
  return batches
}

/** A refusal hides how many more were sent, so the count begins anew after it. */
function takenFrom(batches: readonly LimiterAnswer[][], key: string): number {
  let taken = 0
  let before: number | null = null
  for (const batch of batches) {
    const after = batch.some(({ answer }) => answer === 'refused') ? null : leastLeft(batch, key)
    if (before !== null && after !== null) taken += Math.max(0, before - batch.length - after)
    before = after
  }
  return taken
}

/** Null where an answer does not tell. */
function leastLeft(batch: readonly LimiterAnswer[], key: string): number | null {
  const counts = batch.map(({ headers }) => countOf(headers, key)?.left ?? null)
  return counts.includes(null) ? null : Math.min(...counts.map(Number))
}
