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
interface Intensity {
  /** Arrivals expected over all segments: the integral of the rate. */
  readonly total: number
  readonly durationMicros: Micros
  /**
   * The time at which the integral passes `arrivals`, which ranges from 0 up to but not including
   * `total`; fractions of a microsecond are kept. Over an interval without arrivals the time is its
   * end, where the rate continues.
   */
  timeOf(arrivals: number): number
}

interface RatePiece {
  segment: RateSegment
  startMicros: Micros
  /** Arrivals expected before and by the end of this piece. */
  before: number
  after: number
}

/**
 * Rounding makes the integral differ slightly from a whole number; less than a millionth of an
 * arrival is ignored.
 */
const HAIR_ARRIVALS = 1e-6

export function createIntensity(segments: readonly RateSegment[]): Intensity {
  const pieces: RatePiece[] = []
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
 * Where in a segment of length T, with the rate going from a to b, `arrivals` u are reached. At a
 * constant rate it is u per / count in whole numbers, so no error accumulates: `40/h` puts arrival
 * i at i x 90 s exactly. On a ramp it is the root of a t + (b - a) t^2 / 2T = u, in the form
 *     t = 2u / (a + sqrt(a^2 + 2u (b - a) / T))
 * which never subtracts close numbers, whether the ramp rises or falls.
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

export function isConstant({ from, to }: RateSegment): boolean {
  return from.count * to.perMicros === to.count * from.perMicros
}

function perMicro(rate: Rate): number {
  return rate.count / rate.perMicros
}

function withoutHair(arrivals: number): number {
  const whole = Math.round(arrivals)
  return Math.abs(arrivals - whole) < HAIR_ARRIVALS ? whole : arrivals
}
