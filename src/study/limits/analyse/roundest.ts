/** The number that a person would have configured, of those that the evidence allows. */
import type { Estimate } from './infer/interface.ts'

/** Steps of a decade, from the roundest on: 10, 50, 20 or 25, then single digits. */
const STEPS = [10, 5, 2.5, 2, 1]
/** A window of 60 s, 5 min or an hour is rounder than its digits say. */
const TIMES_MS = [3_600_000, 1_800_000, 900_000, 600_000, 300_000, 120_000, 60_000, 30_000]

/**
 * The roundest number within the interval: limits are configured by people. It is the nearest to
 * the value where several are as round, and the value itself, to four digits, where none is.
 */
export function roundestIn({ value, low, high }: Estimate): number {
  const time = TIMES_MS.find((each) => each >= low && each <= high)
  if (time !== undefined) return time
  const decade = 10 ** Math.floor(Math.log10(value))
  for (const scale of [decade, decade / 10, decade / 100]) {
    for (const step of STEPS) {
      const nearest = Math.round(value / (step * scale)) * step * scale
      if (nearest > 0 && nearest >= low && nearest <= high) return Number(nearest.toPrecision(12))
    }
  }
  return Number(value.toPrecision(4))
}
