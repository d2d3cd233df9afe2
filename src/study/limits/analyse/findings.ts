/** What a study of limits tells beside its verdict: broken promises, other clients, open ends. */
import type { Cut } from '../../../result/ending/cut.ts'
import { cutWords } from '../../../result/ending/cut.ts'
import { excerpt } from '../../../crew/excerpt.ts'
import { isStandardRetryAfter } from '../../../crew/retry-after.ts'
import { formatMs, plural } from '../../../report/frame/format.ts'
import { listed } from '../../frame/words.ts'
import type { LimitsDocument, OperationLimit } from '../document.ts'
import { LIMITED_OPERATIONS } from '../document.ts'
import { isSettled } from './settled.ts'
import { withoutStop } from './words.ts'

type Operations = LimitsDocument['operations']

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

export function findingsOf(operations: Operations): LimitsDocument['findings'] {
  const found: LimitsDocument['findings'] = []
  for (const [name, limit] of Object.entries(operations)) {
    if (limit !== null) {
      found.push(
        ...lies(name, limit),
        ...openOnes(name, limit),
        ...promised(name, limit),
        ...others(name, limit),
        ...silence(name, limit),
        ...malformed(name, limit),
      )
    }
  }
  return [...found, ...sharing(operations)]
}

function lies(name: string, { headers }: OperationLimit): LimitsDocument['findings'] {
  return (headers?.lies ?? []).map((lie) => ({
    severity: 'problem',
    message: `${name}: ${withoutStop(lie)}`,
  }))
}

const OPEN_NAMES: Record<OperationLimit['open'][number], string> = {
  ratePerSecond: 'the rate',
  capacity: 'the capacity',
  limit: 'the limit',
  windowMs: 'the window',
  blockMs: 'the block',
}

/** What would settle it: each further look costs as much as it takes to use the limit up. */
function openOnes(name: string, operation: OperationLimit): LimitsDocument['findings'] {
  const { open, intervals, kind } = operation
  if (open.length === 0 || !isSettled(operation)) return []
  const names = open.map((each) => OPEN_NAMES[each]).join(' and ')
  const uses = (intervals.limit ?? intervals.capacity)?.high ?? 1
  const look = plural(Math.ceil(uses) + 1, 'request')
  const block = intervals.blockMs
  const ends =
    kind === 'penalty' && block !== null ? ` and ends in a block of ${formatMs(block.high)}` : ''
  const message =
    `${name}: ${names} ${open.length === 1 ? 'is' : 'are'} known as an interval only; each ` +
    `further look takes up to ${look}${ends}`
  return [{ severity: 'info', message }]
}

/** What headers alone tell is not known of requests that were not sent. */
function promised(name: string, { headers, evidence }: OperationLimit): LimitsDocument['findings'] {
  if (headers === null || headers.usedUp || headers.limit === null) return []
  const accepted = evidence.filter(({ answer }) => answer === 'accepted').length
  const message =
    `${name}: headers promise ${plural(headers.limit, 'request')}, and the limit was not used ` +
    `up by ${plural(accepted, 'request')}: what they promise beyond is not checked`
  return [{ severity: 'warning', message }]
}

/** What recorded runs cannot show, because they sent only what their scenario asked for. */
export function recordedFindings({
  leftOut,
  unfinished,
  cuts,
  lapse,
}: RecordedRuns): LimitsDocument['findings'] {
  return [
    ...cuts.map(({ run, cut }) => ({
      severity: 'warning' as const,
      message: `${run} is used, though ${cutWords(cut)}`,
    })),
    ...(['status', 'kickoff'] as const).flatMap((name) =>
      leftOutOf(name, leftOut[name], unfinished),
    ),
    ...[...(lapse === null ? [] : [lapse]), CANNOT_SHOW].map((message) => ({
      severity: 'info' as const,
      message,
    })),
  ]
}

const CANNOT_SHOW =
  'Recorded answers alone do not show who shares a limit, whether other clients used ' +
  'it meanwhile, how headers count, and whether the runs had several tokens, each with a limit of ' +
  'its own: a journal keeps how long answers ask to wait, and no header'

function leftOutOf(name: string, leftOut: number, unfinished: number): LimitsDocument['findings'] {
  if (leftOut === 0) return []
  const why =
    unfinished === 0
      ? 'the run was cut and resumed, and its journal lacks requests from before the cut'
      : `${plural(unfinished, 'execution')} ${unfinished === 1 ? 'has' : 'have'} no end in the ` +
        'journal, for the run was cut or is not over, and it lacks their requests'
  const message =
    `${name}: ${plural(leftOut, 'recorded request')} ${leftOut === 1 ? 'is' : 'are'} left out: ` +
    `${why}, which the limit may have counted`
  return [{ severity: 'warning', message }]
}

/** What a count in headers loses without a request of this client was taken by another. */
function others(name: string, operation: OperationLimit): LimitsDocument['findings'] {
  if (operation.others < LEAST_OTHERS) return []
  const message =
    `${name}: somebody else uses this limit: headers count at least ` +
    `${plural(operation.others, 'request')} that this study did not send, so its share is ` +
    'smaller than the limit'
  return [{ severity: 'warning', message }]
}

/** A single one may be a count that was read late. */
const LEAST_OTHERS = 2

/** A client that is not told when to come back guesses, and is refused again. */
function silence(name: string, { refusal, kind }: OperationLimit): LimitsDocument['findings'] {
  if (refusal === null || kind === 'concurrency') return []
  if (refusal.retryAfterMs !== null || Object.keys(refusal.headers).length > 0) return []
  const message =
    `${name}: a refusal (${refusal.status}) does not say when to come back, for it has no ` +
    'Retry-After'
  return [{ severity: 'warning', message }]
}

/** A client that reads only what HTTP allows does not wait at all. */
function malformed(name: string, { refusal }: OperationLimit): LimitsDocument['findings'] {
  const text = refusal?.headers['retry-after']
  if (text === undefined || isStandardRetryAfter(text)) return []
  const message =
    `${name}: Retry-After is ${JSON.stringify(excerpt(text, MOST_OF_A_FIELD))}, and HTTP allows ` +
    'only whole seconds or a date (RFC 9110): clients that read nothing else come back at once'
  return [{ severity: 'warning', message }]
}

const MOST_OF_A_FIELD = 40

/** Each set of operations that use up one limit, once. */
function sharing(operations: Operations): LimitsDocument['findings'] {
  const told = new Map<string, string>()
  for (const [name, limit] of Object.entries(operations)) {
    const others = limit?.scope.sharedWith ?? []
    if (limit === null || others.length === 0) continue
    const all = LIMITED_OPERATIONS.filter((each) => each === name || others.includes(each))
    const within = limit.windowMs === null ? '' : ` within ${formatMs(limit.windowMs)}`
    const message = `${listed(all)} share one limit: requests of all of them count together`
    // What the limit is, is told of one that meets it.
    if (limit.kind !== 'none' || !told.has(all.join())) told.set(all.join(), message + within)
  }
  return [...told.values()].map((message) => ({ severity: 'warning', message }))
}
