/**
 * Quantities as people write them: durations, rates, shares and sizes, parsed and formatted.
 * Parsing takes time linear in the length.
 */

/** Integer microseconds: a point on the run's clock (since its monotonic zero) or a duration. */
export type Micros = number

/** A duration: `'500ms'`, `'2s'`, `'1.5m'`, `'1h30m'`, `'0'`; units us, ms, s, m (or min), h, d. */
export type Duration = string

export const MICROS_PER_MS = 1_000
export const MICROS_PER_SECOND = 1_000_000

export const MICROS_PER_MINUTE = 60_000_000

const UNIT_MICROS = new Map([
  ['us', 1],
  ['ms', 1_000],
  ['s', 1_000_000],
  ['m', MICROS_PER_MINUTE],
  ['min', MICROS_PER_MINUTE],
  ['h', 3_600_000_000],
  ['d', 86_400_000_000],
])

/** What `parseDuration` allows, for error messages. */
export const DURATION_HELP = 'a duration like "500ms", "2s", "1.5m" or "1h30m"'

/**
 * Reads `500ms`, `2s`, `1.5m`, `1h30m`, `0` into integer microseconds; units us, ms, s, m (or min),
 * h, d. Returns undefined for anything else.
 */
export function parseDuration(text: string): Micros | undefined {
  const trimmed = text.trim()
  if (trimmed === '0') return 0
  if (!/^(\d{1,40}(\.\d{1,40})?(us|ms|s|min|m|h|d))+$/.test(trimmed)) return undefined
  let micros = 0
  for (const [, amount, unit] of trimmed.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(us|ms|s|min|m|h|d)/g)) {
    micros += Number(amount) * (UNIT_MICROS.get(unit ?? '') ?? Number.NaN)
  }
  const rounded = Math.round(micros)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}

/**
 * Formats whole microseconds, 0 or more, so that `parseDuration` reads them back exactly: `431ms`,
 * `4.31s`, `90s`, `1500us`.
 */
export function durationText(micros: Micros): string {
  if (micros === 0) return '0'
  if (micros % MICROS_PER_MS !== 0) return `${micros}us`
  if (micros < MICROS_PER_SECOND) return `${micros / MICROS_PER_MS}ms`
  return `${micros / MICROS_PER_SECOND}s`
}

/** A rate as a ratio, so that `40/h` stays exact: `count` arrivals in `perMicros`. */
export interface Rate {
  count: number
  perMicros: Micros
}

/** What `parseRate` allows, for error messages. */
export const RATE_HELP = 'a rate like "2/s", "0.5/s", "40/h" or "90/5m"'

/**
 * Reads `2/s`, `0.5/s`, `40/h`, `90/5m`; the count is 0 or more. Returns undefined for anything
 * else.
 */
export function parseRate(text: string): Rate | undefined {
  const [count = '', per = '', ...others] = text.split('/', 3).map((part) => part.trim())
  if (others.length > 0 || !/^\d+(\.\d+)?$/.test(count)) return undefined
  const perMicros = UNIT_MICROS.get(per) ?? parseDuration(per)
  if (perMicros === undefined || perMicros <= 0) return undefined
  return { count: Number(count), perMicros }
}

/** Reads `5%` or `0.05` into a share from 0 to 1. */
export function parseShare(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text.trim())
  if (match === null) return undefined
  const share = match[2] === '%' ? Number(match[1]) / 100 : Number(match[1])
  return share <= 1 ? share : undefined
}

const BYTE_UNITS: Record<string, number> = {
  '': 1,
  B: 1,
  kB: 1_000,
  KB: 1_000,
  MB: 1_000_000,
  KiB: 1_024,
  MiB: 1_048_576,
}

/** Reads `4kB`, `1MiB`, `512` into bytes. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|KiB|MiB)?$/.exec(text.trim())
  if (match === null) return undefined
  return Math.round(Number(match[1]) * (BYTE_UNITS[match[2] ?? ''] ?? Number.NaN))
}

/**
 * Formats a duration with three significant digits and a suitable unit: `412 us`, `3.12 ms`,
 * `61.4 s`, `3 h 04 min`.
 */
export function formatDuration(micros: Micros): string {
  const size = Math.abs(micros)
  if (Math.round(size) < 1_000) return `${Math.round(micros)} us`
  if (size < 999_500) return `${threeDigits(micros / MICROS_PER_MS)} ms`
  if (size < 600 * MICROS_PER_SECOND) return `${threeDigits(micros / MICROS_PER_SECOND)} s`
  const minutes = Math.round(size / MICROS_PER_MINUTE)
  const sign = micros < 0 ? '-' : ''
  if (minutes < 60) return `${sign}${minutes} min`
  return `${sign}${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

const MAX_DECIMALS = 9

/** `8.60` from 8.6, `61.4` from 61.41, `210` from 209.8; large numbers keep their digits. */
export function threeDigits(value: number): string {
  if (value === 0) return '0'
  const rounded = Number(value.toPrecision(3))
  const decimals = 2 - Math.floor(Math.log10(Math.abs(rounded)))
  return value.toFixed(Math.min(Math.max(decimals, 0), MAX_DECIMALS))
}

/**
 * A share as people read it: `2.20 %`, `0.0400 %`, `99.98 %`, `100 %`; only a share of exactly 1 is
 * shown as 100 %.
 */
export function formatShare(share: number): string {
  const percent = share * 100
  if (percent === 0 || percent === 100) return `${percent} %`
  if (percent < 10) return `${threeDigits(percent)} %`
  const decimals = percent < 100 ? -Math.floor(Math.log10(100 - percent)) : 1
  return `${percent.toFixed(Math.min(Math.max(decimals, 1), MAX_DECIMALS))} %`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${threeDigits(bytes / 1_000)} kB`
  if (bytes < 1_000_000_000) return `${threeDigits(bytes / 1_000_000)} MB`
  return `${threeDigits(bytes / 1_000_000_000)} GB`
}
