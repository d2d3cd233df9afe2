/**
 * Evidence as groups: requests that arrived so close together that their order cannot be known. A
 * group's answers are known by number alone, since nothing says which of its requests came first.
 */
import type { DelayTurn, GroupTiming, Arrived } from './timing.ts'
import type { LimitEvidence, LimiterAnswer } from '../interface.ts'
import {
  delayTurnOf,
  arrivedWhen,
  leaveMs,
  quantile,
  timingOf,
  burstOf,
  burstsIn,
  isAccepted,
} from './timing.ts'
import { retryAfterMs, countOf } from './promise.ts'

export interface RequestGroup {
  /** Best guesses of the first and the last arrival. */
  firstMs: number
  lastMs: number
  /** How far its arrivals may be off beyond the usual error: a trip was that much longer. */
  errorMs: number
  accepted: number
  refused: number
  /** -Infinity where there is none. */
  lastAcceptedMs: number
  firstRefusedMs: number
  lastRefusedMs: number
  /** Best estimates of when the accepted requests arrived, in order; empty for a planned group. */
  arrivalsMs: readonly number[]
  /** When the first was sent; -Infinity for a group of a plan. */
  sentMs: number
  /** When the accepted ones left, in order of time. */
  leavesMs: readonly number[]
  /** When the answers to them had come, in order of time; none are known of a plan. */
  receivedMs: readonly number[]
  /** What headers say is left after it; null where none are followed. */
  left: Left | null
  /** When headers say that more is let in; null where none are followed. */
  restored: Restored | null
  /** Whether it stands for requests that another client has sent. */
  isOthers: boolean
}

/** How many requests more would be let in, as of some time from `fromMs` to `toMs`. */
export interface Left {
  count: number
  fromMs: number
  toMs: number
}

/** A time at which more will be left, or all of the limit: dialects differ, and round. */
interface Restored {
  fromMs: number
  toMs: number
  /** Whether Retry-After says it, which should be when the next request is let in. */
  isNext: boolean
}

export interface Grouped {
  groups: readonly RequestGroup[]
  timing: GroupTiming
  /** Null when requests are not answered in turn. */
  turn: DelayTurn | null
  /** By how much arrivals may be off, to either side: nine of ten are known better. */
  lateMs: number
  /** Number of the first group that got through after a refusal. */
  settled: number
  /** Requests that headers count and this client has not sent. */
  others: number
  /**
   * The limit that headers promise, the times that they tell, and whether they call it one of
   * requests in flight, where they are followed.
   */
  promise: { limit: number; timesMs: readonly number[]; isConcurrent: boolean } | null
}

/** Whether requests are in it, of whomever: else it only says what is left at a time. */
export function hasRequests({ accepted, refused }: RequestGroup): boolean {
  return accepted + refused > 0
}

const NONE: readonly number[] = []

export function emptyGroup(firstMs: number, lastMs: number): RequestGroup {
  return {
    firstMs,
    lastMs,
    errorMs: 0,
    accepted: 0,
    refused: 0,
    lastAcceptedMs: -Infinity,
    firstRefusedMs: -Infinity,
    lastRefusedMs: -Infinity,
    arrivalsMs: NONE,
    sentMs: -Infinity,
    leavesMs: NONE,
    receivedMs: NONE,
    left: null,
    restored: null,
    isOthers: false,
  }
}

const NO_RELEASES: ReadonlyMap<LimiterAnswer, RequestGroup> = new Map()

/** An arrival is known as well as those of this share of all requests, at least. */
const LATE = 0.9

/**
 * `followed`: the key of the limit whose count in headers is believed; null for none. No group is
 * longer than `longestMs`.
 */
export function groupsOf(
  evidence: LimitEvidence,
  followed: string | null = null,
  longestMs = Infinity,
): Grouped {
  const timing = timingOf(evidence)
  const isLate = followed !== null && isToldLate(evidence, followed, timing)
  const turn = delayTurnOf(evidence, timing, isLate)
  const arrivals = evidence
    .filter(({ answer }) => answer !== 'failed')
    .map((observed): Arrival => {
      const mostHeldMs = isLate ? Infinity : heldMs(observed, turn)
      const { ms, errorMs, halfMs } = arrivedWhen(observed, timing, mostHeldMs)
      return { observed, ms, errorMs, halfMs }
    })
    .sort((a, b) => a.ms - b.ms)
  const halves = arrivals.map(({ halfMs }) => halfMs).sort((a, b) => a - b)
  const batches = batchesOf(arrivals, timing, longestMs)
  const plain = batches.map((members) => groupOf(members, timing))
  const releases = isLate ? releasesIn(evidence, followed, timing) : NO_RELEASES
  const groups = followed === null ? plain : counting(plain, batches, followed, releases)
  const promise = followed === null ? null : promiseOf(evidence, followed)
  const counted = promise === null ? { groups, others: 0 } : withOthers(groups, promise.limit)
  const settled = settledFrom(counted.groups)
  return { ...counted, timing, turn, settled, promise, lateMs: quantile(halves, LATE) }
}

/** With what headers count: of the group that a count is of, or by itself. */
function counting(
  groups: readonly RequestGroup[],
  batches: readonly (readonly Arrival[])[],
  followed: string,
  releases: ReadonlyMap<LimiterAnswer, RequestGroup>,
): RequestGroup[] {
  const counted = groups.map((group, i) => {
    const members = batches[i]!.map(({ observed }) => observed)
    const own = members.filter((observed) => !releases.has(observed))
    return { ...group, ...countsOf(own, followed) }
  })
  // What was sent once an answer had come arrived after that answer had left.
  return releasedInOrder([...releases.values(), ...counted].sort((a, b) => knownMs(a) - knownMs(b)))
}

function knownMs({ sentMs, left }: RequestGroup): number {
  return sentMs === -Infinity ? left!.toMs : sentMs
}

function batchesOf(
  arrivals: readonly Arrival[],
  timing: GroupTiming,
  longestMs: number,
): (readonly Arrival[])[] {
  const batches: Arrival[][] = []
  for (const arrival of arrivals) {
    const members = batches.at(-1)
    const isLong = members !== undefined && arrival.ms - members[0]!.ms > longestMs
    if (members === undefined || isLong || isAfter(arrival, members, timing)) {
      batches.push([arrival])
    } else {
      members.push(arrival)
    }
  }
  return batches
}

function heldMs({ answer }: LimiterAnswer, turn: DelayTurn | null): number {
  return turn !== null && answer === 'accepted' ? turn.longestMs : 0
}

/** Whether it surely arrived after all of them. */
function isAfter(arrival: Arrival, members: readonly Arrival[], { orderMs }: GroupTiming): boolean {
  if (members.every(({ observed }) => observed.receivedMs <= arrival.observed.sentMs)) return true
  const apartMs = arrival.ms - members.at(-1)!.ms
  if (apartMs <= orderMs) return false
  const errorMs = arrival.errorMs + Math.max(...members.map((member) => member.errorMs))
  return apartMs > orderMs + errorMs
}

/** Recorded traffic is explained from this long before the first refusal. */
const BEFORE_MS = 120_000
const LEAST_AFTER_MS = 10_000
const MOST_AFTER_MS = 600_000
/** Longer stretches of steady traffic are cut, into about as many groups as can be explained. */
const LONGEST_MS = 60
const MOST_GROUPS = 700

/**
 * Order within a group is unknown, and seldom matters to a limit that is met again and again. The
 * stretch ends when a request was let in after a refused one for the last of so many `returns`.
 */
export function recordedGroups(recorded: LimitEvidence, returns: number): Grouped {
  const refusedMs = recorded.find(({ answer }) => answer === 'refused')?.sentMs ?? 0
  const letIn = recorded.filter(
    ({ answer }, i) => answer === 'accepted' && recorded[i - 1]?.answer === 'refused',
  )
  const returnedMs = letIn[returns]?.sentMs ?? Infinity
  const afterMs = Math.min(MOST_AFTER_MS, Math.max(LEAST_AFTER_MS, returnedMs - refusedMs))
  const endMs = quietFrom(recorded, refusedMs + afterMs)
  const part = recorded.filter(({ sentMs }) => sentMs > refusedMs - BEFORE_MS && sentMs < endMs)
  const spanMs = part.at(-1)!.sentMs - part[0]!.sentMs
  return groupsOf(part, null, Math.max(LONGEST_MS, spanMs / MOST_GROUPS))
}

/** A pause in the traffic is looked for among so many requests. */
const MOST_TRIED = 1_000

/**
 * From then on, the first time at which nothing is in flight: a request that is left out may have
 * used what a later one lacked. `ms` itself where traffic does not pause.
 */
function quietFrom(recorded: LimitEvidence, ms: number): number {
  const from = recorded.findIndex(({ sentMs }) => sentMs >= ms)
  if (from === -1) return ms
  let busyMs = recorded.slice(0, from).reduce((most, one) => Math.max(most, one.receivedMs), 0)
  for (const { sentMs, receivedMs } of recorded.slice(from, from + MOST_TRIED)) {
    if (sentMs > busyMs) return sentMs
    busyMs = Math.max(busyMs, receivedMs)
  }
  return ms
}

/** Infinity when none has. */
function settledFrom(groups: readonly RequestGroup[]): number {
  const refused = groups.findIndex((group) => group.refused > 0)
  const next = groups.findIndex((group, i) => i > refused && group.accepted > 0)
  return refused === -1 || next === -1 ? Infinity : next
}

interface Arrival extends Arrived {
  observed: LimiterAnswer
}

function groupOf(members: readonly Arrival[], timing: GroupTiming): RequestGroup {
  const group = emptyGroup(members[0]!.ms, members.at(-1)!.ms)
  const leaves: number[] = []
  const received: number[] = []
  const arrivals: number[] = []
  group.sentMs = Math.min(...members.map(({ observed }) => observed.sentMs))
  for (const arrival of members) {
    const { observed, ms } = arrival
    group.errorMs = Math.max(group.errorMs, arrival.errorMs)
    if (observed.answer === 'accepted') {
      group.accepted++
      group.lastAcceptedMs = ms
      arrivals.push(ms)
      leaves.push(leaveMs(observed, arrival))
      received.push(observed.receivedMs)
    } else {
      group.refused++
      if (group.firstRefusedMs === -Infinity) group.firstRefusedMs = ms
      group.lastRefusedMs = ms
    }
  }
  group.arrivalsMs = arrivals
  group.leavesMs = leaves.sort((a, b) => a - b)
  group.receivedMs = received.sort((a, b) => a - b)
  if (isBurst(members)) spreadOut(group, members, timing)
  return group
}

/** Fewer requests say little about how far they spread. */
const LEAST_BURST = 4

function isBurst(members: readonly Arrival[]): boolean {
  const burst = burstOf(members[0]!.observed)
  return (
    members.length >= LEAST_BURST && members.every(({ observed }) => burstOf(observed) === burst)
  )
}

/**
 * Guesses of single arrivals lie closer together than the arrivals: the outermost of `n` that are
 * spread evenly are expected `(n - 1) / (n + 1)` of the whole apart.
 */
function spreadOut(
  group: RequestGroup,
  members: readonly Arrival[],
  { spreadMs }: GroupTiming,
): void {
  const middle = members.reduce((sum, { ms }) => sum + ms, 0) / members.length
  const half = (count: number): number => (spreadMs / 2) * ((count - 1) / (count + 1))
  const { accepted, refused } = group
  group.firstMs = Math.min(group.firstMs, Math.max(group.sentMs, middle - half(members.length)))
  group.lastMs = Math.max(group.lastMs, middle + half(members.length))
  if (accepted > 1) group.lastAcceptedMs = Math.max(group.lastAcceptedMs, middle + half(accepted))
  if (refused > 1) group.lastRefusedMs = Math.max(group.lastRefusedMs, middle + half(refused))
}

/** So often a count has to be larger than the one that came before it in the same burst. */
const LEAST_RISES = 2

/**
 * Counts that headers give when an answer leaves, and not when its request arrives. Where requests
 * are held back that is much later, and each answer says what is left at a time of its own.
 *
 * Where answers say what is left as they leave, a group without requests for each, at that time.
 * Left out are counts that another request may have changed meanwhile.
 */
function releasesIn(
  evidence: LimitEvidence,
  key: string,
  timing: GroupTiming,
): ReadonlyMap<LimiterAnswer, RequestGroup> {
  const releases = new Map<LimiterAnswer, RequestGroup>()
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
function releasedInOrder(groups: RequestGroup[]): RequestGroup[] {
  for (let i = 1; i < groups.length; i++) {
    for (let at = i; at > 0 && isOvertaken(groups[at]!, groups[at - 1]!); at--) {
      ;[groups[at - 1], groups[at]] = [groups[at]!, groups[at - 1]!]
    }
  }
  let ms = -Infinity
  return groups.map((group) => {
    if (hasRequests(group)) return group
    ms = Math.max(ms, group.firstMs)
    return { ...group, firstMs: ms, lastMs: ms }
  })
}

/** Whether the answer of `group` left before that of `before`, and came after it. */
function isOvertaken(group: RequestGroup, before: RequestGroup): boolean {
  if (hasRequests(group) || hasRequests(before)) return false
  return group.left!.count < before.left!.count && group.left!.fromMs < before.left!.toMs
}

/**
 * Whether answers say what is left as they leave, and were held back: in a burst, counts that are
 * given at arrival only fall, or are in no order.
 */
function isToldLate(evidence: LimitEvidence, key: string, { orderMs }: GroupTiming): boolean {
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

/** NaN where it is not said. */
function leftIn({ headers }: LimiterAnswer, key: string): number {
  return countOf(headers, key)?.left ?? NaN
}

/** Whether another request may have arrived between `fromMs` and the answer. */
function mayChange(
  observed: LimiterAnswer,
  fromMs: number,
  evidence: LimitEvidence,
  { tripMs, serviceMs }: GroupTiming,
): boolean {
  return evidence.some((other) => {
    // What every request takes on its way may be taken for service.
    const byMs = Math.min(other.receivedMs, other.sentMs + tripMs + serviceMs)
    return other !== observed && other.sentMs < observed.receivedMs && byMs > fromMs
  })
}

/** Whole seconds are rounded, in either direction, and a date may be a second old. */
const ROUNDED_EARLY_MS = 2_000
const ROUNDED_LATE_MS = 1_000
const SECOND = 1_000

/**
 * What headers count: how many requests are left after each answer. A count says as much as a burst
 * that uses the limit up, and costs one request.
 *
 * What the answers of a group tell of the limit with this key, after the last of its requests: by
 * the least count, which was written at `fromMs` or later, by default when the last was sent.
 */
function countsOf(
  members: LimitEvidence,
  key: string,
  fromMs = Math.max(...members.map(({ sentMs }) => sentMs)),
): Pick<RequestGroup, 'left' | 'restored'> {
  let left: Left | null = null
  let restored: Restored | null = null
  let least = Infinity
  for (const observed of members) {
    const promised = countOf(observed.headers, key)
    const isRefused = observed.answer === 'refused'
    const count = isRefused ? -1 : (promised?.left ?? Infinity)
    if (count > least || count === Infinity) continue
    least = count
    const nextMs = isRefused ? retryAfterMs(observed) : null
    const waitMs = nextMs ?? promised?.resetMs ?? null
    if (waitMs !== null && waitMs > 0) {
      const isExact = nextMs === null ? promised!.isResetExact : !Number.isInteger(nextMs / SECOND)
      restored = { ...restoredAfter(waitMs, observed, isExact), isNext: nextMs !== null }
    }
    left = isRefused ? null : { count, fromMs, toMs: observed.receivedMs }
  }
  return { left, restored }
}

function restoredAfter(
  waitMs: number,
  { sentMs, receivedMs }: LimiterAnswer,
  isExact: boolean,
): Omit<Restored, 'isNext'> {
  const [earlyMs, lateMs] = isExact ? [0, 0] : [ROUNDED_EARLY_MS, ROUNDED_LATE_MS]
  return { fromMs: sentMs + waitMs - earlyMs, toMs: receivedMs + waitMs + lateMs }
}

function promiseOf(evidence: LimitEvidence, key: string): Grouped['promise'] {
  const all = evidence.flatMap(({ headers }) => countOf(headers, key) ?? [])
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
function withOthers(
  groups: readonly RequestGroup[],
  limit: number,
): Pick<Grouped, 'groups' | 'others'> {
  const all: RequestGroup[] = []
  let left = limit
  let fromMs = -Infinity
  let others = 0
  for (const [i, group] of groups.entries()) {
    const next = groups.find((each, at) => at > i && hasRequests(each))
    if (next !== undefined && group.left !== null && next.firstMs < group.left.toMs) {
      group.left = null
      if (group.refused === 0) group.restored = null
    }
    if (group.left !== null) {
      const taken = left - group.accepted - group.left.count
      if (taken > 0) {
        const atMs = fromMs === -Infinity ? group.firstMs - 1 : (fromMs + group.firstMs) / 2
        all.push(othersGroup(atMs, atMs, taken))
        if (i > 0) others += taken
      }
    }
    all.push(group)
    left = group.refused > 0 ? 0 : (group.left?.count ?? Math.max(0, left - group.accepted))
    fromMs = group.lastMs
  }
  return { groups: all, others }
}

/** Requests of others: so many of them were let in. */
export function othersGroup(firstMs: number, lastMs: number, accepted: number): RequestGroup {
  const lastAcceptedMs = accepted > 0 ? lastMs : -Infinity
  return { ...emptyGroup(firstMs, lastMs), accepted, lastAcceptedMs, isOthers: true }
}
