/** The bound of a threshold as its author wrote it: read once, and worded where it is shown. */
import type { TimeUnit } from '../../base/numbers.ts'
import { shownValue, withDecimals } from '../../base/numbers.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Threshold } from '../plan.ts'
import type { MetricUnit } from './metrics.ts'

/** What a measured value is compared with. */
export type ThresholdBound = Pick<Threshold, 'operator' | 'written'>
type WrittenBound = ThresholdBound['written']
type Amount = WrittenBound['amounts'][number]

const AMOUNT = /(?<digits>[\d.]*)\s*(?<unit>[a-z%]*)/g

/** Reads what a parser of `units.ts` accepts: `1h30m`, `5 %`, `90/5m`. */
export function writtenIn(text: string): WrittenBound {
  const [amounts = '', per] = text.split('/')
  return { amounts: amountsIn(amounts), per: per === undefined ? null : amountsIn(per) }
}

function amountsIn(text: string): Amount[] {
  return [...text.trim().matchAll(AMOUNT)]
    .filter(([found]) => found !== '')
    .map(({ groups: { digits = '', unit = '' } = {} }) => {
      const [, decimals = ''] = digits.split('.')
      return amountOf(digits === '' ? 1 : Number(digits), decimals.length, unit as Amount['unit'])
    })
}

/** `8.00 s` is 8 s. */
function amountOf(number: number, decimals: number, unit: Amount['unit']): Amount {
  return { number, decimals: Number.isInteger(number) ? 0 : decimals, unit }
}

/** A bound that a time-lapse has changed, with the digits and unit that suit. */
export function writtenOf(bound: number, unit: MetricUnit): WrittenBound {
  if (unit === 'perSecond') {
    const { number, decimals } = shownValue(bound, unit)
    return { amounts: [amountOf(number, decimals, '')], per: [amountOf(1, 0, 's')] }
  }
  const shown = shownValue(bound / MICROS_PER_MS, 'ms')
  if (shown.unit !== 'hMin') {
    return { amounts: [amountOf(shown.number, shown.decimals, shown.unit as TimeUnit)], per: null }
  }
  const hours = amountOf(Math.floor(shown.number / 60), 0, 'h')
  return { amounts: [hours, amountOf(shown.number % 60, 0, 'min')], per: null }
}

/** The finest unit of a time; null if it is none, or in days. */
export function timeUnitIn({ amounts }: WrittenBound): TimeUnit | null {
  const unit = amounts.at(-1)?.unit ?? ''
  if (unit === '' || unit === '%' || unit === 'd') return null
  return unit === 'm' ? 'min' : unit
}

/** As one writes it in a scenario: `< 1h30m`, `>= 6/m`. */
export function typedBound({ operator, written }: ThresholdBound): string {
  return `${operator} ${quantityText(written, '')}`
}

/** As a report shows it: `< 1 h 30 min`, `>= 6/min`. */
export function shownBound({ operator, written }: ThresholdBound): string {
  return `${operator} ${quantityText(written, ' ')}`
}

function quantityText({ amounts, per }: WrittenBound, gap: '' | ' '): string {
  const text = amounts.map((each) => amountText(each, gap)).join(gap)
  if (per === null) return text
  const [one, ...others] = per
  const isUnit = one?.number === 1 && others.length === 0
  const over = isUnit ? unitText(one, gap) : per.map((each) => amountText(each, gap)).join(gap)
  return `${text}/${over}`
}

function amountText(amount: Amount, gap: '' | ' '): string {
  const digits = withDecimals(amount.number, amount.decimals)
  return amount.unit === '' ? digits : digits + gap + unitText(amount, gap)
}

/** Reports write minutes as every number of theirs does. */
function unitText({ unit }: Amount, gap: '' | ' '): string {
  return gap === ' ' && unit === 'm' ? 'min' : unit
}
