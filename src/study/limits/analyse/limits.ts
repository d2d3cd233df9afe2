/** The document of a study of limits, from what was probed. */
import { excerpt } from '../../../crew/excerpt.ts'
import { isStandardRetryAfter } from '../../../crew/retry-after.ts'
import { formatMs, plural } from '../../../report/frame/format.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type {
  LimitedOperation,
  LimitsDocument,
  LimitsPlan,
  OperationLimit,
  SafeSettings,
} from '../document.ts'
import { kindWords, limitWords, pollRateWords } from './words.ts'
import type { ProbedOperation } from './operation.ts'
import { operationLimit } from './operation.ts'
import { settingsFor } from './settings.ts'

export interface LimitsParts extends StudyFacts {
  plan: LimitsPlan
  operations: readonly ProbedOperation[]
  target: string
  profile: string | null
  seed: number
}

export function limitsDocument(parts: LimitsParts): LimitsDocument {
  const { plan, operations: probed, ended, ...rest } = parts
  const found: Partial<Record<LimitedOperation, OperationLimit>> = Object.fromEntries(
    probed.map((each) => [each.operation, operationLimit(each)]),
  )
  const operations = {
    kickoff: found.kickoff ?? null,
    status: found.status ?? null,
    inputs: found.inputs ?? null,
  }
  const settings = settingsFor(plan, operations.status)
  return {
    ...rest,
    schema: 'crewload/limits/1',
    study: 'limits',
    scenario: null,
    budget: plan.budget,
    findings: [...findingsOf(operations), ...recordedFindings(plan)],
    verdict: verdictOf(plan, operations, settings, ended),
    plan,
    ended,
    operations,
    settings,
  }
}

type Operations = LimitsDocument['operations']

function verdictOf(
  plan: LimitsPlan,
  operations: Operations,
  settings: SafeSettings | null,
  ended: LimitsDocument['ended'],
): LimitsDocument['verdict'] {
  const open = plan.operations.filter((name) => !isSettled(operations[name]))
  const remedies = plan.from.length > 0 ? RECORDED_REMEDIES : REMEDIES
  const reasons = open.flatMap((name) => reasonsOf(name, operations[name], ended, remedies))
  const known = plan.operations.flatMap((name) => {
    const limit = operations[name]
    return limit === null ? [] : [`${name}: ${reserveWords(limit)}${limitWords(limit)}`]
  })
  const sentence = known.length === 0 ? 'Nothing was learned.' : `${known.join('; ')}.`
  if (ended === 'target') {
    return {
      outcome: 'target-lost',
      sentence: `The target stopped answering. ${sentence}`,
      reasons,
    }
  }
  if (open.length > 0 || known.length === 0) return { outcome: 'cannot-tell', sentence, reasons }
  return { outcome: 'answered', sentence: `${adviceWords(settings)}${sentence}`, reasons }
}

/** What a client should do stands before why; it is empty where no rate is known to be safe. */
function adviceWords(settings: SafeSettings | null): string {
  if (settings === null) return ''
  const { pollsPerSecond, basis } = settings
  const promised = basis === 'promised' ? ', by a limit that headers promise' : ''
  return `Send at most ${pollRateWords(pollsPerSecond)} in all${promised}. `
}

function isSettled(limit: OperationLimit | null): boolean {
  return limit !== null && limit.outcome === 'settled' && limit.kind !== 'unknown'
}

/** From this probability on, only confirming experiments are missing. */
const LIKELY = 0.99

/** Before what is told of a limit that is not certain. */
function reserveWords(limit: OperationLimit): string {
  if (isSettled(limit) || limit.kind === 'unknown') return ''
  if (limit.probability >= LIKELY) return 'not confirmed, '
  return `not certain, perhaps (${Math.round(100 * limit.probability)} %) `
}

type Reason = LimitsDocument['verdict']['reasons'][number]
type Why = OperationLimit['outcome'] | 'lost'

const REMEDIES: Record<Why, string> = {
  settled: 'give it more requests with --max-requests, while nobody else uses this token',
  'cannot-tell': 'give it more requests with --max-requests, while nobody else uses this token',
  'budget-spent': 'give it more requests with --max-requests',
  blocked: 'wait until the block is over, and ask the owner of the target how long it lasts',
  'target-fails': 'mend the target first: failures hide what a limiter does',
  stopped: 'crewload resume continues it where the target still stands',
  lost: 'see whether the target still runs; crewload resume continues from here',
}

const RECORDED =
  'crewload limits --target URL sends the experiments that would settle it; a run follows its ' +
  'scenario'
const RECORDED_REMEDIES: Record<Why, string> = {
  settled: RECORDED,
  'cannot-tell': RECORDED,
  'budget-spent': RECORDED,
  blocked: RECORDED,
  'target-fails': REMEDIES['target-fails'],
  stopped: RECORDED,
  lost: RECORDED,
}

function reasonsOf(
  name: LimitedOperation,
  limit: OperationLimit | null,
  ended: LimitsDocument['ended'],
  remedies: Record<Why, string>,
): Reason[] {
  if (limit === null) {
    return [{ code: 'not-probed', message: `${name} was not probed`, remedy: remedies.stopped }]
  }
  const code = ended === 'target' ? 'lost' : limit.outcome
  const { runnerUp } = limit
  const rival =
    runnerUp === null || runnerUp.probability < 0.01
      ? ''
      : `; ${kindWords(runnerUp.kind)} is possible too ` +
        `(${Math.round(100 * runnerUp.probability)} %)`
  const messages = limit.reasons.length === 0 ? [OUTCOMES[code]] : limit.reasons
  return messages.map((each) => ({
    code,
    message: `${name}: ${withoutStop(each)}${rival}`,
    remedy: remedies[code],
  }))
}

const OUTCOMES: Record<Why, string> = {
  settled: 'the evidence fits no kind of limit that is known here',
  'cannot-tell': 'no further experiment within the budget could tell the explanations apart',
  'budget-spent': 'the budget of requests was spent before the limit was certain',
  blocked: 'the target blocks this client for longer than the study may wait',
  'target-fails': 'the target answers with errors that are no refusals',
  stopped: 'the study was stopped before the limit was certain',
  lost: 'the target stopped answering',
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

function findingsOf(operations: Operations): LimitsDocument['findings'] {
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
        ...sharing(name, limit),
      )
    }
  }
  return found
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
function recordedFindings({ from }: LimitsPlan): LimitsDocument['findings'] {
  if (from.length === 0) return []
  const message =
    'From recorded answers alone it cannot be told who shares a limit, whether other clients ' +
    'used it meanwhile, and what headers promise: journals keep no headers'
  return [{ severity: 'info', message }]
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
  if (Object.keys(refusal.headers).length > 0) return []
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

function sharing(name: string, { scope, windowMs }: OperationLimit): LimitsDocument['findings'] {
  const shared = scope.sharedWith ?? []
  if (shared.length === 0) return []
  const within = windowMs === null ? '' : ` within ${formatMs(windowMs)}`
  const message =
    `${name} shares its limit with ${shared.join(' and ')}: requests of all of them count ` +
    `together${within}`
  return [{ severity: 'warning', message }]
}
