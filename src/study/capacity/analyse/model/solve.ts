/** Finds the rate at which a simulated crew breaks the first of its promises. */
import type { Criterion } from './criteria.ts'
import type { SimulatedShare } from './share.ts'
import type { CrewSimulation } from './simulate.ts'
import type { CrewSystem } from './system.ts'
import { saturationPerHour } from './system.ts'

/** Below this share of the saturation rate, executions hardly meet each other. */
const ALONE = 1e-3
/**
 * The distance, as logarithms, to which a rate that holds and a rate that breaks are brought
 * together; the root is then interpolated.
 */
const PRECISION = 2e-3
/**
 * The highest rate that is tried, as a multiple of the saturation rate. A crew that turns
 * executions away may be offered more than it finishes, but no promise allows this much.
 */
const MOST_TIMES_SATURATED = 64
/** The farthest that a rate is searched from the expected one, as a difference of logarithms. */
const FARTHEST = Math.log(16)
/**
 * The size of the first step from the expected rate, for an uncertain and for a precise
 * expectation.
 */
const STEPS = { unknown: 0.02, near: 0.004 }
/** Each evaluation halves the interval at least every other time. */
const MOST_EVALUATIONS = 60

export interface Found {
  perHour: number
  /** The index of the criterion that breaks first; null if the backlog grows without end. */
  broken: number | null
  /**
   * The standard deviation of the logarithm of the rate that is due to the finite length of the
   * simulation.
   */
  error: number
  /** The slope of the logarithm of the share of bad executions over the logarithm of the rate. */
  slope: number
}

interface Capacity extends Found {
  kind: 'rate'
  /** The mean number of executions in the crew at that rate. */
  inFlight: number
}

export type Solution =
  | Capacity
  /** Even an execution that meets no other one breaks this criterion. */
  | { kind: 'fails-alone'; broken: number; isSure: boolean; badShare: number }
  /** No rate breaks any criterion. */
  | { kind: 'no-limit' }

/**
 * Simulations of increasing size: `rough` finds where to search and how far resampled crews differ,
 * `middle` draws a curve, `fine` finds the rate.
 */
export interface Simulations {
  rough: CrewSimulation
  middle: CrewSimulation
  fine: CrewSimulation
}

/** The number of executions of the two smaller simulations. */
export const ROUGH = 40_000
export const MIDDLE = 100_000

/**
 * Finds the highest rate at which every criterion holds. It is unique: with the same random
 * numbers, more arrivals never shorten a wait. Without a limit of its queue, a crew's backlog grows
 * without end from its saturation rate on, whatever a simulation of finite length shows.
 */
export function solve(
  { rough, fine }: Pick<Simulations, 'rough' | 'fine'>,
  system: CrewSystem,
  criteria: readonly Criterion[],
): Solution {
  const saturated = saturationPerHour(system)
  const alone = pointAt(rough, system, criteria, Math.log(saturated * ALONE))
  if (alone.excess >= 0) {
    const badShare = alone.count.share
    return {
      kind: 'fails-alone',
      broken: alone.place,
      isSure: isSurelyOver(alone, system),
      badShare,
    }
  }
  const about = solveNear(rough, system, criteria, saturated)
  if (about === null) return { kind: 'no-limit' }
  const found = solveNear(fine, system, criteria, about.perHour, STEPS.near) ?? about
  return { kind: 'rate', ...found, inFlight: fine.stay(system, found.perHour).inFlight }
}

/**
 * Finds only the rate that `solve` finds. `from` is the expected rate: the nearer it is, the fewer
 * evaluations it takes. Null if nothing breaks at 64 times the saturation rate.
 */
export function solveNear(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  from: number,
  step = STEPS.unknown,
): Found | null {
  const saturated = saturationPerHour(system)
  const most = mostLog(system)
  const pointOf = (log: number): Point => pointAt(simulation, system, criteria, log)
  const bracket = bracketed(pointOf, { from: Math.min(Math.log(from), most), most, step })
  if (bracket === null) {
    if (system.queueLimit !== null) return null
    return { perHour: saturated, broken: null, error: 1 / Math.sqrt(simulation.size), slope: 1 }
  }
  return rootOf(pointOf, bracket)
}

/**
 * Finds the rate that `solveNear` finds, for a system that differs a little from one whose `slope`
 * is known: mostly with two evaluations. Null as there, and if the rate is not found nearby.
 */
export function solveBeside(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  { perHour, slope }: Pick<Found, 'perHour' | 'slope'>,
): number | null {
  const most = mostLog(system)
  let here = pointAt(simulation, system, criteria, Math.min(most, Math.log(perHour)))
  let rise = slope
  for (let n = 0; n < MOST_STEPS; n++) {
    const at = Math.min(most, here.at - here.excess / rise)
    if (Math.abs(at - here.at) < PRECISION / 2) return Math.exp(at)
    if (Math.abs(at - here.at) > FARTHEST_BESIDE) break
    const next = pointAt(simulation, system, criteria, at)
    const seen = (next.excess - here.excess) / (next.at - here.at)
    if (seen > 0) rise = seen
    here = next
  }
  return solveNear(simulation, system, criteria, perHour)?.perHour ?? null
}

const MOST_STEPS = 5
const FARTHEST_BESIDE = 0.2

function mostLog(system: CrewSystem): number {
  const saturated = saturationPerHour(system)
  return Math.log(system.queueLimit === null ? saturated : saturated * MOST_TIMES_SATURATED)
}

/** A share that exceeds its limit by this many standard errors does so beyond chance. */
const SURELY = 3

function isSurelyOver({ count, limit }: Point, { service }: CrewSystem): boolean {
  const error = Math.sqrt((limit * (1 - limit)) / service.micros.length)
  return count.share - limit >= SURELY * error
}

interface Point {
  /** The logarithm of the rate. */
  at: number
  /**
   * The logarithm of the share of bad executions over its limit, for the criterion that is broken
   * most; 0 or more means broken. It is nearly straight where the shares themselves are curved.
   */
  excess: number
  place: number
  count: SimulatedShare
  limit: number
}

const LEAST_LIMIT = 1e-6

function pointAt(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  at: number,
): Point {
  return simulation
    .shares(system, Math.exp(at), criteria)
    .map((count, place) => {
      const limit = Math.max(LEAST_LIMIT, criteria[place]!.limit)
      const excess = Math.log(Math.max(count.share, 0.5 / simulation.size) / limit)
      return { at, excess, place, count, limit }
    })
    .reduce((worst, each) => (each.excess > worst.excess ? each : worst))
}

/**
 * A rate at which the criteria hold and one at which they break; null where they hold at `most`.
 */
function bracketed(
  pointOf: (log: number) => Point,
  { from, most, step: first }: { from: number; most: number; step: number },
): [Point, Point] | null {
  let here = pointOf(from)
  const up = here.excess < 0
  for (let step = first; step < FARTHEST; step *= 2) {
    if (up && here.at >= most) return null
    const next = pointOf(up ? Math.min(most, here.at + step) : here.at - step)
    if (next.excess < 0 !== up) return up ? [here, next] : [next, here]
    here = next
  }
  // A criterion breaks even at this low rate, where executions hardly meet. The lower point is then
  // made to look as if it held, so that the search ends here.
  return up ? null : [{ ...here, excess: -1 }, here]
}

/**
 * Finds the root by the Illinois variant of false position (Dowell and Jarratt, "A modified regula
 * falsi method", 1971), which is as safe as bisection, and several times as fast on a curve.
 */
function rootOf(pointOf: (log: number) => Point, [low, high]: [Point, Point]): Found {
  let [holds, breaks] = [low, high]
  // The values that the interpolation uses for the two ends; that of an end which stays is halved.
  let [below, above] = [low.excess, high.excess]
  let side = 0
  for (let n = 0; breaks.at - holds.at > PRECISION && n < MOST_EVALUATIONS; n++) {
    const share = below / (below - above)
    const at = holds.at + Math.min(0.95, Math.max(0.05, share)) * (breaks.at - holds.at)
    const next = pointOf(at)
    if (next.excess < 0) {
      holds = next
      below = next.excess
      if (side < 0) above /= 2
      side = -1
    } else {
      breaks = next
      above = next.excess
      if (side > 0) below /= 2
      side = 1
    }
  }
  const { at, slope } = line(holds, breaks)
  const wide = low.excess > MOST_BELOW ? line(low, high).slope : slope
  const error = breaks.count.error / breaks.limit / wide
  return { perHour: Math.exp(at), broken: breaks.place, error, slope: wide }
}

/**
 * The slope is taken over the whole bracket, because a burst of waits bends the curve over a short
 * one, but not if hardly any execution is bad at its lower end: below this logarithm of the excess.
 */
const MOST_BELOW = -3

/** The place at which the line through both points crosses 0, and its slope. */
function line(holds: Point, breaks: Point): { at: number; slope: number } {
  const [width, rise] = [breaks.at - holds.at, breaks.excess - holds.excess]
  if (width <= 0 || rise <= 0) return { at: holds.at, slope: 1 }
  return { at: holds.at - (holds.excess / rise) * width, slope: rise / width }
}
