/** Limits in words, and the answer: what is safe first, then what was found. */
import type { NumberWording } from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import { listed } from '../../../base/text.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatPercent,
  formatValue,
  plural,
} from '../../../base/numbers.ts'
import { verdictText } from '../../frame/envelope.ts'
import type {
  FurtherLimit,
  LimitedOperation,
  LimitsDocument,
  OperationLimit,
  RateLimit,
  SafeSettings,
} from '../document.ts'
import { LIKELY, isSettled } from '../document.ts'
import { kindWords } from './reasons.ts'

type LimitsText = ReturnType<typeof verdictText>

/** `known`: what is answered leads, whatever is left open beside it. */
export function answerText(
  known: readonly LimitedOperation[],
  { operations, settings, ended }: Pick<LimitsDocument, 'operations' | 'settings' | 'ended'>,
): LimitsText {
  const found = known.flatMap((name) => {
    const limit = operations[name]
    return limit === null ? [] : [`${name}: ${reserveWords(limit)}${limitWords(limit)}`]
  })
  const learned = found.length === 0 ? 'Nothing was learned.' : `${found.join('. ')}.`
  if (ended === 'target') return verdictText('The target stopped answering.', learned)
  const isAnswered = known.some((name) => isSettled(operations[name]))
  return verdictText(isAnswered ? adviceWords(settings) : '', learned)
}

/** A time or a rate is claimed that is known within this share of it; a count that is exact. */
const CLAIMED = 0.05
const TIMES = ['ratePerSecond', 'windowMs', 'blockMs'] as const
const COUNTS = ['capacity', 'limit'] as const

/** With the parameters that the evidence leaves too wide an interval to claim. */
export function withOpen(limit: RateLimit): RateLimit {
  const counts = COUNTS.filter((name) => {
    const { low = 0, high = 0 } = limit[name] ?? {}
    return Math.round(low) !== Math.round(high)
  })
  const times = TIMES.filter((name) => {
    const { value = 0, low = 0, high = 0 } = limit[name] ?? {}
    return low < value * (1 - CLAIMED) || high > value * (1 + CLAIMED)
  })
  return { ...limit, open: [...counts, ...times] }
}

/** `60 requests in 60.0 s, by a sliding log`. */
export function limitWords(limit: OperationLimit): string {
  const also = limit.also.map((each) => `; and ${furtherWords(each)}`)
  return `${ownWords(limit)}${promiseWords(limit)}${also.join('')}`
}

/** A second limit is met once or twice: how many it lets through, in how long about. */
function furtherWords({ basis, concurrency, ratePerSecond, ...further }: FurtherLimit): string {
  const { limit, capacity, windowMs } = further
  const requests = plural((concurrency ?? limit)?.value ?? 0, 'request')
  if (concurrency !== null) return `${requests} in flight at once, as headers promise`
  if (basis === 'promised') return `${requests}${withinWords(windowMs?.value)}, as headers promise`
  if (ratePerSecond !== null)
    return `about ${rateWords(ratePerSecond.value)} after a burst of ${formatCount(capacity!.value)}`
  return `about ${requests} in ${formatInterval(windowMs!, 'ms')}`
}

/** Headers are all that is known of a limit that was not used up. */
function promiseWords({ kind, headers }: OperationLimit): string {
  if (headers === null || headers.usedUp) return ''
  const { limit, windowMs, dialect } = headers
  if (kind !== 'none') return `, claimed by its ${dialect} headers, not tested`
  if (limit === null) return ''
  return `; headers promise ${plural(limit, 'request')}${withinWords(windowMs)}`
}

function withinWords(windowMs: number | null | undefined): string {
  return windowMs == null ? '' : ` in ${formatMs(windowMs)}`
}

const ALIGNMENTS = {
  calendar: ' on the clock',
  'first-hit': ' that begins with its first request',
  'last-hit': ' that each request prolongs, a refused one too',
}

function ownWords(limit: OperationLimit): string {
  const { kind, aligned, delaying, concurrency } = limit
  switch (kind) {
    case 'none':
      return noneWords(limit)
    case 'token-bucket':
    case 'leaky-bucket': {
      const held = delaying ? ', which delays what is beyond it' : ''
      const burst = valueWords(limit, 'capacity', whole, whole)
      const rate = valueWords(limit, 'ratePerSecond', 'perSecond', rateWords)
      return `${rate} after a burst of ${burst}, by ${kindWords(kind)}${held}`
    }
    case 'fixed-window':
    case 'sliding-log':
    case 'sliding-counter': {
      const alignment = aligned === null ? '' : ALIGNMENTS[aligned]
      return `${windowWords(limit)}, by ${kindWords(kind)}${alignment}`
    }
    case 'concurrency':
      return `${plural(concurrency!.value, 'request')} in flight at once`
    case 'penalty': {
      const block = valueWords(limit, 'blockMs', 'ms', formatMs)
      return `more than ${windowWords(limit)} is answered by a block of ${block}`
    }
    case 'unknown':
      return 'a limit of no kind that could be named'
    default:
      return unreachable(kind)
  }
}

/** What was tried, for a limit may lie beyond it, or be one over a longer time. */
function noneWords({ requests, triedPerSecond, scope }: OperationLimit): string {
  if (requests === 0) return 'not probed'
  const others = scope.sharedWith ?? []
  const met = others.length === 0 ? 'no limit met' : `no limit met but the one of ${listed(others)}`
  const tried = `at least ${plural(triedPerSecond, 'request')} within a second`
  return `${met}, ${tried} (none of ${formatCount(requests)} was refused)`
}

function windowWords(limit: OperationLimit): string {
  const isOne = limit.limit!.value === 1 && !limit.open.includes('limit')
  const noun = isOne ? 'request' : 'requests'
  const requests = valueWords(limit, 'limit', whole, whole)
  return `${requests} ${noun} in ${valueWords(limit, 'windowMs', 'ms', formatMs)}`
}

/** A value that is claimed; else its interval. */
function valueWords(
  limit: RateLimit,
  name: RateLimit['open'][number],
  wording: NumberWording,
  claimed: (value: number) => string,
): string {
  const estimate = limit[name]!
  return limit.open.includes(name) ? formatInterval(estimate, wording)! : claimed(estimate.value)
}

/** What a client should do stands before why; it is empty where no rate is known to be safe. */
function adviceWords(settings: SafeSettings | null): string {
  if (settings === null) return ''
  const promised =
    settings.basis === 'promised'
      ? ', by a limit that headers promise; --ignore-headers tests it'
      : ''
  return `Send at most ${settingsWords(settings)}${promised}.`
}

/** Before a limit that is not certain; how far a limit was not met is certain. */
function reserveWords(limit: OperationLimit): string {
  if (isSettled(limit) || limit.kind === 'unknown' || limit.kind === 'none') return ''
  if (limit.probability >= LIKELY) return 'not confirmed, '
  return `not certain, perhaps (${formatPercent(limit.probability)}) `
}

/** `1.76 polls per second in all`; below one a second, by the minute. */
export function settingsWords({ pollsPerSecond, each }: SafeSettings): string {
  const [rate, unit] = pollsPerSecond >= 1 ? [1, 'second'] : [60, 'minute']
  const polls = `${formatValue(pollsPerSecond * rate, 'ratio')} polls per ${unit}`
  return `${polls} ${each ? 'for each execution' : 'in all'}`
}

/** As a person would write it: so many a second, or one in so long. */
function rateWords(value: number): string {
  if (value < 1) return `one request every ${formatMs(1_000 / value)}`
  return value === 1
    ? 'one request per second'
    : `${formatValue(value, 'ratio')} requests per second`
}

export function whole(value: number): string {
  return formatCount(Math.round(value))
}
