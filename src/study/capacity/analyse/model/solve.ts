/** The rate at which a simulated crew breaks the first of its promises. */
import type { Criterion } from './criteria.ts'
import type { Simulation } from './simulate.ts'
import type { CrewSystem } from './system.ts'
import { saturationPerHour } from './system.ts'

/** Below this share of the saturation rate, hardly an execution meets another one. */
const ALONE = 1e-3
/** Rates are told apart down to this share of each other. */
const PRECISION = 1e-3
/** A crew that turns executions away may carry more than it finishes; no promise allows more. */
const MOST_TIMES_SATURATED = 64
/** The first step away from the rate that is expected, and how far it is looked for from there. */
const FIRST_STEP = Math.log(1.02)
const FARTHEST = Math.log(16)
/** Each evaluation halves the interval at least every other time. */
const MOST_EVALUATIONS = 60

interface Capacity {
  kind: 'rate'
  perHour: number
  /** Place of the criterion that breaks first; null: the backlog grows without end. */
  broken: number | null
  /** Executions in the crew at that rate, in the mean. */
  inFlight: number
}

export type Solution =
  | Capacity
  /** An execution that meets no other one breaks this criterion. */
  | { kind: 'fails-alone'; broken: number; isSure: boolean }
  /** No rate breaks any of them. */
  | { kind: 'no-limit' }

/**
 * Simulations of ever more executions: by few it is found where to look, and how far resampled
 * crews differ; by some a curve is drawn; by many a rate is found.
 */
export interface Simulations {
  rough: Simulation
  middle: Simulation
  fine: Simulation
}

/** Of a simulation with many executions, how many the smaller ones have. */
export const ROUGH = 40_000
export const MIDDLE = 100_000

/**
 * The highest rate at which each criterion holds. More arrivals never shorten a wait under the same
 * draws, so that there is one. Without a limit of its queue, a crew's backlog grows without end from
 * its saturation rate on, whatever a simulation of finite length shows.
 */
export function solve(
  { rough, fine }: Pick<Simulations, 'rough' | 'fine'>,
  system: CrewSystem,
  criteria: readonly Criterion[],
): Solution {
  const saturated = saturationPerHour(system)
  const alone = worstOf(rough, system, saturated * ALONE, criteria)
  if (alone.excess >= 0) {
    const isSure = isSurelyOver(criteria[alone.place]!, alone.excess, system)
    return { kind: 'fails-alone', broken: alone.place, isSure }
  }
  const about = solveNear(rough, system, criteria, saturated)
  if (about === null) return { kind: 'no-limit' }
  const perHour = solveNear(fine, system, criteria, about) ?? about
  const isSaturated = system.queueLimit === null && perHour >= saturated
  const { inFlight } = fine.stay(system, perHour)
  const broken = isSaturated
    ? null
    : worstOf(fine, system, perHour * (1 + PRECISION), criteria).place
  return { kind: 'rate', perHour, broken, inFlight }
}

/**
 * As `solve`, with the rate alone. `from` is where it is expected: the nearer it is, the fewer
 * evaluations it takes. Null where nothing breaks at 64 times the saturation rate.
 */
export function solveNear(
  simulation: Simulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  from: number,
): number | null {
  const saturated = saturationPerHour(system)
  const most = Math.log(system.queueLimit === null ? saturated : saturated * MOST_TIMES_SATURATED)
  const excess = (log: number): number =>
    worstOf(simulation, system, Math.exp(log), criteria).excess
  const bracket = bracketed(excess, Math.min(Math.log(from), most), most)
  if (bracket === null) return system.queueLimit === null ? saturated : null
  return Math.exp(rootOf(excess, bracket))
}

/** A share over its limit by so many standard errors is no chance. */
const SURELY = 3

function isSurelyOver({ limit }: Criterion, excess: number, { service }: CrewSystem): boolean {
  const error = Math.sqrt((limit * (1 - limit)) / service.micros.length)
  return excess * limit >= SURELY * error
}

interface Point {
  at: number
  excess: number
}

/** Where it holds, and where it breaks; null where it holds at `most`. */
function bracketed(
  excess: (log: number) => number,
  from: number,
  most: number,
): [Point, Point] | null {
  let here = { at: from, excess: excess(from) }
  const up = here.excess < 0
  for (let step = FIRST_STEP; step < FARTHEST; step *= 2) {
    if (up && here.at >= most) return null
    const at = up ? Math.min(most, here.at + step) : here.at - step
    const next = { at, excess: excess(at) }
    if (next.excess < 0 !== up) return up ? [here, next] : [next, here]
    here = next
  }
  // So far down nothing meets anything: it is told apart from here by the caller.
  return up ? null : [{ at: here.at, excess: -1 }, here]
}

/**
 * The Illinois variant of false position (Dowell and Jarratt, "A modified regula falsi method",
 * 1971): as safe as halving, and several times as quick on a curve.
 */
function rootOf(excess: (log: number) => number, [low, high]: [Point, Point]): number {
  let [holds, breaks] = [low, high]
  // What the two ends weigh, when one of them has stood for long.
  let [below, above] = [low.excess, high.excess]
  let side = 0
  for (let n = 0; breaks.at - holds.at > PRECISION && n < MOST_EVALUATIONS; n++) {
    const share = below / (below - above)
    const at = holds.at + Math.min(0.95, Math.max(0.05, share)) * (breaks.at - holds.at)
    const next = { at, excess: excess(at) }
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
  return (holds.at + breaks.at) / 2
}

interface Worst {
  excess: number
  place: number
}

/** Of the criteria, the one that is broken most, by the share that it allows. */
function worstOf(
  simulation: Simulation,
  system: CrewSystem,
  perHour: number,
  criteria: readonly Criterion[],
): Worst {
  return simulation
    .excess(system, perHour, criteria)
    .map((each, place) => ({ excess: each / Math.max(criteria[place]!.limit, 1e-6), place }))
    .reduce((worst, each) => (each.excess > worst.excess ? each : worst))
}
