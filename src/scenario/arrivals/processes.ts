/**
 * How arrivals are distributed around a rate: every arrival process, and what follows from the
 * list. The checks are in `processes.schema.ts`, because the engine also runs inside k6, whose
 * bundle must not contain zod.
 */
import type { Random } from '../../base/random.ts'
import { assert } from '../../base/assert.ts'
import { gamma as drawGamma } from '../../base/distribution.ts'

/** The process as a plan names it, with its parameters. */
export type ArrivalProcess = { kind: 'uniform' } | { kind: 'poisson' } | GammaArrivals

interface GammaArrivals {
  kind: 'gamma'
  cv: number
}

/** The process as an author writes it. */
export type ProcessOption =
  | 'uniform'
  | 'poisson'
  | {
      gamma: {
        /**
         * Coefficient of variation of the gaps, 0.01 to 100: above 1 for bursts, below 1 for
         * regularity.
         */
        cv: number
      }
    }

/**
 * Returns the next point, never before the previous one. Points are in *operational time*, the
 * integral of the rate: the schedule maps them to the run's clock by the inverse of that integral,
 * so a process need not know the rate (time rescaling; Brown et al., "The time-rescaling theorem
 * and its application to neural spike train data analysis", 2002).
 */
export type NextPoint = () => number

interface PointProcess<P> {
  /**
   * Begins a run: points from 0 on, on average one per unit of length. All draws come from
   * `random`.
   */
  points(process: P, random: Random): NextPoint
  /**
   * How many points are before `length`, when that is the same in every run. Default: unknown until
   * they are drawn.
   */
  countBefore?(length: number): number
}

/**
 * Point i is i itself: the first arrival is at the very start, and the i-th when the integral of
 * the rate reaches i.
 * ```
 * |---|---|---|---|---|-->
 * 0   1   2   3   4   5
 * ```
 */
const uniform: PointProcess<unknown> = {
  points: () => {
    let point = 0
    return () => point++
  },
  countBefore: Math.ceil,
}

/**
 * Point i is the sum of i + 1 exponential gaps with mean 1. The number of points in an interval of
 * length m follows a Poisson distribution with mean m and variance m, so the ratio of the two (the
 * index of dispersion) is 1.
 * ```
 * --|-----||---|--------|-|-->
 * ```
 */
const poisson: PointProcess<unknown> = {
  points: (_, random) => {
    let point = 0
    return () => (point += random.exponential())
  },
}

/**
 * Gaps follow a gamma distribution with mean 1 and standard deviation `cv` (above 0): shape k = 1 /
 * cv^2, scale 1 / k. With cv 1 this is the Poisson process; above 1 arrivals come in bursts with
 * long pauses, below 1 they approach even spacing. Counts over long intervals have an index of
 * dispersion of cv^2.
 * ```
 * cv 0.2  -|----|---|----|---|----|-->
 * cv 3    -||||-|-------------|||---->
 * ```
 * The first gap is drawn from the equilibrium distribution (a uniform share of a length-biased gap,
 * which is gamma with shape k + 1): from the start on, an interval then contains on average as many
 * points as it is long. Beginning with a whole gap would add (cv^2 - 1) / 2 arrivals to every run
 * (Cox, "Renewal Theory", 1962, chapters 2 and 4).
 */
const gamma: PointProcess<GammaArrivals> = {
  points: ({ cv }, random) => {
    assert(cv > 0, `a gamma process needs a cv above 0, not ${cv}`)
    const shape = 1 / cv ** 2
    let point = 0
    let first = true
    return () => {
      const gap = first ? random.next() * drawGamma(shape + 1, random) : drawGamma(shape, random)
      first = false
      point += gap / shape
      return point
    }
  },
}

/** Every process, by its kind in a plan and the key or word that an author writes. */
const PROCESSES = { uniform, poisson, gamma } satisfies {
  [K in ArrivalProcess['kind']]: PointProcess<Extract<ArrivalProcess, { kind: K }>>
}

/** Looks up the process by its kind; the type of the table guarantees that they match. */
function processNamed(process: ArrivalProcess): PointProcess<ArrivalProcess> {
  return PROCESSES[process.kind]
}

/** The points of one run: from 0 on, never decreasing, on average one per unit of length. */
export function pointsOf(process: ArrivalProcess, random: Random): NextPoint {
  return processNamed(process).points(process, random)
}

/** How many points are before `length`; null when that differs from run to run. */
export function countBefore(process: ArrivalProcess, length: number): number | null {
  return processNamed(process).countBefore?.(length) ?? null
}
