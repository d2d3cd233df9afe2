/**
 * Headers that tell what is left steer the study: few requests show what kind of limit they count,
 * and one burst shows whether it is kept, where it is small enough.
 */
import { retryAfterMicros } from '../../../../../crew/retry-after.ts'
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import type { Grouped } from '../evidence/group.ts'
import { burstOf } from '../evidence/timing.ts'
import type { Evidence } from '../interface.ts'
import type { Plan } from '../plan/simulate.ts'
import type { Told } from './promise.ts'
import { policiesIn, toldIn } from './promise.ts'

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

/** The limit that is used up first; null where no header tells what is left. */
export function followedIn(evidence: Evidence): Told | null {
  if (evidence.length < LEAST) return null
  const counting = policiesIn(evidence).filter(({ left }) => left !== null)
  return counting.toSorted((a, b) => a.limit - b.limit)[0] ?? null
}

/** What is refused although headers say that some is left. Null where nothing contradicts them. */
export function contradictionIn(evidence: Evidence): string | null {
  for (const { answer, headers } of evidence) {
    if (answer !== 'refused') continue
    const told = toldIn(headers).filter(({ left }) => left !== null)
    const open = told.find(({ left }) => left! > 0)
    if (open !== undefined && told.every(({ left }) => left! > 0)) {
      return `A request was refused although the headers say that ${open.left} of ${open.limit} are left.`
    }
  }
  return null
}

/** Null once it has been tried. `most`: requests that may still be sent. */
export function burstPlan(
  { groups, timing }: Grouped,
  { limit, windowMs, left }: Told,
  nowMs: number,
  most: number,
): Plan | null {
  if (groups.some(({ accepted, refused }) => accepted + refused > 1)) return null
  const gained =
    windowMs === null ? 0 : Math.ceil((timing.spreadMs + timing.tripMs) * (limit / windowMs))
  const size = left! + gained + BEYOND
  const count = size <= most - KEPT ? size : SAMPLED
  return { startMs: nowMs, steps: [{ afterMs: 0, count, spanMs: 0 }], until: null, isDrain: false }
}

/**
 * So long before, as a share of the wait and at least, a request is refused: a block that follows
 * it would last beyond the promised time. Headers tell whole seconds. A block that is a little
 * shorter than the window still lasts at the first of these times, and not at the second.
 */
const BEFORE = 0.04
const LEAST_BEFORE_MS = 1_200

/**
 * One request when the target says that one is let in again, or that more is left, and after a
 * refusal one or two shortly before that; null where it has not said, or where that time has
 * passed.
 */
export function promisedPlan(
  evidence: Evidence,
  { timing }: Grouped,
  { key }: Told,
  { nowMs, most }: { nowMs: number; most: number },
): Plan | null {
  const last = evidence.findLast(({ answer }) => answer === 'refused') ?? evidence.at(-1)
  if (last === undefined) return null
  const micros = last.answer === 'refused' ? retryAfterMicros(last.headers) : null
  const resetMs = toldIn(last.headers).find((told) => told.key === key)?.resetMs ?? null
  const waitMs = micros === null ? resetMs : micros / MICROS_PER_MS
  if (waitMs === null) return null
  const promisedMs = last.receivedMs + waitMs
  const startMs = promisedMs + timing.orderMs
  if (startMs < nowMs) return null
  const beforeMs = most > 1 ? timeBefore(evidence, promisedMs, waitMs) : null
  return {
    startMs: beforeMs !== null && beforeMs > nowMs ? beforeMs : startMs,
    steps: [{ afterMs: 0, count: 1, spanMs: 0 }],
    until: null,
    isDrain: false,
  }
}

/** Null where no request, or none more, is to be refused before the promised time. */
function timeBefore(evidence: Evidence, promisedMs: number, waitMs: number): number | null {
  switch (timesRefused(evidence)) {
    case 1:
      return promisedMs - Math.max(LEAST_BEFORE_MS, BEFORE * waitMs)
    case 2:
      return promisedMs - LEAST_BEFORE_MS
    default:
      return null
  }
}

/** How often requests were refused, a burst counting once, since one was last let in. */
function timesRefused(evidence: Evidence): number {
  const accepted = evidence.findLast(({ answer }) => answer === 'accepted')
  const refused = evidence.filter(
    ({ answer, sentMs }) => answer === 'refused' && sentMs >= (accepted?.sentMs ?? -Infinity),
  )
  return new Set(refused.map(burstOf)).size
}
