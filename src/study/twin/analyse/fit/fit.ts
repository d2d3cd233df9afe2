/**
 * Fits a distribution of a profile to a sample: chooses the family that best predicts executions
 * that it has not seen, and says how well it does.
 */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import type { Goodness } from '../../document.ts'
import { sumBy, meanOf } from '../../../../result/statistics/moments.ts'
import { kolmogorovSmirnov } from '../../../../result/statistics/kolmogorov-smirnov.ts'
import { rankInterval, weightedQuantile } from '../../../../result/statistics/quantiles.ts'
import { isCensored, isNarrow, weightedPoints } from './sample.ts'
import { thinned } from '../../../../result/statistics/rising.ts'
import type { Fitted } from './shares.ts'
import { logDensity, lognormalOf, sharesAt, valueAt } from './shares.ts'
import type { Between } from '../../../../result/inferred-workers/observed-stay.ts'
import { unreachable } from '../../../../base/assert.ts'

/** How well it fits, too; quantities are in the unit of the sample. */
export interface Fit extends Goodness {
  distribution: Fitted
  family: Family | 'constant'
}

/** The fewest values to which a distribution is fitted. */
export const FEWEST = 8
const FOLDS = 5
/** The most values that are kept: more would not change any result. */
const MOST_KEPT = 2_000

/** Null if fewer than eight values were observed to end. */
export function fitOf(all: readonly Between[]): Fit | null {
  const sample = thinned(all, MOST_KEPT)
  if (sample.filter((each) => !isCensored(each)).length < FEWEST) return null
  const constant = constantOf(sample)
  const heldOut = constant === null ? FAMILIES.map((family) => heldOutBy(family, sample)) : []
  const order = heldOut.toSorted((a, b) => b.logLikelihood - a.logLikelihood)
  const family = order[0]?.family ?? 'constant'
  const distribution =
    constant ?? (family === 'constant' ? null : fitted(family, sample)) ?? degenerate(sample)
  const points = weightedPoints(sample)
  return {
    distribution,
    family: constant === null ? family : 'constant',
    heldOut,
    n: all.length,
    between: all.filter((each) => !isCensored(each) && !isNarrow(each)).length,
    censored: all.filter(isCensored).length,
    p50: quantile(all, points, distribution, 0.5),
    p95: quantile(all, points, distribution, 0.95),
    qq: SHARES.map((share) => ({
      share,
      observed: weightedQuantile(points, share)!,
      fitted: valueAt(distribution, share),
    })),
    test: constant === null && family !== 'constant' ? tested(family, sample) : null,
  }
}

export const SHARES = [...Array.from({ length: 19 }, (_, i) => (i + 1) / 20), 0.975, 0.99]

/** The constant that lies within all bounds, if these are narrow; otherwise null. */
function constantOf(sample: readonly Between[]): Fitted | null {
  if (!sample.every(isNarrow)) return null
  const low = Math.max(...sample.map((each) => each.low))
  const high = Math.min(...sample.map((each) => each.high))
  return low > high ? null : { kind: 'constant', value: (low + high) / 2 }
}

function degenerate(sample: readonly Between[]): Fitted {
  return { kind: 'constant', value: weightedQuantile(weightedPoints(sample), 0.5)! }
}

function heldOutBy(
  family: Family,
  sample: readonly Between[],
): { family: Family; logLikelihood: number } {
  let sum = 0
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = sample.filter((_, i) => i % FOLDS !== fold)
    const own = sample.filter((_, i) => i % FOLDS === fold)
    const distribution = fitted(family, others)
    sum += distribution === null ? -Infinity : scoreOf(distribution, others, own)
  }
  return { family, logLikelihood: sum / sample.length }
}

/**
 * The log-likelihood of held-out values. Quantiles of n values exclude what lies beyond them, about
 * 2 in n; that probability is given to a lognormal, so that one such value does not decide alone.
 */
function scoreOf(
  distribution: Fitted,
  others: readonly Between[],
  own: readonly Between[],
): number {
  if (distribution.kind !== 'quantiles') return logLikelihood(distribution, own)
  const wide = fitted('lognormal', others)
  const lent = 2 / (others.length + 1)
  return own.reduce((sum, each) => {
    const inside = Math.exp(logLikelihood(distribution, [each]))
    const beyond = wide === null ? 0 : Math.exp(logLikelihood(wide, [each]))
    return sum + Math.log((1 - lent) * inside + lent * beyond)
  }, 0)
}

function quantile(
  all: readonly Between[],
  points: ReturnType<typeof weightedPoints>,
  distribution: Fitted,
  share: number,
): Goodness['p50'] {
  const { low, high } = rankInterval(all.length, share)
  const lows = Float64Array.from(all, (each) => each.low).sort()
  const highs = Float64Array.from(all, (each) => each.high).sort()
  return {
    value: weightedQuantile(points, share)!,
    low: low === null ? null : finite(lows[low - 1]),
    high: high === null ? null : finite(highs[high - 1]),
    fitted: valueAt(distribution, share),
  }
}

function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value
}

/** Fewer held-out values show no misfit. */
const FEWEST_HELD_OUT = 5
const MOST_COMPARED = 400

/**
 * Tests as for two samples, because the fit is only as precise as the values from which it was
 * made.
 */
function tested(family: Family, sample: readonly Between[]): Fit['test'] {
  const others = sample.filter((_, i) => i % FOLDS !== 0)
  const held = sample.filter((each, i) => i % FOLDS === 0 && !isCensored(each)).map(middleOf)
  const distribution = fitted(family, others)
  if (held.length < FEWEST_HELD_OUT || distribution === null) return null
  const size = Math.min(MOST_COMPARED, others.length)
  const expected = Array.from({ length: size }, (_, i) => valueAt(distribution, (i + 0.5) / size))
  const { distance, p } = kolmogorovSmirnov(held, expected)
  return { distance, p, n: held.length }
}

type Family = 'lognormal' | 'gamma' | 'quantiles'

/** Fits the families of distributions that a profile knows to a sample by maximum likelihood. */
const FAMILIES: readonly Family[] = ['lognormal', 'gamma', 'quantiles']

/** The least likelihood of a value, smaller than that of any observed one. */
const LEAST = 1e-12

/** The logarithm of the probability of what was observed. */
function logLikelihood(distribution: Fitted, sample: readonly Between[]): number {
  let sum = 0
  for (const each of sample) sum += logShare(distribution, each)
  return sum
}

function logShare(distribution: Fitted, observed: Between): number {
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
function fitted(family: Family, sample: readonly Between[]): Fitted | null {
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
  const mean = meanOf(values)
  const squares = sumBy(values, (value) => (value - mean) ** 2)
  return { mean, deviation: Math.sqrt(squares / values.length) }
}

function guesses(sample: readonly Between[]): number[] {
  return sample.map((each) =>
    isCensored(each) ? Math.max(1, 1.3 * each.low) : Math.max(1e-3, middleOf(each)),
  )
}

function lognormalFit(sample: readonly Between[]): Fitted | null {
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

function gammaOf(logMean: number, logCv: number): Fitted {
  return { kind: 'gamma', mean: Math.exp(logMean), cv: bounded(logCv) }
}

function gammaFit(sample: readonly Between[]): Fitted | null {
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
function quantilesFit(sample: readonly Between[]): Fitted | null {
  const points = weightedPoints(sample)
  const n = sample.length
  const steps = Math.min(STEPS.most, Math.max(STEPS.least, Math.round(n / EACH_STEP)))
  const inner = Array.from({ length: steps - 1 }, (_, i) => (i + 1) / steps)
  const tail = TAIL.filter(({ q, needs }) => n >= needs && q > inner.at(-1)!).map(({ q }) => q)
  const known = [...inner, ...tail].map((q) => ({ q, value: weightedQuantile(points, q)! }))
  const [first, last] = [known[0]!, known.at(-1)!]
  const beyond = points.filter(({ value }) => value > last.value)
  const weight = sumBy(beyond, (each) => each.weight)
  const mean = sumBy(beyond, (each) => each.value * each.weight) / weight
  const most = weight > 0 ? Math.max(last.value, 2 * mean - last.value) : last.value
  const least = Math.min(first.value, points[0]!.value)
  return {
    kind: 'quantiles',
    points: [{ q: 0, value: least }, ...known, { q: 1, value: most }],
  }
}

type SimplexPair = readonly [number, number]

interface Corner {
  at: SimplexPair
  value: number
}

const MOST_STEPS = 120
const FIRST = 0.2
/** Smaller differences of a log-likelihood are negligible. */
const PRECISION = 1e-4

/**
 * Finds the minimum of a function of two numbers near a point, by the simplex of Nelder and Mead
 * ("A simplex method for function minimization", 1965).
 */
function leastNear(start: SimplexPair, value: (at: SimplexPair) => number): SimplexPair {
  const corner = (at: SimplexPair): Corner => ({ at, value: value(at) })
  const [x, y] = start
  let corners = [corner(start), corner([x + FIRST, y]), corner([x, y + FIRST])]
  for (let step = 0; step < MOST_STEPS; step++) {
    corners = corners.toSorted((a, b) => a.value - b.value)
    const [best, middle, worst] = corners as [Corner, Corner, Corner]
    if (worst.value - best.value < PRECISION) break
    const centre = between(best.at, middle.at, 0.5)
    const reflected = corner(between(worst.at, centre, 2))
    corners = [best, middle, replacement(worst, { centre, reflected, best, middle, corner })]
    if (corners[2]!.value >= worst.value) {
      corners = [
        best,
        corner(between(middle.at, best.at, 0.5)),
        corner(between(worst.at, best.at, 0.5)),
      ]
    }
  }
  return corners.reduce((least, each) => (each.value < least.value ? each : least)).at
}

interface SimplexStep {
  centre: SimplexPair
  reflected: Corner
  best: Corner
  middle: Corner
  corner: (at: SimplexPair) => Corner
}

/**
 * Returns the corner that replaces the worst one: the reflection, a point beyond it if that is
 * better still, or a point nearer to the centre if the reflection is no improvement.
 */
function replacement(
  worst: Corner,
  { centre, reflected, best, middle, corner }: SimplexStep,
): Corner {
  if (reflected.value < best.value) {
    const farther = corner(between(worst.at, centre, 3))
    return farther.value < reflected.value ? farther : reflected
  }
  if (reflected.value < middle.value) return reflected
  const nearer = reflected.value < worst.value ? reflected.at : worst.at
  return corner(between(nearer, centre, 0.5))
}

/** The point `from`, moved towards `to` by `times` their distance. */
function between([x, y]: SimplexPair, [toX, toY]: SimplexPair, times: number): SimplexPair {
  return [x + times * (toX - x), y + times * (toY - y)]
}
