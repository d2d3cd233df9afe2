/**
 * Refusals by the target, and what retries cost; absent when nothing was refused and nothing was
 * retried.
 */
import type { LimitResult, RetriesResult } from '../../../result/disturbances.schema.ts'
import type { ResultDocument } from '../../../result/document.ts'
import { formatCount, formatMs, formatTimes, formatValue, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
import type { Block, Fact } from '../../frame/report.ts'
import { columnsOf, pageTable } from '../../text/table.ts'
import { metricValueIn } from '../summary.ts'
import { sentencesOf } from './section.ts'
import type { RunSection } from './section.ts'
import { findMetric } from './waits/rows.ts'

export const PUSHBACK: RunSection = {
  chapter: 'What went wrong',
  title: 'Limits and retries',
  blocks: (document) => [
    ...sentencesOf(limitFacts(document)),
    limitTable(document),
    ...sentencesOf(retryFacts(document)),
    retryTable(document),
  ],
  furtherFacts: (document) => [...limitFacts(document), ...retryFacts(document)],
}

const PER_MINUTE = ['refused, most in a minute', 'admitted, most in a minute']

function limitTable({ pushback }: ResultDocument): Block {
  const times = ['first at', 'last at']
  return pageTable(
    columnsOf(['operation', 'code'], ['count', 'share', ...PER_MINUTE, ...times]),
    pushback.limits.map((limit) => [
      limit.operation,
      codeWords(limit.code),
      formatCount(limit.count),
      formatValue(limit.count / limit.requests, 'share'),
      formatCount(limit.perMinute),
      formatCount(limit.admittedPerMinute),
      formatMs(limit.firstMs),
      formatMs(limit.lastMs),
    ]),
  )
}

function retryTable({ pushback }: ResultDocument): Block {
  return pageTable(
    columnsOf(['retried', 'after'], ['times']),
    pushback.retries.operations.flatMap(({ operation, causes }) =>
      causes.map(({ answer, count }) => [operation, String(answer), formatCount(count)]),
    ),
  )
}

const NOUNS = { kickoff: 'kickoff', status: 'poll' } as const

/**
 * `429 for 120 of 2,310 polls (5.19 %), at most 44 in a minute; the target asked for a wait 123
 * times, ...`.
 */
function limitFacts({ pushback }: ResultDocument): Fact[] {
  const { limits, waits } = pushback
  const words = limits.map(limitWords)
  if (waits.answers > 0) words.push(waitWords(waits))
  return words.length === 0 ? [] : [{ name: 'Limits', text: words.join('; ') }]
}

function limitWords({ operation, code, count, requests, perMinute }: LimitResult): string {
  const share = formatValue(count / requests, 'share')
  const of = plural(requests, NOUNS[operation])
  return (
    `${codeWords(code)} for ${formatCount(count)} of ${of} (${share}), at most ` +
    `${formatCount(perMinute)} in a minute`
  )
}

/** The others of these codes refuse for another reason, and are among the errors alone. */
function codeWords(code: number): string {
  return code === 403 || code === 503 ? `${code} with a wait` : String(code)
}

/** Says how many waits were kept, of those after which the client sent another request. */
function waitWords({ answers, kept, early, longestMs }: WaitCounts): string {
  const asked = `the target asked for a wait ${formatTimes(answers)}, at most ${formatMs(longestMs)}`
  const followed = kept + early
  return followed === 0
    ? `${asked}; no request followed`
    : `${asked}; ${formatCount(kept)} of ${formatCount(followed)} were honoured`
}

type WaitCounts = ResultDocument['pushback']['waits']

/**
 * `140 requests retried, which is 5.49 % more requests (3 kickoffs, 137 polls); after status 429
 * (115), ...; retries delayed 61 executions by ...`.
 */
function retryFacts(document: ResultDocument): Fact[] {
  const { retries } = document.pushback
  const cost = retryCount(retries) === 0 ? [] : [costWords(document), ...waitingWords(document)]
  const spent = retries.budgetSpent ? ['the retry budget was exhausted at times'] : []
  const words = [...cost, ...spent]
  return words.length === 0 ? [] : [{ name: 'Retries', text: words.join('; ') }]
}

function costWords(document: ResultDocument): string {
  const { retries } = document.pushback
  const parts = retries.operations
    .filter((each) => each.retries > 0)
    .map(({ operation, retries: again }) => plural(again, NOUNS[operation]))
  const more = formatValue(metricValueIn(document, 'retries.ratio') ?? 0, 'share')
  return (
    `${plural(retryCount(retries), 'request')} retried, which is ${more} more requests ` +
    `(${parts.join(', ')}); after ${causeWords(retries)}`
  )
}

function retryCount({ operations }: RetriesResult): number {
  return operations.reduce((sum, { retries }) => sum + retries, 0)
}

const CAUSES_SHOWN = 4

function causeWords({ operations }: RetriesResult): string {
  const causes = operations
    .flatMap(({ operation, causes: found }) => found.map((cause) => ({ operation, ...cause })))
    .sort((a, b) => b.count - a.count)
  const named = causes
    .slice(0, CAUSES_SHOWN)
    .map(({ operation, answer, count }) => `${operation} ${answer} (${formatCount(count)})`)
  const rest = causes.length - named.length
  return [...named, ...(rest > 0 ? [plural(rest, 'other cause')] : [])].join(', ')
}

function waitingWords(document: ResultDocument): string[] {
  const { executions } = document.pushback.retries
  const mean = document.distributions['retry.wait']?.mean ?? null
  if (executions === 0 || mean === null) return []
  const p95 = findMetric(document, 'retry.wait', 'p95')
  const tail = p95 === null || p95.value === null ? '' : `, p95 ${formatMetric(p95)}`
  const who = plural(executions, 'execution')
  const delayed = `retries delayed ${who} by ${formatMs(mean)} on average`
  return [delayed + tail]
}
