/** Findings beside the verdict of a study of limits: broken promises, other clients, open ends. */
import type { Cut } from '../../../result/ending/endings.ts'
import { cutWords } from '../../../result/ending/endings.ts'
import { excerpt } from '../../../crew/excerpt.ts'
import { isStandardRetryAfter } from '../../../crew/retry-after.ts'
import { formatCount, formatMs, plural } from '../../../base/numbers.ts'
import type { FindingOf, FindingRule } from '../../frame/findings.ts'
import { findingOf, findingsBy } from '../../frame/findings.ts'
import type { LimitsDocument, OperationLimit } from '../document.ts'
import { FINDINGS } from '../document.ts'
import { LIMITED_OPERATIONS } from '../../frame/limiter-kinds.ts'
import { isSettled } from './operation.ts'
import { lieWords } from './sentences.ts'
import { listed } from '../../../base/text.ts'

type OperationLimits = LimitsDocument['operations']
type LimitsFinding = FindingOf<typeof FINDINGS>

/** How whole the recordings are. */
export interface RecordedRuns {
  /** Executions without an end in the journals. */
  unfinished: number
  /** Says what a second stands for; null where none of the runs was a time-lapse. */
  lapse: string | null
  /** Folders of runs that were cut before their end. */
  cuts: readonly { run: string; cut: Cut }[]
  /** Requests that are known, and lie beside others that are not. */
  leftOut: Record<'status' | 'kickoff', number>
}

const RULES: readonly FindingRule<typeof FINDINGS, OperationLimit>[] = [
  ['header-lies', ({ headers }) => (headers?.lies ?? []).map(lieWords)],
  ['known-as-interval', openOnes],
  ['promise-unchecked', promised],
  ['used-by-others', others],
  ['no-retry-after', silence],
  ['retry-after-malformed', malformed],
]

export function findingsOf(operations: OperationLimits): LimitsFinding[] {
  const own = Object.entries(operations).flatMap(([name, limit]) =>
    limit === null
      ? []
      : findingsBy(FINDINGS, RULES, limit).map(({ code, severity, message }) => ({
          code,
          severity,
          message: `${name}: ${message}`,
        })),
  )
  return [...own, ...sharing(operations)]
}

const OPEN_NAMES: Record<OperationLimit['open'][number], string> = {
  ratePerSecond: 'the rate',
  capacity: 'the capacity',
  limit: 'the limit',
  windowMs: 'the window',
  blockMs: 'the block',
}

/** What would settle it: each further look costs as much as it takes to use the limit up. */
function openOnes(operation: OperationLimit): string | null {
  const { open, limit, capacity, blockMs: block, kind } = operation
  if (open.length === 0 || !isSettled(operation)) return null
  const names = open.map((each) => OPEN_NAMES[each]).join(' and ')
  const uses = (limit ?? capacity)?.high ?? 1
  const look = plural(Math.ceil(uses) + 1, 'request')
  const ends =
    kind === 'penalty' && block !== null ? ` and ends in a block of ${formatMs(block.high)}` : ''
  const are = open.length === 1 ? 'is' : 'are'
  return `${names} ${are} known as an interval only; each further look takes up to ${look}${ends}`
}

/** What headers alone promise is not known of requests that were not sent. */
function promised({ headers, evidence }: OperationLimit): string | null {
  if (headers === null || headers.usedUp || headers.limit === null) return null
  const accepted = evidence.filter(({ answer }) => answer === 'accepted').length
  return (
    `headers promise ${plural(headers.limit, 'request')}; only ${formatCount(accepted)} were ` +
    'sent, so the promise is not checked beyond them'
  )
}

/** A single one may be a count that was read late. */
const LEAST_OTHERS = 2

/** What a count in headers loses without a request of this client was taken by another. */
function others({ others: taken }: OperationLimit): string | null {
  if (taken < LEAST_OTHERS) return null
  return (
    `somebody else uses this limit: headers count ${plural(taken, 'request')} that this study ` +
    'did not send'
  )
}

/** A client that does not know when to come back guesses, and is refused again. */
function silence({ refusal, kind }: OperationLimit): string | null {
  if (refusal === null || kind === 'concurrency') return null
  if (refusal.retryAfterMs !== null || Object.keys(refusal.headers).length > 0) return null
  return `a refusal (${refusal.status}) has no Retry-After, so a client cannot know when to return`
}

const MOST_OF_A_FIELD = 40

/** A client that reads only what HTTP allows does not wait at all. */
function malformed({ refusal }: OperationLimit): string | null {
  const text = refusal?.headers['retry-after']
  if (text === undefined || isStandardRetryAfter(text)) return null
  return (
    `Retry-After is ${JSON.stringify(excerpt(text, MOST_OF_A_FIELD))}, and HTTP allows only whole ` +
    'seconds or a date (RFC 9110): strict clients come back at once'
  )
}

const RECORDED_RULES: readonly FindingRule<typeof FINDINGS, RecordedRuns>[] = [
  ['run-cut', ({ cuts }) => cuts.map(({ run, cut }) => `${run} is used, though ${cutWords(cut)}`)],
  ['requests-left-out', lacks],
  ['time-lapse', ({ lapse }) => lapse],
  ['recorded-only', () => CANNOT_SHOW],
]

export function recordedFindings(recorded: RecordedRuns): LimitsFinding[] {
  return findingsBy(FINDINGS, RECORDED_RULES, recorded)
}

function lacks({ leftOut, unfinished }: RecordedRuns): string[] {
  return (['status', 'kickoff'] as const).flatMap((name) =>
    leftOut[name] === 0 ? [] : `${name}: ${leftOutWords(leftOut[name], unfinished)}`,
  )
}

/** Recorded runs sent only what their scenario asked for. */
const CANNOT_SHOW =
  'Recorded answers hide who else uses a limit and how much, how headers count, and whether it is ' +
  'per token: journals keep no header but Retry-After'

function leftOutWords(leftOut: number, unfinished: number): string {
  const why =
    unfinished === 0
      ? 'the run was cut and resumed'
      : `the journal ends before ${plural(unfinished, 'execution')}`
  const requests = plural(leftOut, 'recorded request')
  return `${requests} left out, because ${why}: the limit may count requests that it lacks`
}

/** Each set of operations that use up one limit, once. */
function sharing(operations: OperationLimits): LimitsFinding[] {
  const messages = new Map<string, string>()
  for (const [name, limit] of Object.entries(operations)) {
    const others = limit?.scope.sharedWith ?? []
    if (limit === null || others.length === 0) continue
    const all = LIMITED_OPERATIONS.filter((each) => each === name || others.includes(each))
    const within = limit.windowMs === null ? '' : ` within ${formatMs(limit.windowMs.value)}`
    const message = `${listed(all)} share one limit: requests of all of them count together`
    // Only the operation that meets the limit knows its window.
    if (limit.kind !== 'none' || !messages.has(all.join()))
      messages.set(all.join(), message + within)
  }
  return [...messages.values()].map((message) => findingOf(FINDINGS, 'shared-limit', message))
}
