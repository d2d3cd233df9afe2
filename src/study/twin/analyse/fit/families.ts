/** Fits the families of distributions that a profile knows to a sample by maximum likelihood. */
import { unreachable } from '../../../../base/assert.ts'
import type { Distribution } from '../../../../base/distribution.ts'
import { isCensored, isNarrow, middleOf, pointsOf, quantileOf } from './sample.ts'
import { logDensity, lognormalOf, sharesAt } from './shares.ts'
import { leastNear } from './simplex.ts'
import type { Between } from '../../../../result/workers/observed-stay.ts'

export type Family = 'lognormal' | 'gamma' | 'quantiles'

export const FAMILIES: readonly Family[] = ['lognormal', 'gamma', 'quantiles']

/** The least likelihood of a value, smaller than that of any observed one. */
const LEAST = 1e-12

/** The logarithm of the probability of what was observed. */
export function logLikelihood(distribution: Distribution, sample: readonly Between[]): number {
  let sum = 0
  for (const each of sample) sum += logShare(distribution, each)
  return sum
}

function logShare(distribution: Distribution, observed: Between): number {
  const { low, high } = observed
  const { kind } = distribution
  if ((kind === 'lognormal' || kind === 'gamma') && isNarrow(observed)) {
    const dense = logDensity(distribution, (low + high) / 2) + Math.log(high - low)
    return Math.max(Math.log(LEAST), dense)
  }
  const [from, to] = [sharesAt(distribution, low), sharesAt(distribution, high)]
  // In the upper tail, the difference of the complements is the precise one.
  const share = from.lower > 0.5 ? from.upper - to.upper : to.lower - from.lower
  return Math.log(Math.max(LEAST, share))
}

/** Null if the family does not fit at all, such as a gamma of equal values. */
export function fitted(family: Family, sample: readonly Between[]): Distribution | null {
  switch (family) {
    case 'lognormal':
      return lognormalFit(sample)
    case 'gamma':
      return gammaFit(sample)
    case 'quantiles':
      return quantilesFit(sample)
    default:
      return unreachable(family)
  }
}

/** A smaller coefficient of variation counts as none. */
const LEAST_CV = 1e-4

function momentsOf(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / values.length) }
}

function guesses(sample: readonly Between[]): number[] {
  return sample.map((each) =>
    isCensored(each) ? Math.max(1, 1.3 * each.low) : Math.max(1e-3, middleOf(each)),
  )
}

function lognormalFit(sample: readonly Between[]): Distribution | null {
  const { mean, deviation } = momentsOf(guesses(sample).map(Math.log))
  const sigma = Math.max(LEAST_CV, deviation)
  if (sample.every(isNarrow)) return deviation < LEAST_CV ? null : lognormalOf(mean, sigma)
  const [at, log] = leastNear(
    [mean, Math.log(sigma)],
    ([location, spread]) => -logLikelihood(lognormalOf(location, bounded(spread)), sample),
  )
  return lognormalOf(at, bounded(log))
}

/** Bounds a deviation that is given by its logarithm. */
function bounded(log: number): number {
  return Math.min(10, Math.max(LEAST_CV, Math.exp(log)))
}

function gammaOf(logMean: number, logCv: number): Distribution {
  return { kind: 'gamma', mean: Math.exp(logMean), cv: bounded(logCv) }
}

function gammaFit(sample: readonly Between[]): Distribution | null {
  const { mean, deviation } = momentsOf(guesses(sample))
  const cv = deviation / mean
  if (cv < LEAST_CV) return null
  const [at, log] = leastNear(
    [Math.log(mean), Math.log(cv)],
    ([logMean, logCv]) => -logLikelihood(gammaOf(logMean, logCv), sample),
  )
  return gammaOf(at, log)
}

/** The executions per step between two quantiles. */
const EACH_STEP = 15
const STEPS = { least: 4, most: 20 }
/**
 * The quantiles of the tail that are written if enough values are known; the mean of a heavy tail
 * depends on them.
 */
const TAIL = [
  { q: 0.975, needs: 200 },
  { q: 0.99, needs: 500 },
  { q: 0.998, needs: 2_500 },
]

/**
 * Interpolates linearly between quantiles of the sample. The ends are set so that the mean of the
 * last step, and with it the mean of the whole, is that of the sample.
 */
function quantilesFit(sample: readonly Between[]): Distribution | null {
  const points = pointsOf(sample)
  const n = sample.length
  const steps = Math.min(STEPS.most, Math.max(STEPS.least, Math.round(n / EACH_STEP)))
  const inner = Array.from({ length: steps - 1 }, (_, i) => (i + 1) / steps)
  const tail = TAIL.filter(({ q, needs }) => n >= needs && q > inner.at(-1)!).map(({ q }) => q)
  const known = [...inner, ...tail].map((q) => ({ q, value: quantileOf(points, q) }))
  const [first, last] = [known[0]!, known.at(-1)!]
  const beyond = points.filter(({ value }) => value > last.value)
  const weight = beyond.reduce((sum, each) => sum + each.weight, 0)
  const mean = beyond.reduce((sum, each) => sum + each.value * each.weight, 0) / weight
  const most = weight > 0 ? Math.max(last.value, 2 * mean - last.value) : last.value
  const least = Math.min(first.value, points[0]!.value)
  return {
    kind: 'quantiles',
    points: [{ q: 0, value: least }, ...known, { q: 1, value: most }],
  }
}
