/** Maps the fake crew's clock to the run's: by which offset, and with what error. */
import { z } from 'zod'
import { assert } from '../base/assert.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Micros } from '../base/units.ts'

/**
 * One request `GET /__fake__/clock`: when it was sent and answered on the run's clock, and the
 * reading in between.
 */
export interface ClockSample {
  sentMicros: Micros
  receivedMicros: Micros
  /** `now_ms` of the ledger's clock. */
  ledgerMs: number
}

/** Some thousand years: no clock is further from another. */
const MOST_MICROS = 1e17
/** Years 2000 (the start of simulated time) to 2200. */
const ANCHORS_UNIX_MS = { least: 946_684_800_000, most: 7_258_118_400_000 }

/** As `clock.json` holds it. */
export const clockMapping = z.object({
  /** Run clock = ledger clock + offset. */
  offsetMicros: z.number().min(-MOST_MICROS).max(MOST_MICROS),
  /**
   * Wall clock of that run clock's zero, Unix milliseconds: each instance has its own zero. Null
   * for the run's own zero.
   */
  anchorUnixMs: z.number().min(ANCHORS_UNIX_MS.least).max(ANCHORS_UNIX_MS.most).nullable(),
  /** The maximum error of the mapping, including drift between the first and the last sample. */
  errorMicros: z.number().min(0).max(MOST_MICROS),
  leastRoundTripMicros: z.number().min(0).max(MOST_MICROS),
  samples: z.int().min(1),
})
export type ClockMapping = z.infer<typeof clockMapping>

/**
 * The offset from the sample with the shortest round trip (D. L. Mills, NTP's clock filter): the
 * ledger's reading was taken somewhere between sent and received, so the offset lies within half a
 * round trip of their middle. The best samples of the first and of the second half each bound it
 * for their time; the error is the largest distance to any of these bounds, so that a clock that
 * drifts steadily in between stays within it. Needs at least one sample; take some before the run
 * and some after it. `anchorUnixMs` is the wall clock of the zero that the samples count from.
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

/** What to add to a time that counts from `anchorUnixMs` so that it counts from `zeroUnixMs`. */
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
