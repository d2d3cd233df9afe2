/**
 * The hazard of the execution times, piece by piece, and the integral of its square root: what
 * Keller's density of polls grows with.
 */
import type { Micros } from '../../../../base/units.ts'
import type { Shape } from './shape.ts'

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
 * Ages cut where equal shares of the ends lie between, as many as the number of executions can tell
 * apart: 2 n^(1/3), the rule that balances bias against chance in a histogram. The last of them is
 * cut in half again and again.
 */
export function piecesOf({ executions, quantile, never, requestMicros }: Shape): Piece[] {
  const least = Math.max(LEAST_PIECE_MICROS, requestMicros)
  const found: Piece[] = []
  let fromMicros = quantile(0)
  let before = 1
  for (const q of cutsFor(executions)) {
    const toMicros = quantile(q)
    if (toMicros - fromMicros < least && q < 1) continue
    const after = never + (1 - never) * (1 - q)
    const lengthMicros = Math.max(toMicros - fromMicros, least)
    found.push({ fromMicros, lengthMicros, before, after })
    fromMicros = toMicros
    before = after
  }
  return found
}

function cutsFor(executions: number): number[] {
  const pieces = Math.max(3, Math.round(2 * Math.cbrt(executions)))
  const cuts = Array.from({ length: pieces - 1 }, (_, i) => (i + 1) / pieces)
  for (let left = 1 / pieces / 2; left * executions >= FEWEST_IN_TAIL; left /= 2) {
    cuts.push(1 - left)
  }
  return [...cuts, 1]
}

/**
 * The integral of sqrt(h) over a piece, in square roots of microseconds: with a density p / length
 * and S falling from `before` by p, it is 2 sqrt(length / p) (sqrt(S0) - sqrt(S1)).
 */
function weightOf({ lengthMicros, before, after }: Piece): number {
  const share = before - after
  return 2 * Math.sqrt(lengthMicros / share) * (Math.sqrt(before) - Math.sqrt(after))
}

/** Over all ages that were seen. */
export function totalWeight(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + weightOf(piece), 0)
}

/** The age by which the integral of sqrt(h) has grown to `weight`. */
export function ageAt(pieces: readonly Piece[], weight: number): Micros {
  let left = weight
  for (const piece of pieces) {
    const own = weightOf(piece)
    if (left <= own) return ageWithin(piece, left)
    left -= own
  }
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
