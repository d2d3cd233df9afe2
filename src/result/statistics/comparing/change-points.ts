/** Finds where the level of a series changed, and how surely. */
import { compareMeans } from './two-means.ts'
import { median } from '../quantiles.ts'

interface ChangePoint {
  /** The index of the first value after the change. */
  at: number
  /**
   * The median between the previous change and this one (`before`), and between this one and the
   * next (`after`).
   */
  before: number
  after: number
  /**
   * The two-sided p value, multiplied by the number of places where the series could have changed.
   */
  p: number
}

interface ChangeTerms {
  /** The probability with which a series without a change may be given one. */
  level: number
  /** The smallest difference of levels that counts. */
  least: number
}

/** The fewest values on each side of a change, because a single outlier is not a change. */
export const FEWEST_VALUES = 3
/** A part is split where its two sides differ at this level; merging decides later. */
const SPLIT_LEVEL = 0.05

/**
 * Finds change points by E-divisive means (Matteson and James, "A nonparametric approach for
 * multiple change point analysis of multivariate data", 2014) with Student's t test in place of
 * permutations, as Hunter does (Fleming et al., "Hunter: using change point detection to hunt for
 * performance regressions", 2023), which makes it deterministic: a series is split where the energy
 * distance of its two sides is largest, again and again; then the weakest change is removed until
 * all that are left are significant between their neighbours, and count. Unlike Hunter's, p is
 * multiplied by the number of places that were searched (Bonferroni), one or two outliers in a row
 * are replaced by the median of their neighbours, and a smallest spread is assumed. Values may be
 * Infinity, which is above all others by more than they lie apart. Changes are in order of their
 * index. The time grows with the square of the length.
 */
export function changePoints(values: readonly number[], terms: ChangeTerms): ChangePoint[] {
  const leastDeviation = terms.least / PARTS_OF_LEAST
  const series = withoutOutliers(withoutInfinity(values), leastDeviation)
  const places = splits(series, leastDeviation, 0, values.length).toSorted((a, b) => a - b)
  for (;;) {
    const found = changesAt({ values, series, leastDeviation }, places)
    const weak = found.filter((change) => change.p >= terms.level || sizeOf(change) < terms.least)
    if (weak.length === 0) return found
    const weakest = weak.reduce((a, b) => (b.p > a.p ? b : a))
    places.splice(places.indexOf(weakest.at), 1)
  }
}

/** Infinite from or to Infinity. */
function sizeOf({ before, after }: ChangePoint): number {
  return before === after ? 0 : Math.abs(after - before)
}

/** The smallest standard deviation that is believed, as a part of the smallest change. */
const PARTS_OF_LEAST = 5

/** Replaces Infinity by a finite value that lies further away from all others than they do. */
function withoutInfinity(values: readonly number[]): number[] {
  const finite = values.filter(Number.isFinite)
  const highest = finite.length === 0 ? 0 : Math.max(...finite)
  const spread = finite.length === 0 ? 0 : highest - Math.min(...finite)
  return values.map((value) => (Number.isFinite(value) ? value : highest + 2 * spread + 1))
}

/** The number of values that are neighbours of each other: three of them are a level. */
const NEIGHBOURS = 2 * FEWEST_VALUES - 1
/** The largest distance from the median of the neighbours, in standard deviations. */
const FAR = 5
/** Makes the median difference of successive normal values estimate their standard deviation. */
const TO_DEVIATION = 1.4826 / Math.SQRT2

/** Replaces values that lie far from the median of their neighbours by it (Hampel's filter). */
function withoutOutliers(values: readonly number[], leastDeviation: number): number[] {
  if (values.length < NEIGHBOURS) return [...values]
  const steps = values.slice(1).map((value, i) => Math.abs(value - values[i]!))
  const reach = FAR * Math.max(leastDeviation, TO_DEVIATION * median(steps))
  return values.map((value, i) => {
    const from = Math.min(Math.max(0, i - FEWEST_VALUES + 1), values.length - NEIGHBOURS)
    const center = median(values.slice(from, from + NEIGHBOURS))
    return Math.abs(value - center) > reach ? center : value
  })
}

function splits(
  series: readonly number[],
  leastDeviation: number,
  from: number,
  to: number,
): number[] {
  const at = bestSplit(series, from, to)
  if (at === null) return []
  const found = compareMeans(series.slice(from, at), series.slice(at, to), { leastDeviation })
  if (found === null || found.p >= SPLIT_LEVEL) return []
  const parts = [[from, at] as const, [at, to] as const]
  const [left = [], right = []] = parts.map((part) => splits(series, leastDeviation, ...part))
  return [...left, at, ...right]
}

interface LevelSeries {
  values: readonly number[]
  /** The values without outliers and without Infinity. */
  series: readonly number[]
  leastDeviation: number
}

/** Tests each change against the values between its neighbours. */
function changesAt(
  { values, series, leastDeviation }: LevelSeries,
  places: readonly number[],
): ChangePoint[] {
  return places.map((at, i) => {
    const [from, to] = [places[i - 1] ?? 0, places[i + 1] ?? values.length]
    const sides = [series.slice(from, at), series.slice(at, to)] as const
    const p = (compareMeans(...sides, { leastDeviation })?.p ?? 1) * (values.length - 1)
    return {
      at,
      before: median(values.slice(from, at)),
      after: median(values.slice(at, to)),
      p,
    }
  })
}

/**
 * Returns the place at which the energy distance is largest; null if there is no room for two
 * sides. The sums of distances within and between the sides follow from those of one place to the
 * next.
 */
function bestSplit(values: readonly number[], from: number, to: number): number | null {
  const part = values.slice(from, to)
  let left = 0
  let right = distances(part, part) / 2
  let between = 0
  let best: { at: number; energy: number } | null = null
  for (let at = 1; at < part.length; at++) {
    const moved = [part[at - 1]!]
    const toLeft = distances(moved, part.slice(0, at - 1))
    const toRight = distances(moved, part.slice(at))
    left += toLeft
    right -= toRight
    between += toRight - toLeft
    if (at < FEWEST_VALUES || part.length - at < FEWEST_VALUES) continue
    const energy = energyOf({ left, right, between }, at, part.length - at)
    if (best === null || energy > best.energy) best = { at: from + at, energy }
  }
  return best?.at ?? null
}

/** The sums of distances between pairs, each pair counted once. */
interface DistanceSums {
  left: number
  right: number
  between: number
}

/** The energy distance of Matteson and James, (5) and (6), with distances to the power of 1. */
function energyOf({ left, right, between }: DistanceSums, m: number, n: number): number {
  const own = (2 * left) / (m * (m - 1)) + (2 * right) / (n * (n - 1))
  return ((m * n) / (m + n)) * ((2 * between) / (m * n) - own)
}

function distances(some: readonly number[], others: readonly number[]): number {
  let sum = 0
  for (const one of some) for (const other of others) sum += Math.abs(one - other)
  return sum
}
