/** Numbers and foreign text as every report shows them: one number reads the same on the terminal, the page and in Markdown. */
import type { Metric, ThresholdResult } from '../analysis/document.ts'
import { unreachable } from '../assert.ts'
import { formatDuration, formatShare, threeDigits } from '../units.ts'

/** Stands where nothing was measured. */
export const NOTHING = '–'

/** Milliseconds with the unit that suits, three significant digits. */
export function formatMs(ms: number): string {
  return formatDuration(ms * 1_000)
}

/** A dash where nothing was measured. */
export function formatOptionalMs(ms: number | null | undefined): string {
  return ms == null ? NOTHING : formatMs(ms)
}

/** `12,345`; fractions keep three significant digits. */
export function formatCount(value: number): string {
  const text = Number.isInteger(value) ? String(value) : threeDigits(value)
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `1 execution`, `2 executions`; irregular plurals are given. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`
}

/** A metric's value: as many digits as its interval allows, or the words that say why there is none. */
export function formatMetric(metric: Metric): string {
  return metric.value === null
    ? formatMissing(metric)
    : formatValue(metric.value, metric.unit, allowedStep(metric))
}

/** `195 to 230 ms`, each end no finer than the interval is wide; null where n allows no interval. */
export function formatInterval(metric: Metric): string | null {
  const { low, high, unit } = metric
  if (low === null || high === null) return null
  const step = allowedStep(metric)
  const [from, fromUnit] = splitUnit(formatValue(low, unit, step))
  const [to, toUnit] = splitUnit(formatValue(high, unit, step))
  const shared = fromUnit === toUnit && !from.includes('h')
  return `${shared ? from : withUnit(from, fromUnit)} to ${withUnit(to, toUnit)}`
}

/** `over 241 s` where only a lower bound is known, `too few (12 of 59 needed)`, or a dash. */
export function formatMissing(metric: Metric): string {
  if (metric.low !== null) return `over ${formatValue(metric.low, metric.unit)}`
  return isTooFew(metric) ? `too few (${metric.n} of ${metric.needed} needed)` : NOTHING
}

export function isTooFew(metric: Metric): boolean {
  const { value, low, n, needed } = metric
  return value === null && low === null && needed !== null && n < needed
}

/** A threshold's measured value; it gets the digits that it takes to stand visibly on its own side of the bound. */
export function formatMeasured({ measured, bound }: ThresholdResult): string {
  const { value, unit } = measured
  if (value === null) return formatMissing(measured)
  const gap = 10 ** Math.floor(Math.log10(Math.abs(value - bound)))
  const side = Math.sign(value - bound)
  const tries = [formatMetric(measured), formatValue(value, unit)]
  const clear = tries.find(
    (text) => side === 0 || Math.sign(readValue(text, unit) - bound) === side,
  )
  return clear ?? exactValue(value, unit, gap)
}

/** A threshold's bound as its author wrote it, one space after the operator: `< 500ms`. */
export function formatBound(result: ThresholdResult): string {
  return `${result.operator} ${plainText(result.text).replace(/^[<>]=?\s*/, '')}`
}

/** `step`, in the metric's own unit, is the place of the last digit that may be shown; 0 leaves three significant digits. */
export function formatValue(value: number, unit: Metric['unit'], step = 0): string {
  switch (unit) {
    case 'ms':
      return coarser(formatMs(value), step / msIn(splitUnit(formatMs(value))[1]))
    case 'share':
      return coarser(formatShare(value), step * 100)
    case 'count':
    case 'ratio':
      return coarser(formatCount(value), step)
    case 'perSecond':
      return `${coarser(formatCount(value), step)}/s`
    default:
      return unreachable(unit)
  }
}

/** `['61.4', 's']`, `['3 h 04', 'min']`: tables align the number and its unit apart. */
export function splitUnit(text: string): [number: string, unit: string] {
  const match = /^(-?[\d.,]+(?: h \d+)?) (us|ms|s|min|%|MB|kB|B)$/.exec(text)
  return match === null ? [text, ''] : [match[1] ?? '', match[2] ?? '']
}

/** Foreign text on one line, without control characters and direction marks, at most `limit` characters long. */
export function plainText(text: string, limit = 200): string {
  const clean = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '\uFFFD')
    .trim()
  const characters = Array.from(clean)
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : clean
}

/** `2026-11-21 08:15:00 UTC` from ISO 8601; what cannot be read stays as it is. */
export function formatInstant(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(iso)
  return match === null ? plainText(iso) : `${match[1]} ${match[2]} UTC`
}

/**
 * An uncertainty deserves at most two significant digits, and its value ends at the same place (JCGM 100:2008, 7.2.6): the power of
 * ten a tenth of half the interval's width, but never so coarse that the value's first digit is lost.
 */
function allowedStep(metric: Metric): number {
  const { value, low, high } = metric
  if (low === null || high === null || value === null || high <= low) return 0
  const finest = powerAtOrBelow((high - low) / 20)
  return value === 0 ? finest : Math.min(finest, powerAtOrBelow(Math.abs(value)))
}

function powerAtOrBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value))
}

/** `text` again with no digit finer than `step`, a power of ten in the text's own unit. */
function coarser(text: string, step: number): string {
  const [number, unit] = splitUnit(text)
  const plain = Number(number.replaceAll(',', ''))
  const finest = 10 ** -(number.split('.')[1]?.length ?? 0)
  if (!Number.isFinite(plain) || step <= finest * 1.000_001) return text
  const decimals = Math.max(0, -Math.round(Math.log10(step)))
  const rounded = Math.round(plain / step) * step
  return withUnit(
    decimals === 0 ? formatCount(Math.round(rounded)) : rounded.toFixed(decimals),
    unit,
  )
}

/** What a formatted value says, in the metric's own unit; words for hours cannot be read back and are NaN. */
function readValue(text: string, unit: Metric['unit']): number {
  const [number, shownUnit] = splitUnit(text.replace(/\/s$/, ''))
  return Number(number.replaceAll(',', '')) * unitSize(unit, shownUnit)
}

/** All digits down to `step`, in the unit that three digits would have. */
function exactValue(value: number, unit: Metric['unit'], step: number): string {
  const [, shownUnit] = splitUnit(formatValue(value, unit))
  const size = unitSize(unit, shownUnit)
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / size) + 1e-9)))
  return withUnit((value / size).toFixed(decimals), shownUnit)
}

function unitSize(unit: Metric['unit'], shownUnit: string): number {
  if (unit === 'share') return 0.01
  return unit === 'ms' ? msIn(shownUnit) : 1
}

function withUnit(number: string, unit: string): string {
  return unit === '' ? number : `${number} ${unit}`
}

function msIn(unit: string): number {
  switch (unit) {
    case 'us':
      return 0.001
    case 's':
      return 1_000
    case 'min':
      return 60_000
    default:
      return 1
  }
}
