/**
 * What headers count: how many requests are left after each answer. A count says as much as a burst
 * that uses the limit up, and costs one request.
 */
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import { retryAfterMicros } from '../../../../../crew/retry-after.ts'
import { toldIn } from '../headers/promise.ts'
import type { Evidence, Observed } from '../interface.ts'
import type { Group, Grouped, Left, Restored } from './group.ts'
import { emptyGroup, isOfRequests } from './group.ts'

/** Whole seconds are rounded, in either direction, and a date may be a second old. */
const ROUNDED_EARLY_MS = 2_000
const ROUNDED_LATE_MS = 1_000
const SECOND = 1_000

/**
 * What the answers of a group tell of the limit with this key, after the last of its requests: by
 * the least count, which was written at `fromMs` or later, by default when the last was sent.
 */
export function countsOf(
  members: Evidence,
  key: string,
  fromMs = Math.max(...members.map(({ sentMs }) => sentMs)),
): Pick<Group, 'left' | 'restored'> {
  let left: Left | null = null
  let restored: Restored | null = null
  let least = Infinity
  for (const observed of members) {
    const told = toldIn(observed.headers).find((each) => each.key === key)
    const isRefused = observed.answer === 'refused'
    const count = isRefused ? -1 : (told?.left ?? Infinity)
    if (count > least || count === Infinity) continue
    least = count
    const nextMs = isRefused ? retryAfterMs(observed) : null
    const waitMs = nextMs ?? told?.resetMs ?? null
    if (waitMs !== null && waitMs > 0) {
      const isExact = nextMs === null ? told!.isResetExact : !Number.isInteger(nextMs / SECOND)
      restored = { ...restoredAfter(waitMs, observed, isExact), isNext: nextMs !== null }
    }
    left = isRefused ? null : { count, fromMs, toMs: observed.receivedMs }
  }
  return { left, restored }
}

function restoredAfter(
  waitMs: number,
  { sentMs, receivedMs }: Observed,
  isExact: boolean,
): Omit<Restored, 'isNext'> {
  const [earlyMs, lateMs] = isExact ? [0, 0] : [ROUNDED_EARLY_MS, ROUNDED_LATE_MS]
  return { fromMs: sentMs + waitMs - earlyMs, toMs: receivedMs + waitMs + lateMs }
}

function retryAfterMs({ headers }: Observed): number | null {
  const micros = retryAfterMicros(headers)
  return micros === null ? null : micros / MICROS_PER_MS
}

export function promiseOf(evidence: Evidence, key: string): Grouped['promise'] {
  const all = evidence.flatMap(({ headers }) => toldIn(headers).filter((told) => told.key === key))
  const last = all.at(-1)
  if (last === undefined) return null
  const { limit, windowMs, isConcurrent } = last
  const resets = all.flatMap(({ resetMs }) => (resetMs === null || resetMs === 0 ? [] : [resetMs]))
  const timesMs = [...(windowMs === null ? [] : [windowMs]), Math.max(0, ...resets)]
  return { limit, timesMs: timesMs.filter((ms) => ms > 0), isConcurrent }
}

/**
 * Time alone restores what is left, so what a count has lost beyond this client's own requests was
 * taken by others: they stand as groups of their own. Counts that another group may have changed
 * before they were written are left out.
 */
export function withOthers(
  groups: readonly Group[],
  limit: number,
): Pick<Grouped, 'groups' | 'others'> {
  const all: Group[] = []
  let left = limit
  let fromMs = -Infinity
  let others = 0
  for (const [i, group] of groups.entries()) {
    const next = groups.find((each, at) => at > i && isOfRequests(each))
    if (next !== undefined && group.left !== null && next.firstMs < group.left.toMs) {
      group.left = null
      if (group.refused === 0) group.restored = null
    }
    if (group.left !== null) {
      const taken = left - group.accepted - group.left.count
      if (taken > 0) {
        const atMs = fromMs === -Infinity ? group.firstMs - 1 : (fromMs + group.firstMs) / 2
        all.push(strangers(taken, atMs))
        if (i > 0) others += taken
      }
    }
    all.push(group)
    left = group.refused > 0 ? 0 : (group.left?.count ?? Math.max(0, left - group.accepted))
    fromMs = group.lastMs
  }
  return { groups: all, others }
}

function strangers(count: number, atMs: number): Group {
  return { ...emptyGroup(atMs, atMs), accepted: count, lastAcceptedMs: atMs, isOthers: true }
}
