/** Finds where the mean of a series changed, and how surely. */
import { meanOf } from '../moments.ts'
import { compareMeans } from '../comparing/two-means.ts'

export interface ChangePoint {
  /** The index of the first value after the change. */
  at: number
  /**
   * The mean between the previous change and this one (`before`), and between this one and the next
   * (`after`).
   */
  before: number
  after: number
  /**
   * The two-sided p value, multiplied by the number of places where the series could have changed.
   */
  p: number
}

export interface ChangeTerms {
  /** The probability with which a series without a change may be given one. */
  level: number
  /** The smallest difference of means that counts. */
  least: number
}

/** The fewest values on each side of a change, because a single outlier is not a change. */
const FEWEST = 3
/** A part is split where its two sides differ at this level; merging decides later. */
const SPLIT_LEVEL = 0.05

/**
 * Finds change points by E-divisive means (Matteson and James, "A nonparametric approach for
 * multiple change point analysis of multivariate data", 2014) with Student's t test in place of
 * permutations, as Hunter does (Fleming et al., "Hunter: using change point detection to hunt for
 * performance regressions", 2023), which makes it deterministic: a series is split where the energy
 * distance of its two sides is largest, again and again; then the weakest change is removed until
 * all that are left are significant between their neighbours, and count. Unlike Hunter's, p is
 * multiplied by the number of places that were searched (Bonferroni). Changes are in order of their
 * index. The time grows with the square of the length.
 */
export function changePoints(values: readonly number[], terms: ChangeTerms): ChangePoint[] {
  const places = splits(values, 0, values.length).toSorted((a, b) => a - b)
  for (;;) {
    const found = changesAt(values, places)
    const weak = found.filter(
      ({ p, before, after }) => p >= terms.level || Math.abs(after - before) < terms.least,
    )
    if (weak.length === 0) return found
    const weakest = weak.reduce((a, b) => (b.p > a.p ? b : a))
    places.splice(places.indexOf(weakest.at), 1)
  }
}

function splits(values: readonly number[], from: number, to: number): number[] {
  const at = bestSplit(values, from, to)
  if (at === null) return []
  const found = compareMeans(values.slice(from, at), values.slice(at, to))
  if (found === null || found.p >= SPLIT_LEVEL) return []
  return [...splits(values, from, at), at, ...splits(values, at, to)]
}

/** Tests each change against the values between its neighbours. */
function changesAt(values: readonly number[], places: readonly number[]): ChangePoint[] {
  return places.map((at, i) => {
    const left = values.slice(places[i - 1] ?? 0, at)
    const right = values.slice(at, places[i + 1] ?? values.length)
    const p = (compareMeans(left, right)?.p ?? 1) * (values.length - 1)
    return { at, before: meanOf(left), after: meanOf(right), p }
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
    if (at < FEWEST || part.length - at < FEWEST) continue
    const energy = energyOf({ left, right, between }, at, part.length - at)
    if (best === null || energy > best.energy) best = { at: from + at, energy }
  }
  return best?.at ?? null
}

/** The sums of distances between pairs, each pair counted once. */
interface Sums {
  left: number
  right: number
  between: number
}

/** The energy distance of Matteson and James, (5) and (6), with distances to the power of 1. */
function energyOf({ left, right, between }: Sums, m: number, n: number): number {
  const own = (2 * left) / (m * (m - 1)) + (2 * right) / (n * (n - 1))
  return ((m * n) / (m + n)) * ((2 * between) / (m * n) - own)
}

function distances(some: readonly number[], others: readonly number[]): number {
  let sum = 0
  for (const one of some) for (const other of others) sum += Math.abs(one - other)
  return sum
}
