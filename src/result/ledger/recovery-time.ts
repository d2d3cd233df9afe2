/** After a disturbance: when are users served again as they were before it? */
import type { Micros } from '../../base/units.ts'
import { atLeast } from '../statistics/beta.ts'
import { shareInterval } from '../statistics/shares.ts'

/**
 * How many executions were wanted in each time step, and how many of them were served: completed
 * within their deadline. Both count by when the execution was wanted, so that working off a backlog
 * late is not service, and the noise of the arrivals is not either. `unresolved` are in neither:
 * they were wanted, but a cut hides whether they would have been served.
 */
export interface Service {
  stepMicros: Micros
  wanted: readonly number[]
  served: readonly number[]
  unresolved: readonly number[]
}

/** Points on the same clock, increasing. */
export interface Disturbance {
  /**
   * Service was steady in between. It ends early enough before the disturbance that executions
   * wanted then were not affected.
   */
  steadyFromMicros: Micros
  steadyToMicros: Micros
  fromMicros: Micros
  toMicros: Micros
  /** Executions wanted later are not counted. */
  untilMicros: Micros
}

export interface Recovery {
  /** The service before the disturbance. */
  former: ServedCount
  /**
   * The window over which service is judged: the resolution of the result. Null if too few
   * executions were wanted.
   */
  windowMicros: Micros | null
  /** Executions wanted later were not judged. */
  untilMicros: Micros
  state: RecoveryState
}

interface ServedCount {
  wanted: number
  served: number
}

export type RecoveryState =
  /** Executions wanted this long after the disturbance, or later, were served as before it. */
  | { kind: 'recovered'; afterMicros: Micros }
  /** Service was still below its former level at the end. */
  | { kind: 'not-recovered' }
  /** Too few executions were wanted before or after it; this many in a window would suffice. */
  | { kind: 'too-few'; needed: number }
  /** Service was already changing before the disturbance. */
  | { kind: 'unsteady' }
  /** Less than `FORMER_LEAST` was served before it: service was already degraded. */
  | { kind: 'overloaded' }

/** Share of the former level: below it, service is not restored. */
export const RESTORED_SHARE = 0.95
const FORMER_LEAST = 0.8
/**
 * The probability that the noise of a steady service, over the whole observation, looks like
 * another drop.
 */
const FALSE_FALL = 0.01
/** Sliding windows have about as many chances to drop as this many times as many disjoint ones. */
const OVERLAP = 5
export const FEWEST_WANTED = 10
const MOST_WANTED = 100_000
/**
 * The longest window, as a share of the observation: in a longer one, the time of recovery could
 * not be determined.
 */
const WINDOW_SHARE = 0.25

/**
 * The first point after the disturbance from which on every window of the observation has at least
 * 95 % of the former share. The window is as short as possible such that a steady service with the
 * former share (its estimate lowered by one failure, so that "all were served" leaves room for
 * some) drops below by chance with at most 1 % over the whole observation, by the binomial
 * distribution.
 *
 * Before a cut, executions that were served immediately are resolved, and those still to come are
 * not: the observation ends with the last window whose result does not depend on the unresolved
 * ones.
 */
export function recoveryOf(service: Service, disturbance: Disturbance): Recovery {
  const sums = new Sums(service)
  let { untilMicros } = disturbance
  for (;;) {
    const recovery = recoveryUntil(sums, { ...disturbance, untilMicros })
    if (recovery.windowMicros === null) return recovery
    const clear = lastClearMicros(sums, { ...disturbance, untilMicros }, recovery)
    if (clear === untilMicros) return recovery
    untilMicros = clear
  }
}

function recoveryUntil(sums: Sums, disturbance: Disturbance): Recovery {
  const { steadyFromMicros, steadyToMicros, toMicros, untilMicros } = disturbance
  const { wanted, served } = sums.between(steadyFromMicros, steadyToMicros)
  const former = { wanted, served }
  const observed = sums.between(toMicros, untilMicros)
  const recoveryOf = (state: RecoveryState, windowMicros: Micros | null = null): Recovery => ({
    former,
    windowMicros,
    untilMicros,
    state,
  })
  if (former.wanted < FEWEST_WANTED) return recoveryOf({ kind: 'too-few', needed: FEWEST_WANTED })
  if (former.served < FORMER_LEAST * former.wanted) return recoveryOf({ kind: 'overloaded' })
  if (!isSteady(sums, disturbance)) return recoveryOf({ kind: 'unsteady' })
  const needed = windowCount(former, observed.wanted)
  const observedMicros = untilMicros - toMicros
  const { stepMicros } = sums
  const steps = Math.ceil((needed / observed.wanted) * (observedMicros / stepMicros))
  const windowMicros = steps * stepMicros
  if (!(windowMicros <= WINDOW_SHARE * observedMicros))
    return recoveryOf({ kind: 'too-few', needed })
  return recoveryOf(stateAfter(sums, disturbance, windowMicros, boundOf(former)), windowMicros)
}

function boundOf(former: ServedCount): number {
  return RESTORED_SHARE * servedShareOf(former)
}

/**
 * The end of the last window that is below even if all unresolved were served, or is not below even
 * if none was; the disturbance's end for none.
 */
function lastClearMicros(
  sums: Sums,
  { toMicros, untilMicros }: Disturbance,
  { former, windowMicros }: Recovery,
): Micros {
  const lengthMicros = windowMicros ?? 0
  for (let to = untilMicros; to - lengthMicros >= toMicros; to -= sums.stepMicros) {
    const { wanted, served, unresolved } = sums.between(to - lengthMicros, to)
    const least = boundOf(former) * (wanted + unresolved)
    if (served >= least || served + unresolved < least) return to
  }
  return toMicros
}

/** Looks from the end back to the last window that is below. */
function stateAfter(
  sums: Sums,
  { toMicros, untilMicros }: Disturbance,
  windowMicros: Micros,
  bound: number,
): RecoveryState {
  const { stepMicros } = sums
  let restoredMicros: Micros | null = null
  for (let from = untilMicros - windowMicros; from >= toMicros; from -= stepMicros) {
    const { wanted, served } = sums.between(from, from + windowMicros)
    if (served < bound * wanted) break
    restoredMicros = from
  }
  if (restoredMicros === null) return { kind: 'not-recovered' }
  // Steps are counted from the end: a partial step at the beginning is not a time without service.
  const afterMicros = restoredMicros - toMicros
  return { kind: 'recovered', afterMicros: afterMicros < stepMicros ? 0 : afterMicros }
}

/** The halves differ by more than what counts as a drop, and by more than chance. */
function isSteady(sums: Sums, { steadyFromMicros, steadyToMicros }: Disturbance): boolean {
  const middle = (steadyFromMicros + steadyToMicros) / 2
  const halves = [sums.between(steadyFromMicros, middle), sums.between(middle, steadyToMicros)]
  const [least, most] = halves.toSorted((a, b) => servedShareOf(a) - servedShareOf(b))
  if (least === undefined || most === undefined) return true
  if (servedShareOf(least) >= RESTORED_SHARE * servedShareOf(most)) return true
  const high = shareInterval(least.served, least.wanted)?.high ?? 1
  const low = shareInterval(most.served, most.wanted)?.low ?? 0
  return high >= low
}

/** The number of arrivals per window at which noise alone does not look like a drop. */
function windowCount(former: ServedCount, observed: number): number {
  const failing = (former.wanted - former.served + 1) / (former.wanted + 2)
  const bound = boundOf(former)
  for (let n = FEWEST_WANTED; n < MOST_WANTED; n = Math.ceil(n * 1.05)) {
    const failuresBelow = Math.floor(n * (1 - bound)) + 1
    const windows = Math.max(1, (OVERLAP * observed) / n)
    if (atLeast(failuresBelow, n, failing) <= FALSE_FALL / windows) return n
  }
  return MOST_WANTED
}

export function servedShareOf({ wanted, served }: ServedCount): number {
  return wanted === 0 ? 0 : served / wanted
}

/** Sums over any span of time, each in constant time. */
class Sums {
  readonly stepMicros: Micros
  readonly #wanted: readonly number[]
  readonly #served: readonly number[]
  readonly #unresolved: readonly number[]

  constructor({ stepMicros, wanted, served, unresolved }: Service) {
    this.stepMicros = stepMicros
    this.#wanted = cumulated(wanted)
    this.#served = cumulated(served)
    this.#unresolved = cumulated(unresolved)
  }

  /** Counts the steps that begin between these times. */
  between(fromMicros: Micros, toMicros: Micros): ServedCount & { unresolved: number } {
    const last = this.#wanted.length - 1
    const index = (micros: Micros): number =>
      Math.min(last, Math.max(0, Math.ceil(micros / this.stepMicros)))
    const [from, to] = [index(fromMicros), index(toMicros)]
    return {
      wanted: this.#wanted[to]! - this.#wanted[from]!,
      served: this.#served[to]! - this.#served[from]!,
      unresolved: this.#unresolved[to]! - this.#unresolved[from]!,
    }
  }
}

function cumulated(counts: readonly number[]): number[] {
  let sum = 0
  return [0, ...counts.map((count) => (sum += count))]
}
