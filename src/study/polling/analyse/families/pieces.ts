/**
 * The hazard of the execution times, piece by piece, and the integral of its square root: what
 * Keller's density of polls grows with.
 */
import { sumBy } from '../../../../result/statistics/moments.ts'
import type { Micros } from '../../../../base/units.ts'
import type { SampleShape } from './shape.ts'

/** A stretch of ages over which ends come evenly. */
export interface Piece {
  fromMicros: Micros
  lengthMicros: Micros
  /** Share of all executions that is not done at its beginning, and at its end. */
  before: number
  after: number
}

/** Where ends come closer than this, nothing is gained by telling them apart. */
const LEAST_PIECE_MICROS = 2_000
/** The last piece has so many executions at least: a long tail is no even piece. */
const FEWEST_IN_TAIL = 8

/**
 * Stretches of pieces, rising, with gaps between them in which nothing ends: a crew that takes
 * either 20 s or two minutes has two.
 *
 * Ages are cut where equal shares of the ends lie between, as many as the number of executions can
 * tell apart: 2 n^(1/3), the rule that balances bias against chance in a histogram. The last piece
 * is cut in half again and again. Each is then cut where it holds a gap that is no chance, and
 * where its ends do not come evenly: a few executions that straggle into a gap are a piece of their
 * own.
 */
export function stretchesOf(shape: SampleShape): Piece[][] {
  const { ends, never, executions } = shape
  const least = Math.max(LEAST_PIECE_MICROS, shape.requestMicros)
  const stretches: Piece[][] = [[]]
  let first = 0
  let before = 1
  const add = (from: number, to: number, after: number): void => {
    const fromMicros = ends[from]!.micros
    const lengthMicros = Math.max(ends[to]!.micros - fromMicros, least)
    if (after < before) stretches.at(-1)!.push({ fromMicros, lengthMicros, before, after })
    before = Math.min(before, after)
  }
  const leftAfter = leftAfterOf(ends, never)
  const addParts = (from: number, to: number): void => {
    const gap = gapWithin(ends, [from, to], executions)
    if (gap !== null) {
      addParts(from, gap)
      stretches.push([])
      return addParts(gap + 1, to)
    }
    const bend = bendWithin(ends, [from, to], executions)
    if (bend === null) return add(from, to, leftAfter[to]!)
    addParts(from, bend)
    addParts(bend, to)
  }
  for (const last of cutsOf(shape)) {
    const isLast = last === ends.length - 1
    if (ends[last]!.micros - ends[first]!.micros < least && !isLast) continue
    addParts(first, last)
    first = last
  }
  return stretches.filter(({ length }) => length > 0)
}

/** Share of all that is not done once each of the ends has come. */
function leftAfterOf(ends: SampleShape['ends'], never: number): number[] {
  let ended = 0
  return ends.map(({ share }, i) => {
    ended += share
    return i === ends.length - 1 ? never : never + (1 - never) * (1 - ended)
  })
}

/** Places among the ends; the last is that of the last end. */
function cutsOf({ ends, executions }: SampleShape): number[] {
  const pieces = Math.max(3, Math.round(2 * Math.cbrt(executions)))
  const shares = Array.from({ length: pieces - 1 }, (_, i) => (i + 1) / pieces)
  for (let left = 1 / pieces / 2; left * executions >= FEWEST_IN_TAIL; left /= 2) {
    shares.push(1 - left)
  }
  const places: number[] = []
  let sum = 0
  ends.forEach(({ share }, at) => {
    sum += share
    if (places.length < shares.length && sum >= shares[places.length]! - ROUNDING) places.push(at)
  })
  return [...places, ends.length - 1]
}

const ROUNDING = 1e-9
/** Chance that even ends leave a gap which is taken for one. */
const FALSE_GAPS = 0.01
const LEAST_GAP = 0.5
/** A single end says nothing about gaps. */
const FEWEST_AROUND_GAP = 2

/**
 * The end before the widest gap between two of them, where it is wider than chance makes it: of m
 * ends that come evenly, one leaves a gap of more than the share g with a chance of m (1 - g)^(m-1)
 * at most.
 */
function gapWithin(
  ends: SampleShape['ends'],
  [first, last]: readonly [number, number],
  executions: number,
): number | null {
  const length = ends[last]!.micros - ends[first]!.micros
  let widest = first
  let share = 0
  for (let at = first; at < last; at++) {
    share += ends[at + 1]!.share
    if (gapAt(ends, at) > gapAt(ends, widest)) widest = at
  }
  const m = share * executions
  if (m < FEWEST_AROUND_GAP) return null
  const allowed = Math.max(LEAST_GAP, 1 - (FALSE_GAPS / m) ** (1 / (m - 1)))
  return gapAt(ends, widest) > allowed * length ? widest : null
}

/** Quantile of Kolmogorov's distribution that even ends exceed with a chance of 1 %. */
const UNEVEN = 1.63

/**
 * The end at which the ends of a piece lie furthest from even, where that is no chance: many that
 * come at once and a few that straggle behind are two pieces.
 */
function bendWithin(
  ends: SampleShape['ends'],
  [first, last]: readonly [number, number],
  executions: number,
): number | null {
  const length = ends[last]!.micros - ends[first]!.micros
  let total = 0
  for (let at = first + 1; at <= last; at++) total += ends[at]!.share
  let [sum, furthest, bend] = [0, 0, first]
  for (let at = first + 1; at < last; at++) {
    sum += ends[at]!.share
    const even = (ends[at]!.micros - ends[first]!.micros) / length
    const distance = Math.abs(sum / total - even)
    if (distance > furthest) [furthest, bend] = [distance, at]
  }
  return furthest * Math.sqrt(total * executions) > UNEVEN ? bend : null
}

function gapAt(ends: SampleShape['ends'], at: number): Micros {
  return ends[at + 1]!.micros - ends[at]!.micros
}

/**
 * The integral of sqrt(h) over a piece, in square roots of microseconds: with a density p / length
 * and S falling from `before` by p, it is 2 sqrt(length / p) (sqrt(S0) - sqrt(S1)).
 */
function weightOf({ lengthMicros, before, after }: Piece): number {
  const share = before - after
  return 2 * Math.sqrt(lengthMicros / share) * (Math.sqrt(before) - Math.sqrt(after))
}

/** Over all of them. */
export function totalWeight(pieces: readonly Piece[]): number {
  return sumBy(pieces, (piece) => weightOf(piece))
}

/** The age by which the integral of sqrt(h) has grown to `weight`. */
export function ageAt(pieces: readonly Piece[], weight: number): Micros {
  let left = weight
  for (const piece of pieces) {
    const own = weightOf(piece)
    if (left <= own) return ageWithin(piece, left)
    left -= own
  }
  return endOf(pieces)
}

export function endOf(pieces: readonly Piece[]): Micros {
  const last = pieces.at(-1)
  return last === undefined ? 0 : last.fromMicros + last.lengthMicros
}

function ageWithin({ fromMicros, lengthMicros, before, after }: Piece, weight: number): Micros {
  const share = before - after
  const root = Math.max(
    Math.sqrt(after),
    Math.sqrt(before) - (weight / 2) * Math.sqrt(share / lengthMicros),
  )
  return fromMicros + ((before - root * root) / share) * lengthMicros
}
