/**
 * Slow references: each limit as its definition says it, looking at the whole history at every
 * request. They share no code and no state with the limiters; where they reckon with fractions,
 * they do it in whole numbers.
 */
import type { Rate } from '../../../../src/base/units.ts'

/** What came before, in order. `counted`: it used the quota up, admitted or not. */
export interface Past {
  atMicros: number
  admitted: boolean
  /** In flight until then. */
  leavesMicros: number
}

/** Whether a request at `now` is admitted, given all that came before it. */
export type Reference = (past: readonly Past[], now: number) => boolean

type Rejected = 'free' | 'counted'

const counted =
  (rejected: Rejected) =>
  ({ admitted }: Past): boolean =>
    admitted || rejected === 'counted'

/**
 * A bucket of b tokens at rate r admits a request if, since any moment, no more requests than b + r
 * * time were admitted: Cruz's (sigma, rho) bound, over every moment at which a request came. A
 * counted refusal empties the bucket: since then no more than r * time.
 */
export function bucket(
  { count, perMicros }: Rate,
  capacity: number,
  rejected: Rejected,
): Reference {
  return (past, now) =>
    past.every(({ atMicros, admitted }, i) => {
      if (!admitted && rejected === 'free') return true
      const since = admitted ? i : i + 1
      const allowance = admitted ? capacity : 0
      const used = past.slice(since).filter((each) => each.admitted).length + 1
      return (used - allowance) * perMicros <= (now - atMicros) * count
    })
}

/**
 * A queue that lets one request leave every T = per / count, and holds `burst` besides the one that
 * leaves. Times of leaving in units of 1 / count microseconds, so that they are whole.
 */
function departures({ count, perMicros }: Rate, admitted: readonly number[]): number[] {
  const leaves: number[] = []
  for (const atMicros of admitted) {
    const before = leaves.at(-1)
    leaves.push(Math.max(atMicros * count, before === undefined ? 0 : before + perMicros))
  }
  return leaves
}

/** Admitted if the wait for its turn would not be longer than `burst` turns. */
export function queue(rate: Rate, burst: number): Reference {
  return (past, now) => {
    const admitted = past.filter((each) => each.admitted).map(({ atMicros }) => atMicros)
    const turn = departures(rate, [...admitted, now]).at(-1)!
    return turn - now * rate.count <= burst * rate.perMicros
  }
}

/** In microseconds, rounded up. */
export function turnMicros(rate: Rate, past: readonly Past[], now: number): number {
  const admitted = past.filter((each) => each.admitted).map(({ atMicros }) => atMicros)
  const turn = departures(rate, [...admitted, now]).at(-1)!
  return Math.ceil((turn - now * rate.count) / rate.count)
}

export function calendarWindow(limit: number, window: number, phase: number): Reference {
  const numberOf = (at: number): number => Math.floor((at + phase) / window)
  return (past, now) =>
    past.filter((each) => each.admitted && numberOf(each.atMicros) === numberOf(now)).length < limit
}

/** Walks from window to window: each begins at the first request that no other covers. */
export function firstHitWindow(limit: number, window: number): Reference {
  return (past, now) => {
    let hits = past.filter((each) => each.admitted).map(({ atMicros }) => atMicros)
    while (hits.length > 0 && hits[0]! + window <= now) {
      const ends = hits[0]! + window
      hits = hits.filter((at) => at >= ends)
    }
    return hits.length < limit
  }
}

/** Each hit that counts makes the window last for as long again. */
export function lastHitWindow(limit: number, window: number, rejected: Rejected): Reference {
  return (past, now) => {
    const hits = past.filter(counted(rejected)).map(({ atMicros }) => atMicros)
    let used = 0
    for (const [i, at] of [...hits, now].entries()) {
      if (i > 0 && at - hits[i - 1]! >= window) used = 0
      if (i < hits.length) used++
    }
    return used < limit
  }
}

export function log(limit: number, window: number, rejected: Rejected): Reference {
  return (past, now) =>
    past.filter(counted(rejected)).filter(({ atMicros }) => atMicros > now - window).length < limit
}

interface CounterAs {
  limit: number
  window: number
  phase: number
  estimate: 'exact' | 'rounded down'
}

export function counter(
  { limit, window, phase, estimate }: CounterAs,
  rejected: Rejected,
): Reference {
  const numberOf = (at: number): number => Math.floor((at + phase) / window)
  return (past, now) => {
    const counts = past.filter(counted(rejected)).map(({ atMicros }) => numberOf(atMicros))
    const of = (number: number): bigint => BigInt(counts.filter((each) => each === number).length)
    const here = numberOf(now)
    const left = BigInt((here + 1) * window - (now + phase))
    const whole = BigInt(window)
    // One that is rounded down and one more are within the limit where it is below the limit.
    if (estimate === 'rounded down') {
      return of(here - 1) * left + of(here) * whole < BigInt(limit) * whole
    }
    return of(here - 1) * left + (of(here) + 1n) * whole <= BigInt(limit) * whole
  }
}

export function concurrency(limit: number, rejected: Rejected): Reference {
  return (past, now) =>
    past.filter(counted(rejected)).filter(({ leavesMicros }) => leavesMicros > now).length < limit
}

/**
 * In a block nothing is admitted. One begins with the first refusal outside of one; a counted
 * refusal inside begins it anew.
 */
export function blocking(inner: Reference, block: number, rejected: Rejected): Reference {
  return (past, now) => {
    let until = -Infinity
    /** Without the refusals in blocks, which the limit behind does not see. */
    const seen: Past[] = []
    for (const each of past) {
      const inBlock = each.atMicros < until
      if (!each.admitted && (!inBlock || rejected === 'counted')) until = each.atMicros + block
      if (!inBlock) seen.push(each)
    }
    return now >= until && inner(seen, now)
  }
}
