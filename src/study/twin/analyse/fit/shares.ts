/** Distributions as functions: the share up to a value, and the value at a share. */
import { unreachable } from '../../../../base/assert.ts'
import type { Distribution } from '../../../../base/distribution.ts'
import { interpolate, sigmaOf, Z95 } from '../../../../base/distribution.ts'
import { inverseNormal } from '../../../../base/random.ts'
import type { GammaShares } from '../../../../result/statistics/gamma.ts'
import { incompleteGamma, logGamma, normalShares } from '../../../../result/statistics/gamma.ts'

/** The distributions by which a sample is fitted. */
export type Fitted = Exclude<Distribution, { kind: 'uniform' }> & { cap?: never }

export function lognormalOf(logMean: number, sigma: number): Fitted {
  return { kind: 'lognormal', median: Math.exp(logMean), p95: Math.exp(logMean + Z95 * sigma) }
}

/** P(X <= value) and P(X > value). */
export function sharesAt(distribution: Fitted, value: number): GammaShares {
  if (value === Infinity) return both(1)
  switch (distribution.kind) {
    case 'constant':
      return both(value >= distribution.value ? 1 : 0)
    case 'lognormal':
      if (value <= 0) return both(0)
      return normalShares(Math.log(value / distribution.median) / sigmaOf(distribution))
    case 'gamma': {
      const shape = 1 / distribution.cv ** 2
      return incompleteGamma(shape, (value * shape) / distribution.mean)
    }
    case 'quantiles':
      return both(shareOf(distribution.points, value))
    default:
      return unreachable(distribution)
  }
}

function both(share: number): GammaShares {
  const lower = Math.min(1, Math.max(0, share))
  return { lower, upper: 1 - lower }
}

function shareOf(points: readonly { q: number; value: number }[], value: number): number {
  const after = points.findIndex((point) => point.value > value)
  if (after === -1) return 1
  if (after === 0) return 0
  const [left, right] = [points[after - 1]!, points[after]!]
  return left.q + ((right.q - left.q) * (value - left.value)) / (right.value - left.value)
}

/** The logarithm of the density, only for lognormal and gamma. */
export function logDensity(
  distribution: Extract<Fitted, { kind: 'lognormal' | 'gamma' }>,
  value: number,
): number {
  if (value <= 0) return -Infinity
  if (distribution.kind === 'lognormal') {
    const sigma = sigmaOf(distribution)
    const z = Math.log(value / distribution.median) / sigma
    return -0.5 * z * z - Math.log(value * sigma * Math.sqrt(2 * Math.PI))
  }
  const shape = 1 / distribution.cv ** 2
  const scaled = (value * shape) / distribution.mean
  return shape * Math.log(scaled) - scaled - Math.log(value) - logGamma(shape)
}

const MOST_HALVINGS = 80

/** The value at a share of the distribution, 0 < share < 1. */
export function valueAt(distribution: Fitted, share: number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'lognormal':
      return distribution.median * Math.exp(sigmaOf(distribution) * inverseNormal(share))
    case 'gamma':
      return halved(distribution, share)
    case 'quantiles':
      return interpolate(distribution.points, share)
    default:
      return unreachable(distribution)
  }
}

function halved(gamma: Extract<Fitted, { kind: 'gamma' }>, share: number): number {
  let [low, high] = [0, gamma.mean]
  while (sharesAt(gamma, high).lower < share) high *= 2
  for (let n = 0; n < MOST_HALVINGS && high - low > 1e-9 * high; n++) {
    const middle = (low + high) / 2
    if (sharesAt(gamma, middle).lower < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export function distributionMean(distribution: Fitted): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'lognormal':
      return distribution.median * Math.exp(sigmaOf(distribution) ** 2 / 2)
    case 'gamma':
      return distribution.mean
    case 'quantiles':
      return distribution.points.reduce((sum, { q, value }, i) => {
        const before = distribution.points[i - 1]
        return before === undefined ? 0 : sum + ((q - before.q) * (value + before.value)) / 2
      }, 0)
    default:
      return unreachable(distribution)
  }
}
