/** The integral of a rate that runs linearly through segments, and its exact inverse. */
import type { Micros, Rate } from '../../base/units.ts'
import type { RateSegment } from '../plan.ts'

/**
 * ```
 * rate                          arrivals expected so far
 *    |      ____                   |            ___/
 *    |    /|    |                  |         __/
 *    |  /  |    |                  |      _/
 *    |/____|____|__ time           |__--'_________ time
 * ```
 */
export interface Intensity {
  /** Arrivals expected over all segments: the integral of the rate. */
  readonly total: number
  readonly durationMicros: Micros
  /**
   * The time at which the integral passes `arrivals`, from 0 up to but not at `total`; fractions of
   * a microsecond are kept. Over a stretch without arrivals the time is its end: the rate goes on
   * from there.
   */
  timeOf(arrivals: number): number
}

interface Piece {
  segment: RateSegment
  startMicros: Micros
  /** Arrivals expected before and by the end of this piece. */
  before: number
  after: number
}

/**
 * Rounding leaves the integral a hair beside a whole number; the millionth part of an arrival is
 * none.
 */
const HAIR_ARRIVALS = 1e-6

export function createIntensity(segments: readonly RateSegment[]): Intensity {
  const pieces: Piece[] = []
  let startMicros = 0
  let sum = 0
  for (const segment of segments) {
    const before = withoutHair(sum)
    sum += expected(segment)
    pieces.push({ segment, startMicros, before, after: withoutHair(sum) })
    startMicros += segment.forMicros
  }
  return {
    total: withoutHair(sum),
    durationMicros: startMicros,
    timeOf(arrivals) {
      const piece = pieces.find(({ after }) => arrivals < after)
      if (piece === undefined) return startMicros
      return piece.startMicros + offsetOf(arrivals - piece.before, piece.segment)
    },
  }
}

/** Arrivals expected in one segment: the area of the trapezium, T (a + b) / 2. */
function expected(segment: RateSegment): number {
  const { from, to, forMicros } = segment
  if (isConstant(segment)) return (from.count * forMicros) / from.perMicros
  return (forMicros * (perMicro(from) + perMicro(to))) / 2
}

/**
 * Where in a segment of length T, rate a to b, `arrivals` u are reached. At a constant rate u per /
 * count, from whole numbers, so that no error adds up: `40/h` puts arrival i at i x 90 s exactly.
 * On a ramp the root of a t + (b - a) t^2 / 2T = u, in the form
 *
 *     t = 2u / (a + sqrt(a^2 + 2u (b - a) / T))
 *
 * that never subtracts close numbers, whichever way the ramp leads.
 */
function offsetOf(arrivals: number, segment: RateSegment): number {
  const { from, to, forMicros } = segment
  if (isConstant(segment)) return (arrivals * from.perMicros) / from.count
  if (arrivals === 0) return 0
  const start = perMicro(from)
  const slope = (perMicro(to) - start) / forMicros
  const root = Math.sqrt(Math.max(0, start ** 2 + 2 * arrivals * slope))
  return Math.min((2 * arrivals) / (start + root), forMicros)
}

function isConstant({ from, to }: RateSegment): boolean {
  return from.count * to.perMicros === to.count * from.perMicros
}

function perMicro(rate: Rate): number {
  return rate.count / rate.perMicros
}

function withoutHair(arrivals: number): number {
  const whole = Math.round(arrivals)
  return Math.abs(arrivals - whole) < HAIR_ARRIVALS ? whole : arrivals
}
