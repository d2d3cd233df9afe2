/**
 * Counts that headers tell when an answer leaves, and not when its request arrives. Where requests
 * are held back that is much later, and each answer tells what is left at a time of its own.
 */
import { toldIn } from '../headers/promise.ts'
import type { Evidence, Observed } from '../interface.ts'
import { burstsIn, isAccepted } from './bursts.ts'
import { countsOf } from './counts.ts'
import type { Group } from './group.ts'
import { emptyGroup, isOfRequests } from './group.ts'
import type { Timing } from './timing.ts'

/** So often a count has to be larger than the one that came before it in the same burst. */
const LEAST_RISES = 2

/**
 * Where answers tell what is left as they leave, a group without requests for each, at that time.
 * Left out are counts that another request may have changed meanwhile.
 */
export function releasesIn(
  evidence: Evidence,
  key: string,
  timing: Timing,
): ReadonlyMap<Observed, Group> {
  const releases = new Map<Observed, Group>()
  for (const observed of evidence.filter(isAccepted)) {
    const fromMs = Math.max(observed.sentMs, observed.receivedMs - timing.tripMs)
    const { left, restored } = countsOf([observed], key, fromMs)
    if (left === null || mayChange(observed, fromMs, evidence, timing)) continue
    const ms = observed.receivedMs - timing.usualMs / 2
    releases.set(observed, { ...emptyGroup(ms, ms), left, restored })
  }
  return releases
}

/**
 * The same groups, where answers that overtook others on their way back stand in the order in which
 * they left: meanwhile counts only rise. `groups`: in the order of what is known of their times.
 */
export function releasedInOrder(groups: Group[]): Group[] {
  for (let i = 1; i < groups.length; i++) {
    for (let at = i; at > 0 && isOvertaken(groups[at]!, groups[at - 1]!); at--) {
      ;[groups[at - 1], groups[at]] = [groups[at]!, groups[at - 1]!]
    }
  }
  let ms = -Infinity
  return groups.map((group) => {
    if (isOfRequests(group)) return group
    ms = Math.max(ms, group.firstMs)
    return { ...group, firstMs: ms, lastMs: ms }
  })
}

/** Whether the answer of `group` left before that of `before`, and came after it. */
function isOvertaken(group: Group, before: Group): boolean {
  if (isOfRequests(group) || isOfRequests(before)) return false
  return group.left!.count < before.left!.count && group.left!.fromMs < before.left!.toMs
}

/**
 * Whether answers tell what is left as they leave, and were held back: in a burst, counts that are
 * told at arrival only fall, or are in no order.
 */
export function isToldLate(evidence: Evidence, key: string, { orderMs }: Timing): boolean {
  let rises = 0
  for (const burst of burstsIn(evidence)) {
    const counts = burst.filter(isAccepted).toSorted((a, b) => a.receivedMs - b.receivedMs)
    for (const [i, next] of counts.slice(1).entries()) {
      const before = counts[i]!
      if (next.receivedMs - before.receivedMs <= orderMs) continue
      const rise = leftIn(next, key) - leftIn(before, key)
      if (rise < 0) return false
      if (rise > 0) rises++
    }
  }
  return rises >= LEAST_RISES
}

/** NaN where it is not told. */
function leftIn({ headers }: Observed, key: string): number {
  return toldIn(headers).find((told) => told.key === key)?.left ?? NaN
}

/** Whether another request may have arrived between `fromMs` and the answer. */
function mayChange(
  observed: Observed,
  fromMs: number,
  evidence: Evidence,
  { tripMs, serviceMs }: Timing,
): boolean {
  return evidence.some((other) => {
    // What every request takes on its way may be taken for service.
    const byMs = Math.min(other.receivedMs, other.sentMs + tripMs + serviceMs)
    return other !== observed && other.sentMs < observed.receivedMs && byMs > fromMs
  })
}
