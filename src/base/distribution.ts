/**
 * Distributions of one non-negative quantity (a time, a size), drawn from a given random stream.
 */
import { unreachable } from './assert.ts'
import type { Random } from './random.ts'
import { inverseNormal } from './random.ts'

/** All values share one unit, the caller's: microseconds for times, bytes for sizes. */
export type Distribution =
  | { kind: 'constant'; value: number }
  | { kind: 'uniform'; min: number; max: number }
  /**
   * A lognormal by its median and 95th percentile; `cap` limits the values, because the mean of a
   * lognormal depends on its tail.
   */
  | { kind: 'lognormal'; median: number; p95: number; cap?: number }
  /**
   * Gamma by its mean and coefficient of variation (1 is exponential, below is steadier, above
   * burstier).
   */
  | { kind: 'gamma'; mean: number; cv: number; cap?: number }
  /** Empirical: values at rising quantiles from 0 to 1, linear between them. */
  | { kind: 'quantiles'; points: readonly { q: number; value: number }[] }

/** By how many deviations the 95th percentile of a normal distribution exceeds its mean. */
export const Z95 = inverseNormal(0.95)

/**
 * Returns a `draw` function for one distribution that is drawn from often: what depends on the
 * distribution alone is computed once.
 */
export function sampler(distribution: Distribution): (random: Random) => number {
  if (distribution.kind !== 'lognormal') return (random) => draw(distribution, random)
  const { median, cap = Infinity } = distribution
  const sigma = sigmaOf(distribution)
  return (random) => Math.min(median * Math.exp(sigma * random.normal()), cap)
}

export function draw(distribution: Distribution, random: Random): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'uniform':
      return distribution.min + (distribution.max - distribution.min) * random.next()
    case 'lognormal':
      return sampler(distribution)(random)
    case 'gamma': {
      const shape = 1 / distribution.cv ** 2
      return Math.min(
        (distribution.mean * gamma(shape, random)) / shape,
        distribution.cap ?? Infinity,
      )
    }
    case 'quantiles':
      return interpolate(distribution.points, random.next())
    default:
      return unreachable(distribution)
  }
}

/** The largest value that can be drawn; Infinity if there is none. */
export function most(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'uniform':
      return distribution.max
    case 'lognormal':
    case 'gamma':
      return distribution.cap ?? Infinity
    case 'quantiles':
      return distribution.points.at(-1)?.value ?? 0
    default:
      return unreachable(distribution)
  }
}

/** The standard deviation of the logarithm. */
export function sigmaOf({ median, p95 }: Distribution & { kind: 'lognormal' }): number {
  return Math.log(p95 / median) / Z95
}

/**
 * The same distribution with every value multiplied by `factor`: how a time-lapse shortens times.
 */
export function scale(distribution: Distribution, factor: number): Distribution {
  switch (distribution.kind) {
    case 'constant':
      return { ...distribution, value: distribution.value * factor }
    case 'uniform':
      return { ...distribution, min: distribution.min * factor, max: distribution.max * factor }
    case 'lognormal':
      return {
        ...distribution,
        median: distribution.median * factor,
        p95: distribution.p95 * factor,
        ...scaledCap(distribution.cap, factor),
      }
    case 'gamma':
      return {
        ...distribution,
        mean: distribution.mean * factor,
        ...scaledCap(distribution.cap, factor),
      }
    case 'quantiles':
      return {
        ...distribution,
        points: distribution.points.map(({ q, value }) => ({ q, value: value * factor })),
      }
    default:
      return unreachable(distribution)
  }
}

function scaledCap(cap: number | undefined, factor: number): { cap?: number } {
  return cap === undefined ? {} : { cap: cap * factor }
}

/**
 * Gamma with the given shape and scale 1 (Marsaglia and Tsang, "A simple method for generating
 * gamma variables", 2000). It consumes a varying number of uniforms: give it a separate stream.
 */
export function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * random.next() ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

/** The value at a share, linear between the points. */
export function interpolate(points: readonly { q: number; value: number }[], q: number): number {
  const after = points.findIndex((point) => point.q >= q)
  const right = points[after === -1 ? points.length - 1 : after]
  const left = points[Math.max(0, (after === -1 ? points.length : after) - 1)]
  if (left === undefined || right === undefined) return 0
  if (right.q === left.q) return right.value
  return left.value + ((right.value - left.value) * (q - left.q)) / (right.q - left.q)
}
