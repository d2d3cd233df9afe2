/**
 * Quantities as people write them: durations, rates, shares and sizes, parsed.
 * Parsing takes time linear in the length.
 */

/** Integer microseconds: a point on the run's clock (since its monotonic zero) or a duration. */
export type Micros = number

/** A duration: `'500ms'`, `'2s'`, `'1.5m'`, `'1h30m'`, `'0'`; units us, ms, s, m (or min), h, d. */
export type Duration = string

export const MICROS_PER_MS = 1_000
/** Money is counted in millionths of its unit, because prices are per million tokens. */
export const MICROS_PER_UNIT = 1_000_000
export const MICROS_PER_SECOND = 1_000_000

export const MICROS_PER_MINUTE = 60_000_000

/** In milliseconds; null for what is not known. */
export function optionalMs(micros: Micros | null): number | null {
  return micros === null ? null : micros / MICROS_PER_MS
}

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
