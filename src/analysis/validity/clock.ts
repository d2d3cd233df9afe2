/** The fake crew's clock on the run's: by which offset, and how wrong that may be. */
import { assert } from '../../base/assert.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

/**
 * One question `GET /__fake__/clock`: sent and answered on the run's clock, and what it said in
 * between.
 */
export interface ClockSample {
  sentMicros: Micros
  receivedMicros: Micros
  /** `now_ms` of the ledger's clock. */
  ledgerMs: number
}

export interface ClockMapping {
  /** Run clock = ledger clock + offset. */
  offsetMicros: number
  /**
   * Wall clock of that run clock's zero, Unix milliseconds: several instances have a zero each.
   * Null for the run's own zero.
   */
  anchorUnixMs: number | null
  /** The mapping is off by at most this, drift between the first and the last sample included. */
  errorMicros: number
  leastRoundTripMicros: number
  samples: number
}

/**
 * The offset from the sample with the least round trip (D. L. Mills, NTP's clock filter): the
 * ledger's reading was taken somewhere between sent and received, so the offset lies within half a
 * round trip of their middle. The best samples of the first and of the second half each bound it
 * for their time; the error is the largest distance to any of these bounds, so that a clock that
 * drifts steadily in between stays inside. Needs at least one sample; take some before the run and
 * some after it. `anchorUnixMs` is the wall clock of the zero that the samples count from.
 */
export function mapClock(
  samples: readonly ClockSample[],
  anchorUnixMs: number | null = null,
): ClockMapping {
  assert(samples.length > 0, 'a clock mapping needs a sample')
  const inTime = [...samples].sort((a, b) => a.sentMicros - b.sentMicros)
  const half = Math.ceil(inTime.length / 2)
  const best = closest(inTime)
  const ends = [closest(inTime.slice(0, half)), closest(inTime.slice(half))]
  const { low, high } = offsetBounds(best!)
  const offsetMicros = (low + high) / 2
  const distances = ends
    .filter((sample) => sample !== undefined)
    .map(offsetBounds)
    .flatMap((bounds) => [offsetMicros - bounds.low, bounds.high - offsetMicros])
  return {
    offsetMicros,
    anchorUnixMs,
    errorMicros: Math.max(...distances),
    leastRoundTripMicros: roundTrip(best!),
    samples: samples.length,
  }
}

/** The same mapping onto a clock with its zero at `zeroUnixMs`. */
export function countedFrom(zeroUnixMs: number, mapping: ClockMapping): ClockMapping {
  const shift = shiftMicros(mapping.anchorUnixMs ?? zeroUnixMs, zeroUnixMs)
  return { ...mapping, anchorUnixMs: zeroUnixMs, offsetMicros: mapping.offsetMicros + shift }
}

/** What to add to a time that counts from `anchorUnixMs` to have it count from `zeroUnixMs`. */
export function shiftMicros(anchorUnixMs: number, zeroUnixMs: number): Micros {
  return Math.round((anchorUnixMs - zeroUnixMs) * MICROS_PER_MS)
}

export function toRunClock(ledgerMs: number, mapping: ClockMapping): Micros {
  return Math.round(ledgerMs * MICROS_PER_MS + mapping.offsetMicros)
}

function closest(samples: readonly ClockSample[]): ClockSample | undefined {
  return samples.toSorted((a, b) => roundTrip(a) - roundTrip(b))[0]
}

function roundTrip({ sentMicros, receivedMicros }: ClockSample): Micros {
  return receivedMicros - sentMicros
}

function offsetBounds(sample: ClockSample): { low: number; high: number } {
  const ledgerMicros = sample.ledgerMs * MICROS_PER_MS
  return { low: sample.sentMicros - ledgerMicros, high: sample.receivedMicros - ledgerMicros }
}
