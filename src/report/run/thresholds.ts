/** A threshold of a run as a row of the table that every report shows. */
import type { ThresholdResult } from '../../result/document.ts'
import {
  formatBound,
  formatMeasuredBriefly,
  formatMeasuredInterval,
  judgementNote,
  metricNote,
} from '../frame/format.ts'
import type { Margin, ThresholdRow } from '../frame/report.ts'
import { STANDINGS, standingOf } from './standing.ts'

export function thresholdRow(result: ThresholdResult): ThresholdRow {
  const { metric, hint } = result
  return {
    ...STANDINGS[standingOf(result)],
    name: metric,
    meaning: metricNote(metric),
    note: judgementNote(result),
    measured: formatMeasuredBriefly(result),
    interval: formatMeasuredInterval(result),
    bound: formatBound(result),
    next: hint,
    margin: marginOf(result),
  }
}

function marginOf({ measured, bound, operator, status }: ThresholdResult): Margin | null {
  const { value, unit, low, high } = measured
  if (value === null || bound <= 0 || unit === 'flag') return null
  const share = (reach: number | 'never'): number => (reach === 'never' ? Infinity : reach / bound)
  return {
    value: share(value),
    low: low === null ? null : share(low),
    high: high === null ? null : share(high),
    isUpper: operator === '<' || operator === '<=',
    missed: status === 'missed',
  }
}
