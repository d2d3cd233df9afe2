/**
 * The ticks of axes: elapsed time, durations on a logarithmic axis, counts, and percentiles by
 * their nines.
 */
import { scaleLinear } from 'd3-scale'
import { formatCount, formatRoundMs, toDigits } from '../../base/numbers.ts'

export interface Tick {
  value: number
  label: string
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Round lengths of time, in milliseconds. */
export const STEPS_MS = [
  ...[1, 10, 100].flatMap((count) => [count, 2 * count, 5 * count]),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 240].map((count) => count * HOUR),
]

/**
 * The round length of time nearest to `ms` by ratio: people read a rate `per 2 min`, not `per 128
 * s`.
 */
export function roundStep(ms: number): number {
  const distance = (step: number): number => Math.abs(Math.log(step / ms))
  return STEPS_MS.reduce((best, step) => (distance(step) < distance(best) ? step : best))
}

/** What follows `per`: `second`, `2 min`, `hour`. */
export function stepWords(ms: number): string {
  if (ms === SECOND) return 'second'
  if (ms === MINUTE) return 'minute'
  return ms === HOUR ? 'hour' : elapsedLabel(ms)
}

/**
 * Ticks from zero to `maxMs` at a round step of time, at most about `count`: `0`, `30 min`, `1 h`,
 * `1 h 30`.
 */
export function elapsedTicks(maxMs: number, count: number): Tick[] {
  const step = STEPS_MS.find((candidate) => maxMs / candidate <= count) ?? Math.max(1, maxMs)
  const ticks = Math.floor(maxMs / step + 1e-9)
  return Array.from({ length: ticks + 1 }, (_, index) => index * step).map((value) => ({
    value,
    label: elapsedLabel(value),
  }))
}

/** For example `0`, `250 ms`, `45 s`, `2:30 min`, `1 h`, `1 h 30`. */
export function elapsedLabel(ms: number): string {
  if (ms === 0) return '0'
  if (ms < SECOND) return `${ms} ms`
  if (ms < MINUTE) return `${ms / SECOND} s`
  if (ms < HOUR) {
    const seconds = Math.round((ms % MINUTE) / SECOND)
    const minutes = Math.floor(ms / MINUTE)
    return seconds === 0 ? `${minutes} min` : `${minutes}:${String(seconds).padStart(2, '0')} min`
  }
  const minutes = Math.round((ms % HOUR) / MINUTE)
  return minutes === 0
    ? `${Math.floor(ms / HOUR)} h`
    : `${Math.floor(ms / HOUR)} h ${String(minutes).padStart(2, '0')}`
}

/** Adjacent ones differ enough for their labels: 500 s would touch 10 min. */
const ROUND_MS = [
  ...[-3, -2, -1, 0, 1, 2, 3, 4].flatMap((power) =>
    [1, 2, 5].map((first) => Number(`${first}e${power}`)),
  ),
  ...[100, 200].map((count) => count * SECOND),
  ...[10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 5, 10, 24].map((count) => count * HOUR),
]

/**
 * Round durations between two, for a logarithmic axis; thinned to whole decades, or further, when
 * more than `count` fall inside.
 */
export function durationTicks(fromMs: number, toMs: number, count: number): Tick[] {
  const inside = ROUND_MS.filter((ms) => ms >= fromMs * 0.999 && ms <= toMs * 1.001)
  const decades = inside.filter((ms) => /^(0\.0*)?10*$/.test(String(ms)) || ms === 600_000)
  if (inside.length < 2) return evenTicks(fromMs, toMs, Math.min(count, 4))
  const chosen = inside.length <= count ? inside : decades.length >= 2 ? decades : inside
  const stride = Math.max(1, Math.ceil(chosen.length / count))
  return chosen
    .filter((_, index) => index % stride === 0)
    .map((value) => ({ value, label: formatRoundMs(value) }))
}

/** Returns ticks for a range with fewer than two round durations: `300 ms`, `350 ms`, `400 ms`. */
function evenTicks(fromMs: number, toMs: number, count: number): Tick[] {
  return scaleLinear([fromMs, toMs], [0, 1])
    .ticks(count)
    .filter((ms) => ms > 0)
    .slice(0, count)
    .map((value) => ({ value, label: formatRoundMs(value) }))
}

/**
 * Durations on a linear axis from zero, in the unit that `formatMs` would choose: `0`, `20 s`, `40
 * s`.
 */
export function linearDurationTicks(toMs: number, count: number): Tick[] {
  const [unit, ms] = toMs < 1 ? ['us', 0.001] : toMs < SECOND ? ['ms', 1] : ['s', SECOND]
  if (toMs >= 10 * MINUTE) return elapsedTicks(toMs, count)
  return scaleLinear([0, toMs / ms], [0, 1])
    .ticks(Math.max(2, Math.floor(count)))
    .map((value) => ({ value: value * ms, label: value === 0 ? '0' : `${value} ${unit}` }))
}

/** Whole numbers from zero. */
export function countTicks(max: number, count: number): Tick[] {
  return scaleLinear()
    .domain([0, Math.max(1, max)])
    .ticks(count)
    .filter((value) => Number.isInteger(value))
    .map((value) => ({ value, label: formatCount(value) }))
}

const NINES = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999] as const

/**
 * The nines axis: 50, 90, 99, 99.9 % ... evenly spaced at 0, 1, 2, 3, and between them by the
 * logarithm of the share above. Shares below one half are left of zero.
 */
export function ninesPosition(q: number): number {
  const nines = -Math.log10(Math.max(1e-12, 1 - q))
  const half = -Math.log10(0.5)
  return nines < 1 ? (nines - half) / (1 - half) : nines
}

/** `p50`, `p90`, `p99`, `p99.9` ... up to the given position, by their shares. */
export function ninesShares(maxPosition: number): Tick[] {
  return NINES.filter((q) => ninesPosition(q) <= maxPosition + 1e-9).map((q) => ({
    value: q,
    label: percentile(q),
  }))
}

/** `p50`, `p99.9`. */
export function percentile(q: number): string {
  return `p${toDigits(q * 100, q < 0.99 ? 3 : 7)}`
}
