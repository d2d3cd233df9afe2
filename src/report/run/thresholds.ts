/** Thresholds of a run as rows of the table that every report shows. */
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
} from '../../result/metrics/words.ts'
import { isByValueAlone } from '../../result/verdict/judge.ts'
import { plainText } from '../frame/format.ts'
import type { Margin, ThresholdRow } from '../frame/report.ts'
import { missReason } from './miss-reasons.ts'

/** `within`: met by its value, as its author asked, but not proven by its interval. */
type Standing = ThresholdResult['status'] | 'within'

export function standingOf(result: ThresholdResult): Standing {
  return isByValueAlone(result) ? 'within' : result.status
}

/** Each has a word and a sign, because colour alone is never enough; in this order in sums. */
export const STANDINGS: Readonly<Record<Standing, Pick<ThresholdRow, 'sign' | 'word' | 'tone'>>> = {
  met: { sign: '✓', word: 'met', tone: 'good' },
  within: { sign: '~', word: 'within, by value', tone: 'doubt' },
  missed: { sign: '✗', word: 'missed', tone: 'bad' },
  undecided: { sign: '?', word: 'undecided', tone: 'doubt' },
  unmeasurable: { sign: '?', word: 'not measurable', tone: 'doubt' },
  notJudged: { sign: '–', word: 'not judged', tone: 'doubt' },
}

export function thresholdRow(result: ThresholdResult, document: ResultDocument): ThresholdRow {
  const { metric, hint } = result
  const why = result.status === 'missed' ? missReason(result, document) : null
  return {
    ...STANDINGS[standingOf(result)],
    name: metric,
    meaning: metricNote(metric),
    note: judgementNote(result),
    measured: formatMeasuredBriefly(result),
    interval: formatMeasuredInterval(result),
    bound: formatBound(result),
    next: [why, hint].filter((part) => part !== null).join('; ') || null,
    margin: marginOf(result),
  }
}

function marginOf({ measured, bound, operator, status }: ThresholdResult): Margin | null {
  const { value, unit, low, high } = measured
  if (value === null || bound <= 0 || unit === 'flag' || status === 'notJudged') return null
  const share = (reach: number | 'never'): number => (reach === 'never' ? Infinity : reach / bound)
  return {
    value: share(value),
    low: low === null ? null : share(low),
    high: high === null ? null : share(high),
    isUpper: operator === '<' || operator === '<=',
  }
}

/**
 * The measured value; where the reason says how many were not served, or how many samples are
 * missing, only that.
 */
export function formatMeasuredBriefly(result: ThresholdResult): string {
  const { measured, status, hint } = result
  if (measured.value === 'never') return 'never'
  const hinted = status === 'undecided' && hint !== null
  return hinted && isTooFew(measured) ? 'too few' : formatMeasured(result)
}

/**
 * What a reader must know about how a threshold was judged, in brackets after its name; null for a
 * threshold of the scenario that was judged by its interval.
 */
function judgementNote({ source, judged, measured }: ThresholdResult): string | null {
  if (source === 'default') return 'default'
  return judged === 'value' && measured.unit !== 'flag' ? 'by value' : null
}

/** Says what a share refers to when its name alone would be misread; null for all others. */
function metricNote(metric: string): string | null {
  return metric === 'execution.failed' ? 'failed, of those that completed or failed' : null
}

/** For example `< 500 ms`. */
export function formatBound(result: ThresholdResult): string {
  return plainText(boundText(result))
}
