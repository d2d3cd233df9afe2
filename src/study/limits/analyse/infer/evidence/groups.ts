/**
 * Evidence as groups: requests that arrived so close together that their order cannot be known. A
 * group's answers are told by number alone, since nothing says which of its requests came first.
 */
import type { Evidence, Observed } from '../interface.ts'
import type { Turn } from './delays.ts'
import { turnOf } from './delays.ts'
import type { Group, Grouped } from './group.ts'
import { emptyGroup } from './group.ts'
import type { Timing } from './timing.ts'
import type { Arrived } from './timing.ts'
import { arrivalOf, leaveMs, quantile, timingOf } from './timing.ts'
import { burstOf } from './bursts.ts'
import { isToldLate, releasedInOrder, releasesIn } from './releases.ts'
import { countsOf, promiseOf, withOthers } from './counts.ts'

const NO_RELEASES: ReadonlyMap<Observed, Group> = new Map()

/** An arrival is known as well as those of this share of all requests, at least. */
const LATE = 0.9

/**
 * `followed`: the key of the limit whose count in headers is believed; null for none. No group is
 * longer than `longestMs`.
 */
export function groupsOf(
  evidence: Evidence,
  followed: string | null = null,
  longestMs = Infinity,
): Grouped {
  const timing = timingOf(evidence)
  const isLate = followed !== null && isToldLate(evidence, followed, timing)
  const turn = turnOf(evidence, timing, isLate)
  const arrivals = evidence
    .filter(({ answer }) => answer !== 'failed')
    .map((observed): Arrival => {
      const mostHeldMs = isLate ? Infinity : heldMs(observed, turn)
      const { ms, errorMs, halfMs } = arrivalOf(observed, timing, mostHeldMs)
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
  groups: readonly Group[],
  batches: readonly (readonly Arrival[])[],
  followed: string,
  releases: ReadonlyMap<Observed, Group>,
): Group[] {
  const counted = groups.map((group, i) => {
    const members = batches[i]!.map(({ observed }) => observed)
    const own = members.filter((observed) => !releases.has(observed))
    return { ...group, ...countsOf(own, followed) }
  })
  // What was sent once an answer had come arrived after that answer had left.
  return releasedInOrder([...releases.values(), ...counted].sort((a, b) => knownMs(a) - knownMs(b)))
}

function knownMs({ sentMs, left }: Group): number {
  return sentMs === -Infinity ? left!.toMs : sentMs
}

function batchesOf(
  arrivals: readonly Arrival[],
  timing: Timing,
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

function heldMs({ answer }: Observed, turn: Turn | null): number {
  return turn !== null && answer === 'accepted' ? turn.longestMs : 0
}

/** Whether it surely arrived after all of them. */
function isAfter(arrival: Arrival, members: readonly Arrival[], { orderMs }: Timing): boolean {
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
export function recordedGroups(recorded: Evidence, returns: number): Grouped {
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
function quietFrom(recorded: Evidence, ms: number): number {
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
function settledFrom(groups: readonly Group[]): number {
  const refused = groups.findIndex((group) => group.refused > 0)
  const next = groups.findIndex((group, i) => i > refused && group.accepted > 0)
  return refused === -1 || next === -1 ? Infinity : next
}

interface Arrival extends Arrived {
  observed: Observed
}

function groupOf(members: readonly Arrival[], timing: Timing): Group {
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
function spreadOut(group: Group, members: readonly Arrival[], { spreadMs }: Timing): void {
  const middle = members.reduce((sum, { ms }) => sum + ms, 0) / members.length
  const half = (count: number): number => (spreadMs / 2) * ((count - 1) / (count + 1))
  const { accepted, refused } = group
  group.firstMs = Math.min(group.firstMs, Math.max(group.sentMs, middle - half(members.length)))
  group.lastMs = Math.max(group.lastMs, middle + half(members.length))
  if (accepted > 1) group.lastAcceptedMs = Math.max(group.lastAcceptedMs, middle + half(accepted))
  if (refused > 1) group.lastRefusedMs = Math.max(group.lastRefusedMs, middle + half(refused))
}
