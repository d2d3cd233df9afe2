/** Thresholds of a run as rows of the table that every report shows. */
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import type { NextStep } from '../../result/document-parts.schema.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
  formatMetric,
  neverNote,
} from '../../result/metrics/sentences.ts'
import { isByValueAlone } from '../../result/verdict/judge.ts'
import { plainText } from '../text/format.ts'
import type { Margin, ThresholdRow } from '../frame/report.ts'
import { endReasonText } from '../../result/sentences/end-reasons.ts'
import { outcomeWord } from '../../result/ending/outcome-counts.ts'
import { UNSERVED } from '../../scenario/outcomes.ts'
import type { Outcome } from '../../scenario/outcomes.ts'
import { parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import { formatCount, formatMs } from '../../base/numbers.ts'
import { longestPart } from './sections/breakdown.ts'

/** `within`: met by its value, as its author asked, but not proven by its interval. */
type Standing = ThresholdResult['status'] | 'within'

export function standingOf(result: ThresholdResult): Standing {
  return isByValueAlone(result) ? 'within' : result.status
}

/** Each has a word and a sign, because colour alone is never enough; in this order in sums. */
export const STANDINGS: Readonly<
  Record<Standing, Pick<ThresholdRow, 'sign' | 'word' | 'tone' | 'isPlain'>>
> = {
  met: { sign: '✓', word: 'met', tone: 'good', isPlain: true },
  within: { sign: '~', word: 'met but not proven', tone: 'doubt', isPlain: false },
  missed: { sign: '✗', word: 'missed', tone: 'bad', isPlain: false },
  undecided: { sign: '?', word: 'undecided', tone: 'doubt', isPlain: false },
  unmeasurable: { sign: '?', word: 'not measurable', tone: 'doubt', isPlain: true },
  notJudged: { sign: '–', word: 'not judged', tone: 'doubt', isPlain: false },
}

/** `said`: the next step that the head of the report has already. */
export function thresholdRow(
  result: ThresholdResult,
  document: ResultDocument,
  said: NextStep['code'] | null = null,
): ThresholdRow {
  const { metric } = result
  const hint = result.next?.code === said ? null : result.hint
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
 * The measured value; where the reason says how many never ended, or how many samples are
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
  if (source === 'default') return 'default promise'
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

/** Null where nothing else says more than the measured value. */
function missReason(
  { metric, measured }: ThresholdResult,
  document: ResultDocument,
): string | null {
  const reference = parseMetric(metric)
  if (reference === undefined) return null
  const isNever = (measured.value ?? measured.low) === 'never'
  const never = isNever ? neverNote(measured, reference.kind) : null
  const reason = reasonOf(reference, document, isNever)
  return [never, reason].filter((part) => part !== null && part !== '').join(': ') || null
}

function reasonOf(
  reference: MetricReference,
  document: ResultDocument,
  isNever: boolean,
): string | null {
  switch (reference.kind) {
    case 'execution':
    case 'completedExecution':
      return isNever ? outcomesOf(UNSERVED, document) : partOf(document)
    case 'unserved':
      return outcomesOf(UNSERVED, document)
    case 'failedShare':
      return outcomesOf(['failed'], document)
    case 'outcome':
      return outcomesOf([reference.outcome], document)
    case 'kickoffResponse':
      return isNever
        ? outcomesOf(['rejected', 'unknown'], document)
        : serviceOf('kickoff', document)
    case 'request':
      return reference.which === 'response' ? serviceOf(reference.operation, document) : null
    case 'requestError':
      return errorsOf(reference.operation, document)
    case 'check':
      return exampleOf(document.checks.find(({ name }) => name === reference.name)?.example ?? null)
    case 'contract':
      return exampleOf(document.contract.rules[0]?.example.seen ?? null)
    case 'ledgerWrong':
      return disagreementsOf(document)
    default:
      return null
  }
}

/** `11 rejected (429), 13 unknown (500)`. */
function outcomesOf(names: readonly Outcome[], { outcomes, reasons }: ResultDocument): string {
  return names
    .filter((name) => outcomes[name] > 0)
    .map((name) => {
      const [first] = reasons[name] ?? []
      const why = first?.reason == null ? '' : ` (${plainText(endReasonText(first.reason), 60)})`
      return `${formatCount(outcomes[name])} ${outcomeWord(name)}${why}`
    })
    .join(', ')
}

/** `at p95, waiting for a worker takes 430 s of 12 min`. */
function partOf(document: ResultDocument): string | null {
  const longest = longestPart(document)
  if (longest === null) return null
  const { at, name, ms, totalMs } = longest
  return `at ${at}, ${name} takes ${formatMs(ms)} of ${formatMs(totalMs)}`
}

/** What the target itself took, where requests queued before it. */
function serviceOf(operation: string, { metrics }: ResultDocument): string | null {
  const service = metrics[`${operation}.service.p95`]
  return service?.value == null ? null : `the p95 of the requests alone is ${formatMetric(service)}`
}

const CLASSES = 3

function errorsOf(operation: string, { errors }: ResultDocument): string {
  return errors
    .filter((error) => error.operation === operation)
    .slice(0, CLASSES)
    .map(({ answer, count }) => `${answer} ${formatCount(count)}`)
    .join(', ')
}

function exampleOf(example: string | null): string | null {
  return example === null ? null : `first: ${plainText(example, 80)}`
}

function disagreementsOf({ ledger }: ResultDocument): string | null {
  const found = ledger?.disagreements ?? []
  return found.map(({ kind, count }) => `${formatCount(count)} ${kind}`).join(', ') || null
}
