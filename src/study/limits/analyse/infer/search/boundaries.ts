/**
 * Where calendar windows can begin, as far as the answers tell without a replay: between more
 * requests than the limit that were let in there is a boundary, and between as many as the limit
 * and the refusal that follows them there is none.
 */
import type { Group } from '../evidence/group.ts'
import type { Clues } from '../hypotheses/hypothesis.ts'

interface Stretch {
  fromMs: number
  toMs: number
}

interface Known {
  /** Each holds a boundary. */
  withOne: readonly Stretch[]
  /** None of these does. */
  without: readonly Stretch[]
}

/** Standard deviations of an arrival by which a stretch may be off. */
const OFF = 3
/** Of a window that is possible, so many places where it can begin are tried at most. */
const PLACES = 2

/** Of each length, the phases at which all that is known holds. */
export function possibleWindows(
  limit: number,
  lengthsMs: readonly number[],
  { groups, sigmaMs, random }: Clues,
): { windowMs: number; phaseMs: number }[] {
  const known = knownFrom(groups, limit, OFF * sigmaMs)
  return lengthsMs.flatMap((windowMs) =>
    possiblePhases(known, windowMs)
      .slice(0, PLACES)
      .map(({ fromMs, toMs }) => ({ windowMs, phaseMs: fromMs + random.next() * (toMs - fromMs) })),
  )
}

function knownFrom(groups: readonly Group[], limit: number, offMs: number): Known {
  const withOne: Stretch[] = []
  const without: Stretch[] = []
  const accepted = groups.filter((group) => group.accepted > 0)
  for (const [last, to] of accepted.entries()) {
    const beyond = backFrom(accepted, last, limit + 1)
    if (beyond !== null) withOne.push({ fromMs: beyond.firstMs - offMs, toMs: to.lastMs + offMs })
    const next = groups[groups.indexOf(to) + 1]
    const refused = to.refused > 0 ? to : next
    const first = backFrom(accepted, last, limit)
    if (first === null || refused === undefined || refused.refused === 0) continue
    without.push({ fromMs: first.lastMs + offMs, toMs: refused.firstRefusedMs - offMs })
  }
  return { withOne, without: without.filter(({ fromMs, toMs }) => fromMs < toMs) }
}

/** The latest group since which at least so many were let in; null where fewer were. */
function backFrom(accepted: readonly Group[], last: number, count: number): Group | null {
  let sum = 0
  for (let i = last; i >= 0; i--) {
    sum += accepted[i]!.accepted
    if (sum >= count) return accepted[i]!
  }
  return null
}

function possiblePhases({ withOne, without }: Known, windowMs: number): readonly Stretch[] {
  let possible: readonly Stretch[] = [{ fromMs: 0, toMs: windowMs }]
  for (const { fromMs, toMs } of without) {
    if (toMs - fromMs >= windowMs) return []
    possible = within(possible, around(toMs, fromMs, windowMs))
    if (possible.length === 0) return possible
  }
  for (const { fromMs, toMs } of withOne) {
    if (toMs - fromMs >= windowMs) continue
    possible = within(possible, around(fromMs, toMs, windowMs))
    if (possible.length === 0) return possible
  }
  return possible
}

/** Of a window that begins at 0, what lies from one time on up to the other. */
function around(fromMs: number, toMs: number, windowMs: number): Stretch[] {
  const from = fromMs - Math.floor(fromMs / windowMs) * windowMs
  const to = toMs - Math.floor(toMs / windowMs) * windowMs
  if (from <= to) return [{ fromMs: from, toMs: to }]
  return [
    { fromMs: 0, toMs: to },
    { fromMs: from, toMs: windowMs },
  ]
}

function within(some: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const both: Stretch[] = []
  for (const one of some) {
    for (const other of others) {
      const fromMs = Math.max(one.fromMs, other.fromMs)
      const toMs = Math.min(one.toMs, other.toMs)
      if (fromMs < toMs) both.push({ fromMs, toMs })
    }
  }
  return both
}
