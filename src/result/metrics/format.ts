/** Numbers as every sentence and report shows them: one number has one text, wherever it stands. */
import { unreachable } from '../../base/assert.ts'
import { formatDuration, formatShare, threeDigits } from '../../base/units.ts'
import type { Metric, Quantity, ThresholdResult } from '../document.ts'
import { shareInterval } from '../statistics/shares.ts'

/** Stands where nothing was measured. */
export const NOTHING = '–'

/** Milliseconds with the unit that suits, three significant digits. */
export function formatMs(ms: number): string {
  return ms === 0 ? '0 ms' : formatDuration(ms * 1_000)
}

/** A longest time: never rounded down by more than its last digit of three, nor to a minute. */
export function formatMostMs(ms: number): string {
  return formatMs(ms > TOLD_IN_MINUTES_MS ? Math.ceil(ms / MINUTE_MS) * MINUTE_MS : ms)
}

const MINUTE_MS = 60_000
const TOLD_IN_MINUTES_MS = 10 * MINUTE_MS

/** `12,345`; fractions keep three significant digits. */
export function formatCount(value: number): string {
  return grouped(Number.isInteger(value) ? String(value) : threeDigits(value))
}

/** A measured count, by its first three digits: `12,300`. */
export function formatRough(value: number): string {
  return formatCount(Number(value.toPrecision(3)))
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3}){1,9}$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/**
 * `16 kickoffs, about 3.75`: what was spent. The price is the user's estimate, and a kickoff
 * without an answer may have cost nothing.
 */
export function spentWords(kickoffs: number, costPerKickoff: number): string {
  return `${plural(kickoffs, 'kickoff')}, about ${formatCount(kickoffs * costPerKickoff)}`
}

/** `1 execution`, `2 executions`; irregular plurals are given. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`
}

/**
 * A number that every report shows in the same words: a metric of a run, or a quantity of a study.
 */
type ShownMetric = Pick<Metric, 'value' | 'unit' | 'low' | 'high' | 'n' | 'needed'>

/**
 * A metric's value: as many digits as its interval allows, or the words that say why there is none.
 */
export function formatMetric(metric: ShownMetric, as: TimeUnit | null = null): string {
  const { value, unit } = metric
  if (value === null) return formatMissing(metric, as)
  return value === 'never' ? value : formatAs(value, unit, as, allowedStep(metric))
}

/** A unit that a bound can be written in: what is held against it is shown in the same. */
type TimeUnit = 'us' | 'ms' | 's' | 'min' | 'h'

/** Formats a value: `230 ms`, or `never` if some never had the event. */
export function formatReach(value: number | 'never', unit: Quantity['unit'], step = 0): string {
  return value === 'never' ? value : formatValue(value, unit, step)
}

/**
 * `38 % were not served`: how many a metric that is never counts among those, and what never came
 * to them; null where it counts none. `metric`: its name, or the part before the statistic.
 * Default: that of a wait until the end.
 */
export function neverNote(
  { n, never }: Pick<Metric, 'n' | 'never'>,
  metric = 'execution',
): string | null {
  if (never === 0 || n === 0) return null
  return `${formatPart(never, n)} ${neverWords(metric)}`
}

/**
 * `43 %`, with as many digits as the interval of a share of independent counts allows: the same
 * wherever such a share stands.
 */
export function formatPart(hits: number, n: number): string {
  const { low = null, high = null } = shareInterval(hits, n) ?? {}
  return formatMetric({ value: hits / n, unit: 'share', low, high, n, needed: null })
}

/** The crew may have served an execution of whose end its client never learned. */
function neverWords(metric: string): string {
  if (metric.startsWith('detectionDelay')) return 'never learned of their end'
  return metric.startsWith('kickoff') ? 'were never accepted' : 'were not served'
}

/**
 * `195 to 230 ms`, each end no finer than the interval is wide; null where n allows no interval.
 */
export function formatInterval(metric: ShownMetric, as: TimeUnit | null = null): string | null {
  const { low, high, unit } = metric
  if (low === null || high === null) return null
  if (low === 'never') return 'never'
  const step = allowedStep(metric)
  const [from, fromUnit] = splitUnit(formatAs(low, unit, as, step))
  if (high === 'never') return `${withUnit(from, fromUnit)} to never`
  const [to, toUnit] = splitUnit(formatAs(high, unit, as, step))
  const shared = fromUnit === toUnit && !from.includes('h')
  return `${shared ? from : withUnit(from, fromUnit)} to ${withUnit(to, toUnit)}`
}

/**
 * `too few (12 of 59 needed)`, `over 241 s` where the unfinished hide the value, or a dash. Too few
 * comes first: a one-sided bound in a quantile's place would read as its value.
 */
function formatMissing(metric: ShownMetric, as: TimeUnit | null = null): string {
  if (isTooFew(metric)) return `too few (${metric.n} of ${metric.needed} needed)`
  if (metric.low === null) return NOTHING
  return metric.low === 'never' ? metric.low : `over ${formatAs(metric.low, metric.unit, as)}`
}

export function isTooFew({
  value,
  n,
  needed,
}: Pick<ShownMetric, 'value' | 'n' | 'needed'>): boolean {
  return value === null && needed !== null && n > 0 && n < needed
}

/**
 * A threshold's measured value, in the unit of the bound; it gets the digits that it takes to stand
 * visibly on its own side of the bound.
 */
export function formatMeasured(result: ThresholdResult): string {
  const { measured, bound, status } = result
  const { value, unit } = measured
  const as = timeUnitIn(boundText(result))
  if (value === null)
    return status === 'missed' ? formatProof(measured, as) : formatMissing(measured, as)
  if (value === 'never') {
    const note = neverNote(measured, result.metric)
    return note === null ? value : `${value} (${note})`
  }
  if (unit === 'flag') return formatValue(value, unit)
  const gap = 10 ** Math.floor(Math.log10(Math.abs(value - bound)))
  const side = Math.sign(value - bound)
  const tries = [formatMetric(measured, as), formatAs(value, unit, as)]
  const clear = tries.find(
    (text) => side === 0 || Math.sign(readValue(text, unit) - bound) === side,
  )
  return clear ?? exactValue(value, unit, as, gap)
}

/** The 95 % interval of a threshold, in the unit of its bound; null where n allows none. */
export function formatMeasuredInterval(result: ThresholdResult): string | null {
  return formatInterval(result.measured, timeUnitIn(boundText(result)))
}

/** The finest unit in which a formatted bound is written; null if it is no time. */
function timeUnitIn(bound: string): TimeUnit | null {
  const [, unit] = / (us|ms|s|min|h)$/.exec(bound) ?? []
  return unit === undefined ? null : (unit as TimeUnit)
}

/** The confidence bound that proves a miss where there are too few samples for a value. */
function formatProof({ low, high, unit }: ShownMetric, as: TimeUnit | null): string {
  if (low === 'never') return low
  if (low !== null) return `over ${formatAs(low, unit, as)}`
  return high === null || high === 'never' ? NOTHING : `under ${formatAs(high, unit, as)}`
}

/** Formats a bound: `< 500ms` as `< 500 ms`. */
export function boundText({ operator, text, measured }: ThresholdResult): string {
  if (measured.unit === 'flag') return operator.startsWith('>') ? 'yes' : 'no'
  return `${operator} ${spacedQuantity(text.replace(/^\s*[<>]=?\s*/, ''))}`
}

/** `1h30m` as `1 h 30 min`, `8.00 s` as `8 s`, `10%` as `10 %`, `3/m` as `3/min`. */
function spacedQuantity(text: string): string {
  return text
    .trim()
    .replaceAll(/(\d)\.0+(?=\D|$)/g, '$1')
    .replaceAll(/(?<=\d) ?(us|ms|s|min|m|h|d|%)(?=\d|$)/g, (_, unit: string) =>
      unit === 'm' ? ' min ' : ` ${unit} `,
    )
    .replace(/\/m$/, '/min')
    .trim()
}

/**
 * `step`, in the metric's own unit, is the place of the last digit that may be shown; 0 leaves
 * three significant digits.
 */
export function formatValue(value: number, unit: Quantity['unit'], step = 0): string {
  switch (unit) {
    case 'flag':
      return value === 1 ? 'yes' : 'no'
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

/** Beyond these, a number in another unit is read less easily than one in its own. */
const READABLE = { least: 0.001, most: 10_000 }

/** As `formatValue`, with a time in the unit given: `2.75 min` in place of `165 s`. */
function formatAs(value: number, unit: Quantity['unit'], as: TimeUnit | null, step = 0): string {
  const own = formatValue(value, unit, step)
  if (unit !== 'ms' || as === null || value === 0) return own
  const size = msIn(as)
  const number = Math.abs(value / size)
  const isOwn = splitUnit(own)[1] === as && !own.includes('h')
  // Nobody reads tenths of a minute: 16.7 s < 1 min is clear.
  const least = as === 'min' ? 1 : READABLE.least
  if (isOwn || number < least || number >= READABLE.most) return own
  return coarser(`${grouped(threeDigits(value / size))} ${as}`, step / size)
}

/** `['61.4', 's']`, `['3 h 04', 'min']`: tables align the number and its unit apart. */
export function splitUnit(text: string): [number: string, unit: string] {
  const match = /^(-?[\d.,]+(?: h \d+)?) (us|ms|s|min|h|%|MB|kB|B)$/.exec(text)
  return match === null ? [text, ''] : [match[1] ?? '', match[2] ?? '']
}

/**
 * An uncertainty deserves at most two significant digits, and its value ends at the same place
 * (JCGM 100:2008, 7.2.6): the power of ten a tenth of half the interval's width, but never so
 * coarse that the value's first digit is lost.
 */
function allowedStep({ value, low, high }: ShownMetric): number {
  if (typeof low !== 'number' || typeof high !== 'number' || high <= low) return 0
  if (typeof value !== 'number') return 0
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

/**
 * What a formatted value says, in the metric's own unit; words for hours cannot be read back and
 * are NaN.
 */
function readValue(text: string, unit: Quantity['unit']): number {
  const [number, shownUnit] = splitUnit(text.replace(/\/s$/, ''))
  return Number(number.replaceAll(',', '')) * unitSize(unit, shownUnit)
}

/** All digits down to `step`, in the unit that three digits would have. */
function exactValue(
  value: number,
  unit: Quantity['unit'],
  as: TimeUnit | null,
  step: number,
): string {
  const [, shownUnit] = splitUnit(formatAs(value, unit, as))
  const size = unitSize(unit, shownUnit)
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / size) + 1e-9)))
  return withUnit((value / size).toFixed(decimals), shownUnit)
}

function unitSize(unit: Quantity['unit'], shownUnit: string): number {
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
    case 'h':
      return 3_600_000
    default:
      return 1
  }
}
