/** Limits in words, for the verdict and for reports: one short sentence for each code. */
import { unreachable } from '../../../base/assert.ts'
import { listed } from '../../../base/text.ts'
import { formatCount, formatMs, formatValue, plural } from '../../../base/numbers.ts'
import type {
  FurtherLimit,
  HeaderLie,
  OperationLimit,
  RateLimit,
  SafeSettings,
} from '../document.ts'
import { REASONS } from '../document.ts'
import { reasonOf } from '../../frame/findings.ts'
import type { LimitCaveat, ProbedOperation } from './infer/interface.ts'

type LimitReason = OperationLimit['reasons'][number]

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
  return `about ${requests} in ${formatMs(windowMs!.low)} to ${formatMs(windowMs!.high)}`
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
  calendar: ' that begins by the clock',
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
      const burst = valueWords(limit, 'capacity', whole)
      const rate = valueWords(limit, 'ratePerSecond', perSecond, rateWords)
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
      const block = valueWords(limit, 'blockMs', formatMs)
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
  return `${valueWords(limit, 'limit', whole)} ${noun} in ${valueWords(limit, 'windowMs', formatMs)}`
}

/** A value that is claimed, by default as a bound of an interval is written; else the interval. */
function valueWords(
  limit: RateLimit,
  name: RateLimit['open'][number],
  words: (value: number) => string,
  claimed = words,
): string {
  const { value, low, high } = limit[name]!
  return limit.open.includes(name) ? `${words(low)} to ${words(high)}` : claimed(value)
}

/** `1.76 polls per second in all`; below one a second, by the minute. */
export function settingsWords({ pollsPerSecond, each }: SafeSettings): string {
  const [rate, unit] = pollsPerSecond >= 1 ? [1, 'second'] : [60, 'minute']
  const polls = `${formatValue(pollsPerSecond * rate, 'ratio')} polls per ${unit}`
  return `${polls} ${each ? 'for each execution' : 'in all'}`
}

export function perSecond(value: number): string {
  return `${formatValue(value, 'ratio')}/s`
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

/** `a sliding log`. */
export function kindWords(kind: RateLimit['kind']): string {
  if (kind === 'none') return 'no limit'
  if (kind === 'concurrency') return 'a limit of concurrency'
  return kind === 'unknown' ? 'a limit of no known kind' : `a ${kind.replace('-', ' ')}`
}

const EXPERIMENTS =
  'crewload limits --target URL sends the experiments that would settle it; a run follows its ' +
  'scenario'
const MORE_KICKOFFS = 'give it more kickoffs with --kickoffs, if they are worth it'

/** Why the limit of an operation is not answered, and what would settle it. */
export function reasonsOf({ operation, conclusion, isRecorded }: ProbedOperation): LimitReason[] {
  const { outcome, caveats } = conclusion
  const isCut = outcome === 'lost' || outcome === 'stopped' || outcome === 'time-spent'
  const reason = (
    found: LimitReason['code'] & keyof typeof REASONS,
    message: string,
  ): LimitReason => {
    const code = isCut ? outcome : found
    const own = reasonOf(REASONS, code, message)
    if (isRecorded && code !== 'target-fails') return { ...own, remedy: EXPERIMENTS }
    const isMoney = operation === 'kickoff' && code === 'budget-spent'
    return isMoney ? { ...own, remedy: MORE_KICKOFFS } : own
  }
  if (caveats.length === 0 || outcome === 'lost')
    return [reason(outcome, outcomeWords(conclusion, isRecorded))]
  return caveats.map((caveat) => reason(caveat.code, caveatWords(caveat)))
}

function outcomeWords(
  { outcome, rateLimit: { kind, runnerUp }, requests }: ProbedOperation['conclusion'],
  isRecorded: boolean,
): string {
  const rivals =
    runnerUp === null
      ? `confirm ${kindWords(kind)}`
      : `tell ${kindWords(kind)} from ${kindWords(runnerUp.kind)}`
  switch (outcome) {
    case 'settled':
      return 'the evidence fits no kind of limit that is known here'
    case 'budget-spent':
    case 'cannot-tell':
      if (isRecorded) return `the recorded requests cannot ${rivals}`
      if (outcome === 'cannot-tell') return `no experiment within the budget can ${rivals}`
      if (kind !== 'none') return `${plural(requests, 'request')} cannot ${rivals}`
      return `${plural(requests, 'request')} met no limit; more may meet one`
    case 'time-spent':
      return 'the time was over before the limit was certain'
    case 'blocked':
      return `no ${isRecorded ? 'recorded ' : ''}request was let in after the first refusal`
    case 'target-fails':
      return `too many ${isRecorded ? 'recorded ' : ''}requests failed without being refused`
    case 'stopped':
      return 'the study was stopped before the limit was certain'
    case 'lost':
      return 'the target stopped answering'
    default:
      return unreachable(outcome)
  }
}

function caveatWords(caveat: LimitCaveat): string {
  switch (caveat.code) {
    case 'no-limiter':
      return 'no single limiter explains the answers: another client may use the same one'
    case 'chance':
      return 'refusals at random explain the answers almost as well as a limiter'
    case 'poor-fit':
      return 'the answers fit this limit poorly: another client may use the same one'
    case 'contradicted': {
      const times = caveat.times === 1 ? 'once' : `${caveat.times} times`
      return `the answers contradict this limit ${times}: another client may use the same one`
    }
    case 'second-limit':
      return 'a steady client was refused below the limit: a second limit, or another client, applies'
    case 'changed':
      return 'this limit explains the first refusals only: it may have changed, or several apply'
    case 'jitter':
      return 'within this jitter, a limit of concurrency and a fast bucket look the same'
    case 'at-once':
      return `a cap of ${plural(caveat.limit, 'request')} in flight explains the answers as well`
    case 'late': {
      const took = `one round trip in ten took ${Math.round(caveat.tripMs)} ms or longer`
      return `${took}, too long to measure a window of ${Math.round(caveat.windowMs)} ms`
    }
    case 'loose': {
      const words = caveat.what === 'rate' ? perSecond : formatMs
      return `the ${caveat.what} is only known as ${words(caveat.low)} to ${words(caveat.high)}`
    }
    case 'earlier-use': {
      const limit = `a limit of ${plural(caveat.limit, 'request')}`
      return `${limit} explains the answers as well, if requests to other operations used it`
    }
    case 'followed':
      return 'headers were followed with few requests, and these leave the kind open'
    default:
      return unreachable(caveat)
  }
}

/** What of the headers is not true. */
export function lieWords({ code, promised, found }: HeaderLie): string {
  switch (code) {
    case 'left':
      return `a request was refused although the headers say that ${promised} are left`
    case 'limit':
      return `the headers promise ${promised} requests, and ${found} get through`
    case 'window': {
      const [told, is] = [promised ?? 0, found ?? 0].map((ms) => `${(ms / 1_000).toFixed(1)} s`)
      return `the headers promise a window of ${told}, and it is ${is}`
    }
    case 'wait-short':
      return 'refusals ask for too short a wait: a client that waits so long is refused again'
    case 'wait-long':
      return 'refusals ask for too long a wait: requests would get through earlier'
    default:
      return unreachable(code)
  }
}
