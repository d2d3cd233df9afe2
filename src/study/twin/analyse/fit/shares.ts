/** Distributions as functions: the share up to a value, and the value at a share. */
import { unreachable } from '../../../../base/assert.ts'
import type { Distribution } from '../../../../base/distribution.ts'
import { inverseNormal } from '../../../../base/random.ts'
import { incompleteGamma, logGamma, normalShares } from './gamma-function.ts'

const Z95 = inverseNormal(0.95)

type Lognormal = Extract<Distribution, { kind: 'lognormal' }>

/** The standard deviation of the logarithm. */
function sigmaOf({ median, p95 }: Lognormal): number {
  return Math.log(p95 / median) / Z95
}

export function lognormalOf(logMean: number, sigma: number): Lognormal {
  return { kind: 'lognormal', median: Math.exp(logMean), p95: Math.exp(logMean + Z95 * sigma) }
}

/** P(X <= value) and P(X > value). */
export function sharesAt(
  distribution: Distribution,
  value: number,
): { lower: number; upper: number } {
  switch (distribution.kind) {
    case 'constant':
      return both(value >= distribution.value ? 1 : 0)
    case 'uniform': {
      const { min, max } = distribution
      return both(max === min ? Number(value >= min) : (value - min) / (max - min))
    }
    case 'lognormal': {
      if (value <= 0) return both(0)
      if (value >= (distribution.cap ?? Infinity)) return both(1)
      return normalShares(Math.log(value / distribution.median) / sigmaOf(distribution))
    }
    case 'gamma': {
      if (value >= (distribution.cap ?? Infinity)) return both(1)
      const shape = 1 / distribution.cv ** 2
      return incompleteGamma(shape, (value * shape) / distribution.mean)
    }
    case 'quantiles':
      return both(shareOf(distribution.points, value))
    default:
      return unreachable(distribution)
  }
}

function both(share: number): { lower: number; upper: number } {
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

/** The logarithm of the density, only for lognormal and gamma, and without their cap. */
export function logDensity(
  distribution: Extract<Distribution, { kind: 'lognormal' | 'gamma' }>,
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
export function valueAt(distribution: Distribution, share: number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'uniform':
      return distribution.min + share * (distribution.max - distribution.min)
    case 'lognormal': {
      const value = distribution.median * Math.exp(sigmaOf(distribution) * inverseNormal(share))
      return Math.min(value, distribution.cap ?? Infinity)
    }
    case 'gamma':
      return Math.min(halved(distribution, share), distribution.cap ?? Infinity)
    case 'quantiles':
      return interpolated(distribution.points, share)
    default:
      return unreachable(distribution)
  }
}

function halved(distribution: Extract<Distribution, { kind: 'gamma' }>, share: number): number {
  const { mean, cv } = distribution
  const uncapped = { kind: 'gamma', mean, cv } as const
  let [low, high] = [0, mean]
  while (sharesAt(uncapped, high).lower < share) high *= 2
  for (let n = 0; n < MOST_HALVINGS && high - low > 1e-9 * high; n++) {
    const middle = (low + high) / 2
    if (sharesAt(uncapped, middle).lower < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function interpolated(points: readonly { q: number; value: number }[], share: number): number {
  const after = points.findIndex((point) => point.q >= share)
  const right = points[after === -1 ? points.length - 1 : after]!
  const left = points[Math.max(0, (after === -1 ? points.length : after) - 1)]!
  if (right.q === left.q) return right.value
  return left.value + ((right.value - left.value) * (share - left.q)) / (right.q - left.q)
}

/** The mean, without the cap of lognormal and gamma. */
export function distributionMean(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'uniform':
      return (distribution.min + distribution.max) / 2
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
