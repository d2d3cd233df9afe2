/** What is worth knowing beside the verdict of a study of limits. */
import { excerpt } from '../../../crew/excerpt.ts'
import { isStandardRetryAfter } from '../../../crew/retry-after.ts'
import type { FactsOf, FindingOf, FindingRule } from '../../../result/sentence-tables.ts'
import { findingOf, findingsBy } from '../../../result/sentence-tables.ts'
import { lapseOf } from '../../frame/time-lapse.ts'
import { LIMITED_OPERATIONS } from '../../frame/limiter-kinds.ts'
import type { LimitedOperation, LimitsDocument, OperationLimit } from '../document.ts'
import { isSettled } from '../document.ts'
import { FINDINGS } from '../sentences/findings.ts'

type OperationLimits = LimitsDocument['operations']
type LimitsFinding = FindingOf<typeof FINDINGS>

/** How whole the recordings are. */
export interface RecordedRuns {
  /** Executions without an end in the journals. */
  unfinished: number
  speed: number
  /** Folders of runs that were cut before their end. */
  cuts: readonly FactsOf<(typeof FINDINGS)['run-cut']>[]
  /** Requests that are known, and lie beside others that are not. */
  leftOut: Record<'status' | 'kickoff', number>
}

interface LimitOf extends OperationLimit {
  operation: LimitedOperation
}

const RULES: readonly FindingRule<typeof FINDINGS, LimitOf>[] = [
  ['header-lies', lies],
  ['known-as-interval', openOnes],
  ['promise-unchecked', promised],
  ['used-by-others', others],
  ['no-retry-after', silence],
  ['retry-after-malformed', malformed],
]

export function findingsOf(operations: OperationLimits): LimitsFinding[] {
  const own = (['kickoff', 'status', 'inputs'] as const).flatMap((operation) => {
    const limit = operations[operation]
    return limit === null ? [] : findingsBy(FINDINGS, RULES, { ...limit, operation })
  })
  return [...own, ...sharing(operations)]
}

function lies({ operation, headers }: LimitOf) {
  return (headers?.lies ?? []).map((lie) => ({ operation, lie }))
}

/** What would settle it: each further look costs as much as it takes to use the limit up. */
function openOnes(limit: LimitOf) {
  const { operation, open, limit: uses, capacity, blockMs: block, kind } = limit
  if (open.length === 0 || !isSettled(limit)) return null
  const requests = Math.ceil((uses ?? capacity)?.high ?? 1) + 1
  const blockMs = kind === 'penalty' && block !== null ? block.high : null
  return { operation, parameters: open, requests, blockMs }
}

function promised({ operation, headers, evidence }: LimitOf) {
  if (headers === null || headers.usedUp || headers.limit === null) return null
  const accepted = evidence.filter(({ answer }) => answer === 'accepted').length
  return { operation, promised: headers.limit, accepted }
}

/** A single one may be a count that was read late. */
const LEAST_OTHERS = 2

/** What a count in headers loses without a request of this client was taken by another. */
function others({ operation, others: requests }: LimitOf) {
  return requests < LEAST_OTHERS ? null : { operation, requests }
}

/** A client that does not know when to come back guesses, and is refused again. */
function silence({ operation, refusal, kind }: LimitOf) {
  if (refusal === null || kind === 'concurrency') return null
  if (refusal.retryAfterMs !== null || Object.keys(refusal.headers).length > 0) return null
  return { operation, status: refusal.status }
}

const MOST_OF_A_FIELD = 40

/** A client that reads only what HTTP allows does not wait at all. */
function malformed({ operation, refusal }: LimitOf) {
  const text = refusal?.headers['retry-after']
  if (text === undefined || isStandardRetryAfter(text)) return null
  return { operation, text: excerpt(text, MOST_OF_A_FIELD) }
}

const RECORDED_RULES: readonly FindingRule<typeof FINDINGS, RecordedRuns>[] = [
  ['run-cut', ({ cuts }) => cuts],
  ['requests-left-out', lacks],
  ['time-lapse', ({ speed }) => lapseOf(speed)],
  ['recorded-only', () => ({})],
]

export function recordedFindings(recorded: RecordedRuns): LimitsFinding[] {
  return findingsBy(FINDINGS, RECORDED_RULES, recorded)
}

function lacks({ leftOut, unfinished }: RecordedRuns) {
  return (['status', 'kickoff'] as const).flatMap((operation) => {
    const requests = leftOut[operation]
    return requests === 0 ? [] : { operation, requests, unfinished }
  })
}

/** Each set of operations that use up one limit, once. */
function sharing(operations: OperationLimits): LimitsFinding[] {
  const shared = new Map<string, FactsOf<(typeof FINDINGS)['shared-limit']>>()
  for (const [name, limit] of Object.entries(operations)) {
    const beside = limit?.scope.sharedWith ?? []
    if (limit === null || beside.length === 0) continue
    const all = LIMITED_OPERATIONS.filter((each) => each === name || beside.includes(each))
    // Only the operation that meets the limit knows its window.
    if (limit.kind !== 'none' || !shared.has(all.join())) {
      shared.set(all.join(), { operations: all, windowMs: limit.windowMs?.value ?? null })
    }
  }
  return [...shared.values()].map((facts) => findingOf(FINDINGS, 'shared-limit', facts))
}
