/**
 * Numbers as every sentence and report shows them: one number has one text, wherever it stands. The
 * sentences of `crew`, `scenario` and `result` need them as reports do, so they stand here.
 */
import type { Micros } from './units.ts'
import { MICROS_PER_MS } from './units.ts'

/** Stands where nothing was measured. */
export const NOTHING = '–'

/** What a measured number counts: milliseconds, a share from 0 to 1, 1 for yes, ... */
export const UNITS = ['ms', 'share', 'count', 'ratio', 'perSecond', 'money', 'flag'] as const
export type Unit = (typeof UNITS)[number]

/** A unit that a bound can be written in: what is compared with it is shown in the same. */
export type TimeUnit = 'us' | 'ms' | 's' | 'min' | 'h'

/** `hMin` counts minutes: `3 h 04 min`. */
type ShownUnit = '' | '%' | '/s' | TimeUnit | 'hMin' | 'B' | 'kB' | 'MB' | 'GB'

/** A number with the digits and the unit that it is shown with. Text is made of it at the end. */
export interface Shown {
  /** Rounded, in `unit`. */
  number: number
  /** Digits after the point. */
  decimals: number
  unit: ShownUnit
}

export interface Precision {
  /**
   * The place of the last digit that may be shown, a power of ten in the number's own unit.
   * Default: 0, which leaves three significant digits.
   */
  step?: number
  /** The unit of a time. Default: the one that suits. */
  as?: TimeUnit | null
}

/** `value` in `unit`, to as many decimals; negative ones round to tens, hundreds, ... */
function rounded(value: number, decimals: number, unit: ShownUnit): Shown {
  const places = Math.max(0, decimals)
  const tens = 10 ** Math.max(0, -decimals)
  return { number: Number((value / tens).toFixed(places)) * tens, decimals: places, unit }
}

/** The decimals that end at `step`. */
function decimalsTo(step: number): number {
  return -Math.round(Math.log10(step))
}

const MAX_DECIMALS = 9

/** Three significant digits; large numbers keep theirs. */
function decimalsOf(value: number): number {
  if (value === 0) return 0
  const decimals = 2 - Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))))
  return Math.min(Math.max(decimals, 0), MAX_DECIMALS)
}

function toThreeDigits(value: number, unit: ShownUnit, step = 0): Shown {
  return rounded(value, Math.min(decimalsOf(value), decimalsTo(step)), unit)
}

const MS_IN: Record<TimeUnit | 'hMin', number> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  hMin: 60_000,
}

/** Beyond these, a number in another unit is read less easily than one in its own. */
const READABLE = { least: 0.001, most: 10_000 }

function shownTime(ms: number, { step = 0, as = null }: Precision = {}): Shown {
  const own = unitOf(ms)
  const unit = as === null || as === own || !isReadableIn(as, ms) ? own : as
  const size = MS_IN[unit]
  const isWhole = unit === own && (own === 'us' || own === 'min' || own === 'hMin')
  return isWhole
    ? rounded(ms / size, Math.min(0, decimalsTo(step / size)), unit)
    : toThreeDigits(ms / size, unit, step / size)
}

function unitOf(ms: number): TimeUnit | 'hMin' {
  const size = Math.abs(ms)
  if (size === 0) return 'ms'
  if (Math.round(size * MICROS_PER_MS) < 1_000) return 'us'
  if (size < 999.5) return 'ms'
  if (size < 10 * MS_IN.min) return 's'
  return Math.round(size / MS_IN.min) < 60 ? 'min' : 'hMin'
}

/** Nobody reads tenths of a minute: 16.7 s < 1 min is clear. */
function isReadableIn(unit: TimeUnit, ms: number): boolean {
  const number = Math.abs(ms / MS_IN[unit])
  return number >= (unit === 'min' ? 1 : READABLE.least) && number < READABLE.most
}

/** Only a share of exactly 1 is shown as 100 %. */
function shownShare(share: number, step = 0): Shown {
  const percent = share * 100
  const own =
    percent < 10 || percent === 100
      ? decimalsOf(percent === 100 ? 0 : percent)
      : Math.max(1, percent < 100 ? -Math.floor(Math.log10(100 - percent)) : 1)
  return rounded(percent, Math.min(own, MAX_DECIMALS, decimalsTo(step * 100)), '%')
}

function shownCount(value: number, unit: ShownUnit, step = 0): Shown {
  return Number.isInteger(value)
    ? rounded(value, Math.min(0, decimalsTo(step)), unit)
    : toThreeDigits(value, unit, step)
}

/** A yes or no is shown as its number: `formatValue` has its words. */
export function shownValue(value: number, unit: Unit, precision: Precision = {}): Shown {
  if (unit === 'ms') return shownTime(value, precision)
  if (unit === 'share') return shownShare(value, precision.step)
  return shownCount(value, unit === 'perSecond' ? '/s' : '', precision.step)
}

/** As `shown`, with all digits down to `step`, in the number's own unit. */
export function shownDownTo(value: number, shown: Shown, step: number): Shown {
  const unit = shown.unit === 'hMin' ? 'min' : shown.unit
  const size = sizeOf(unit)
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / size) + 1e-9)))
  return rounded(value / size, decimals, unit)
}

/** What is shown, in the number's own unit again. */
export function valueOf({ number, unit }: Shown): number {
  return number * sizeOf(unit)
}

function sizeOf(unit: ShownUnit): number {
  if (unit === '%') return 0.01
  return unit in MS_IN ? MS_IN[unit as TimeUnit] : 1
}

/** The number alone: `12,345`. */
function digitsOf({ number, decimals }: Shown): string {
  const [whole = '', fraction] = number.toFixed(decimals).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3}){1,9}$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

export function textOf(shown: Shown): string {
  const { number, unit } = shown
  if (unit === 'hMin') {
    const minutes = Math.abs(number)
    const rest = String(minutes % 60).padStart(2, '0')
    return `${number < 0 ? '-' : ''}${Math.floor(minutes / 60)} h ${rest} min`
  }
  return unit === '' || unit === '/s' ? digitsOf(shown) + unit : `${digitsOf(shown)} ${unit}`
}

/** `230 ms`, `2.20 %`, `yes`. */
export function formatValue(value: number, unit: Unit, precision: Precision = {}): string {
  if (unit === 'flag') return value === 1 ? 'yes' : 'no'
  return textOf(shownValue(value, unit, precision))
}

/** Formats a value: `230 ms`, or `never` if some never had the event. */
export function formatReach(
  value: number | 'never',
  unit: Unit,
  precision: Precision = {},
): string {
  return value === 'never' ? value : formatValue(value, unit, precision)
}

type End = number | 'never' | null

/** Both ends; null where one is not known. */
export interface Interval {
  low: End
  high: End
}

/** `value` as in a quantity: null where there is none. */
export interface ValueInInterval extends Interval {
  value: End
}

/** How the numbers of a quantity are shown: in its unit, or by words for each of them. */
export type NumberWording = Unit | ((value: number) => string)

/**
 * `195 to 230 ms`, `0 to 1.10 s`, `218 s to never`; one number where both ends read the same, and
 * null where one is not known. `value`: what the interval is of, which leaves it a first digit.
 */
export function formatInterval(
  { value = null, low, high }: Interval & Partial<ValueInInterval>,
  wording: NumberWording,
  as: TimeUnit | null = null,
): string | null {
  if (low === null || high === null) return null
  if (low === 'never') return low
  const precision = precisionOf({ value, low, high }, as)
  const from = inWords(low, wording, precision)
  const to = inWords(high, wording, precision)
  if (from === to) return from
  return `${withoutUnit(low, high, wording, precision) ?? from} to ${to}`
}

/** `218 ms (196 to 236 ms)`; the value alone where there is no interval, or nothing is open. */
export function formatEstimate(estimate: ValueInInterval, wording: NumberWording): string {
  const { value } = estimate
  if (value === null) return NOTHING
  const text = inWords(value, wording, precisionOf(estimate))
  const interval = formatInterval(estimate, wording)
  return interval === null || interval === text ? text : `${text} (${interval})`
}

/** `600 to 660 s`, or `at 600 s`. */
export function formatSpan({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
  const span = formatInterval({ low: fromMs, high: toMs }, 'ms')!
  return span === formatMs(fromMs) ? `at ${span}` : span
}

/** `1.00 to 10.0 s`. */
export function formatDurations(least: Micros, most: Micros): string {
  const [low, high] = [least, most].map((micros) => micros / MICROS_PER_MS) as [number, number]
  return formatInterval({ low, high }, 'ms')!
}

/**
 * An uncertainty deserves at most two significant digits, and its value ends at the same place
 * (JCGM 100:2008, 7.2.6): the power of ten a tenth of half the interval's width, but never so
 * coarse that the value's first digit is lost.
 */
export function precisionOf(
  { value, low, high }: ValueInInterval,
  as: TimeUnit | null = null,
): Precision {
  if (typeof low !== 'number' || typeof high !== 'number' || high <= low) return { as }
  if (typeof value !== 'number') return { as }
  const finest = powerAtOrBelow((high - low) / 20)
  const step = value === 0 ? finest : Math.min(finest, powerAtOrBelow(Math.abs(value)))
  return { as, step }
}

export function powerAtOrBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value))
}

function inWords(value: number | 'never', wording: NumberWording, precision: Precision): string {
  if (typeof wording !== 'function') return formatReach(value, wording, precision)
  return value === 'never' ? value : wording(value)
}

/** The lower end by its digits, where the upper one has its unit; nothing needs none. */
function withoutUnit(
  low: number,
  high: number | 'never',
  wording: NumberWording,
  precision: Precision,
): string | null {
  if (typeof wording === 'function' || high === 'never') return null
  const [from, to] = [low, high].map((end) => shownValue(end, wording, precision))
  if (from!.unit === 'hMin') return null
  const digits = digitsOf(from!)
  return digits === '0' || from!.unit === to!.unit ? digits : null
}

/** Milliseconds with the unit that suits, three significant digits: `412 us`, `3 h 04 min`. */
export function formatMs(ms: number): string {
  return textOf(shownTime(ms))
}

/** A round time with no more digits than it has: `10 ms` for `10.0 ms`, `2 h` for `2 h 00 min`. */
export function formatRoundMs(ms: number): string {
  const shown = shownTime(ms)
  const { number, unit } = shown
  if (!Number.isInteger(number)) return textOf(shown)
  const isHours = unit === 'hMin' && number % 60 === 0
  return textOf(isHours ? rounded(number / 60, 0, 'h') : rounded(number, 0, unit))
}

/** A dash when nothing was measured. */
export function formatOptionalMs(ms: number | null | undefined): string {
  return ms == null ? NOTHING : formatMs(ms)
}

export function formatDuration(micros: Micros): string {
  return formatMs(micros / MICROS_PER_MS)
}

/** A longest time: never rounded down by more than its last digit of three, nor to a minute. */
export function formatMostMs(ms: number): string {
  return formatMs(ms > 10 * MS_IN.min ? Math.ceil(ms / MS_IN.min) * MS_IN.min : ms)
}

/** `2.20 %`, `0.0400 %`, `99.98 %`, `100 %`. */
export function formatShare(share: number): string {
  return textOf(shownShare(share))
}

/** In whole percent: `125 %`. */
export function formatPercent(share: number): string {
  return textOf(rounded(100 * share, 0, '%'))
}

/** A share that somebody chose, or a tick: `5 %`, `2.5 %`. */
export function formatRoundShare(share: number): string {
  return `${toDigits(100 * share, 3)} %`
}

/** `12,345`; fractions keep three significant digits. */
export function formatCount(value: number): string {
  return textOf(shownCount(value, ''))
}

/** A measured count, by its first three digits: `12,300`. */
export function formatRough(value: number): string {
  return formatCount(toDigits(value, 3))
}

/** The nearest number of so many significant digits. */
export function toDigits(value: number, digits: number): number {
  return Number(value.toPrecision(digits))
}

/** The nearest number of so many digits after the point. */
export function toDecimals(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}

/** `8.60` from 8.6, `61.4` from 61.41, `210` from 209.8; large numbers keep their digits. */
export function threeDigits(value: number): string {
  return value.toFixed(decimalsOf(value))
}

/** Always with so many digits after the point: `3.0`. */
export function withDecimals(value: number, decimals: number): string {
  return value.toFixed(decimals)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return textOf(shownCount(bytes, 'B'))
  if (bytes < 1_000_000) return textOf(toThreeDigits(bytes / 1_000, 'kB'))
  if (bytes < 1_000_000_000) return textOf(toThreeDigits(bytes / 1_000_000, 'MB'))
  return textOf(toThreeDigits(bytes / 1_000_000_000, 'GB'))
}

/** A change with its sign: `+10 %`, `0 %`, `−2.5 %`. `text` is given its size. */
export function withSign(value: number, text: (size: number) => string): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : ''
  return sign + text(Math.abs(value))
}

/** `1 execution`, `2 executions`; irregular plurals are given. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${inNumber(count, noun, many)}`
}

/** The word that agrees with a count: a verb, or a noun whose number stands elsewhere. */
export function inNumber(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}

/** `once`, `twice`, `61 times`. */
export function formatTimes(count: number): string {
  return count === 2 ? 'twice' : inNumber(count, 'once', `${formatCount(count)} times`)
}

/** `one second stands for a minute`; null at real speed. */
export function lapseWords(speed: number): string | null {
  return speed === 1 ? null : `one second stands for ${secondAt(speed)}`
}

/** The time that a second represents at that speed: `a minute`, `an hour`, `2 minutes`, `90 s`. */
function secondAt(speed: number): string {
  for (const [one, seconds, noun] of LAPSES) {
    if (speed === seconds) return one
    if (speed % seconds === 0) return plural(speed / seconds, noun)
  }
  return `${formatCount(speed)} s`
}

const LAPSES = [
  ['a day', 86_400, 'day'],
  ['an hour', 3_600, 'hour'],
  ['a minute', 60, 'minute'],
] as const
