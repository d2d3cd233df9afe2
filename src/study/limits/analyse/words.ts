/** Limits in words, for the verdict and for reports. */
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatMs, formatValue, plural } from '../../../report/frame/format.ts'
import type { FurtherLimit, OperationLimit, PlainLimit, SafeSettings } from '../document.ts'
import type { LimitsProgress } from '../options.ts'
import { listed } from '../../../base/text.ts'

type LimitShown = PlainLimit &
  Partial<
    Pick<
      OperationLimit,
      'triedPerSecond' | 'requests' | 'headers' | 'also' | 'open' | 'intervals' | 'scope'
    >
  >

/** `60 requests in 60.0 s, by a sliding log`. */
export function limitWords(limit: LimitShown): string {
  const also = (limit.also ?? []).map((each) => `; and ${furtherWords(each)}`)
  return `${ownWords(limit)}${promiseWords(limit)}${also.join('')}`
}

/**
 * A second limit is met once or twice: how many it lets through, in how long about. One that
 * headers tell is told as they do.
 */
function furtherWords(further: FurtherLimit): string {
  const { intervals, rate, limit, capacity } = further
  if (further.basis === 'promised') return `${promisedWords(further)}, as headers promise`
  const { windowMs } = intervals
  if (windowMs === null)
    return `about ${rateWords(rate)} after a burst of ${formatCount(capacity ?? 0)}`
  return (
    `about ${plural(limit ?? 0, 'request')} in ${formatMs(windowMs.low)} to ` +
    formatMs(windowMs.high)
  )
}

function promisedWords({ concurrency, limit, windowMs }: FurtherLimit): string {
  if (concurrency !== null) return `${plural(concurrency, 'request')} in flight at once`
  const within = windowMs === null ? '' : ` in ${formatMs(windowMs)}`
  return `${plural(limit ?? 0, 'request')}${within}`
}

/** Headers are all that is known of a limit that was not used up. */
function promiseWords({ kind, headers }: LimitShown): string {
  if (headers === null || headers === undefined || headers.usedUp) return ''
  if (kind !== 'none') return `, by its ${headers.dialect} headers; not tested to the limit`
  const { limit, windowMs } = headers
  if (limit === null) return ''
  const within = windowMs === null ? '' : ` in ${formatMs(windowMs)}`
  return `; headers promise ${plural(limit, 'request')}${within}`
}

function ownWords(limit: LimitShown): string {
  switch (limit.kind) {
    case 'none':
      return noneWords(limit)
    case 'token-bucket':
    case 'leaky-bucket':
      return bucketWords(limit)
    case 'fixed-window':
      return `${windowWords(limit)}, by a fixed window${alignmentWords(limit)}`
    case 'sliding-log':
      return `${windowWords(limit)}, by a sliding log`
    case 'sliding-counter':
      return `${windowWords(limit)}, by a sliding counter`
    case 'concurrency':
      return `${plural(limit.concurrency ?? 0, 'request')} in flight at once`
    case 'penalty':
      return (
        `more than ${windowWords(limit)} is answered by a block of ` + timeWords(limit, 'blockMs')
      )
    case 'unknown':
      return 'a limit of no kind that could be named'
    default:
      return unreachable(limit.kind)
  }
}

/** What was tried, for a limit may lie beyond it, or be one over a longer time. */
function noneWords({ requests = 0, triedPerSecond = 0, scope }: LimitShown): string {
  if (requests === 0) return 'not probed'
  const others = scope?.sharedWith ?? []
  const met = others.length === 0 ? 'no limit met' : `no limit met but the one of ${listed(others)}`
  return (
    `${met}, at least ${plural(triedPerSecond, 'request')} within a second (none of ` +
    `${formatCount(requests)} was refused)`
  )
}

function bucketWords(limit: LimitShown): string {
  const name = limit.kind.replace('-', ' ')
  const held = limit.delaying ? ', which delays what is beyond it' : ''
  const rate = openWords(limit, 'ratePerSecond', perSecond) ?? rateWords(limit.rate)
  return `${rate} after a burst of ${countWords(limit, 'capacity')}, by a ${name}${held}`
}

/** `1.76 polls per second`; below one a second, by the minute. */
function pollRateWords(perSecond: number): string {
  return perSecond >= 1
    ? `${formatValue(perSecond, 'ratio')} polls per second`
    : `${formatValue(perSecond * 60, 'ratio')} polls per minute`
}

/** `1.76 polls per second in all`. */
export function settingsWords({ pollsPerSecond, each }: SafeSettings): string {
  return `${pollRateWords(pollsPerSecond)} ${each ? 'for each execution' : 'in all'}`
}

function perSecond(value: number): string {
  return `${formatValue(value, 'ratio')}/s`
}

function rateWords(rate: PlainLimit['rate']): string {
  if (rate === null) return 'an unknown rate'
  if (rate.count === 1 && rate.perMs !== 1_000) return `one request every ${formatMs(rate.perMs)}`
  const per = rate.perMs === 1_000 ? 'per second' : `in ${formatMs(rate.perMs)}`
  if (rate.count === 1) return `one request ${per}`
  return `${formatValue(rate.count, 'ratio')} requests ${per}`
}

function windowWords(limit: LimitShown): string {
  const noun = limit.limit === 1 && limit.open?.includes('limit') !== true ? 'request' : 'requests'
  return `${countWords(limit, 'limit')} ${noun} in ${timeWords(limit, 'windowMs')}`
}

function timeWords(limit: LimitShown, name: 'windowMs' | 'blockMs'): string {
  return openWords(limit, name, formatMs) ?? formatMs(limit[name] ?? 0)
}

function countWords(limit: LimitShown, name: 'limit' | 'capacity'): string {
  return openWords(limit, name, whole) ?? formatCount(limit[name] ?? 0)
}

function whole(value: number): string {
  return formatCount(Math.round(value))
}

/** The interval of what is not claimed; null for what is. */
function openWords(
  { open = [], intervals }: LimitShown,
  name: OperationLimit['open'][number],
  words: (value: number) => string,
): string | null {
  const interval = open.includes(name) ? intervals?.[name] : null
  return interval == null ? null : `${words(interval.low)} to ${words(interval.high)}`
}

function alignmentWords({ aligned }: LimitShown): string {
  switch (aligned) {
    case 'calendar':
      return ' that begins by the clock'
    case 'first-hit':
      return ' that begins with its first request'
    case 'last-hit':
      return ' that each request prolongs, a refused one too'
    case null:
    case undefined:
      return ''
    default:
      return unreachable(aligned)
  }
}

/** `a sliding log`. */
export function kindWords(kind: PlainLimit['kind']): string {
  if (kind === 'none') return 'no limit'
  if (kind === 'concurrency') return 'a limit of concurrency'
  return kind === 'unknown' ? 'a limit of no known kind' : `a ${kind.replace('-', ' ')}`
}

/** Before an experiment: `status: 84 requests so far; next 12 after 61.0 s: ...`. */
export function experimentLine(progress: LimitsProgress): string {
  const { operation, purpose, requests, waitMs, spent } = progress
  const wait = waitMs < 1_000 ? '' : ` within ${formatMs(waitMs)}`
  return (
    `${operation}: ${plural(spent, 'request')} so far; ${formatCount(requests)} more${wait}: ` +
    purpose
  )
}

export function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
