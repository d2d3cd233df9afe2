/** The document of a study of limits, from what was probed. */
import type { StudyPlace } from '../../frame/study-place.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type {
  LimitedOperation,
  LimitsDocument,
  LimitsPlan,
  OperationLimit,
  SafeSettings,
} from '../document.ts'
import type { RecordedRuns } from './findings.ts'
import { findingsOf, recordedFindings } from './findings.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import { isSettled } from '../document.ts'
import type { LimitReason } from '../sentences/reasons.ts'
import { REASONS, namedReason } from '../sentences/reasons.ts'
import { answerText } from '../sentences/verdict.ts'
import type { ProbedOperation } from './infer/interface.ts'
import { operationLimit } from './operation.ts'
import { loopsOf } from '../../frame/loops.ts'
import { durationText, MICROS_PER_MS } from '../../../base/units.ts'

export interface LimitsParts extends StudyFacts {
  plan: LimitsPlan
  operations: readonly ProbedOperation[]
  /** Null where the requests were the study's own. */
  recorded: RecordedRuns | null
  place: StudyPlace
  seed: number
}

export function limitsDocument(parts: LimitsParts): LimitsDocument {
  const { plan, operations: probed, recorded, ended, ...rest } = parts
  const found: Partial<Record<LimitedOperation, OperationLimit>> = Object.fromEntries(
    probed.map((each) => [each.operation, operationLimit(ended === 'target' ? lost(each) : each)]),
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
    findings: [...findingsOf(operations), ...(recorded === null ? [] : recordedFindings(recorded))],
    verdict: verdictOf(plan, operations, settings, ended),
    plan,
    ended,
    operations,
    settings,
  }
}

/** What was settled stays so. */
function lost(probed: ProbedOperation): ProbedOperation {
  const { conclusion } = probed
  if (conclusion.outcome === 'settled') return probed
  return { ...probed, conclusion: { ...conclusion, outcome: 'lost' } }
}

type Operations = LimitsDocument['operations']

function verdictOf(
  plan: LimitsPlan,
  operations: Operations,
  settings: SafeSettings | null,
  ended: LimitsDocument['ended'],
): LimitsDocument['verdict'] {
  const settled = plan.operations.filter((name) => isSettled(operations[name]))
  const open = plan.operations.filter((name) => !isSettled(operations[name]))
  const reasons = open.flatMap((name) => reasonsFor(name, operations))
  const asked = [...settled, ...open]
  const text = answerText(asked, { operations, settings, ended })
  if (ended === 'target') return { outcome: 'target-lost', ...text, reasons }
  const isKnown = asked.some((name) => operations[name] !== null)
  if (plan.from.length > 0 && !isKnown) reasons.push(reasonOf(REASONS, 'no-requests', {}))
  if (settled.length === 0) return { outcome: 'cannot-tell', ...text, reasons }
  const isWhole = open.every((name) => isUnmetBeside(name, operations[name]))
  return { outcome: isWhole ? 'answered' : 'answered-in-part', ...text, reasons }
}

/** A few kickoffs, which cost money, that met no limit leave nothing open about the others. */
function isUnmetBeside(name: LimitedOperation, limit: OperationLimit | null): boolean {
  return name === 'kickoff' && limit?.kind === 'none' && limit.outcome === 'budget-spent'
}

/** Why nothing is certain about this operation. */
export function reasonsFor(operation: LimitedOperation, operations: Operations): LimitReason[] {
  const limit = operations[operation]
  if (limit === null) return [reasonOf(REASONS, 'not-probed', { operation })]
  return limit.reasons.map((each) => namedReason(operation, each))
}

const INTERVALS_MS = [2_000, 5_000, 10_000, 15_000, 30_000, 60_000]
/** Kept free for retries, and for a second client with the same token. */
const USED_SHARE = 0.9

/** Of so many times the wait after the first refusal, the longest is. */
const GROWTH = 8

/** Null where no rate of polls is known to be safe: a guess is not recommended. */
function settingsFor(
  { inFlight, paths }: LimitsPlan,
  status: OperationLimit | null,
): SafeSettings | null {
  const safe = status?.safePerSecond ?? null
  if (status === null || safe === null || safe <= 0) return null
  const pollsPerSecond = safe * USED_SHARE
  const each = status.scope.path === true
  const intervalMs = niceInterval(((each ? 1 : inFlight) / pollsPerSecond) * 1_000)
  const everyMicros = intervalMs * MICROS_PER_MS
  const example = { executions: inFlight, intervalMs }
  return {
    operation: 'status',
    pollsPerSecond,
    each,
    basis: status.headers?.usedUp === false ? 'promised' : 'measured',
    inFlight: (each ? [] : INTERVALS_MS).map((ms) => ({
      intervalMs: ms,
      executions: Math.floor((pollsPerSecond * ms) / 1_000),
    })),
    example,
    scenario: scenarioLines(intervalMs, safe, status.refusal?.waitMs ?? 0),
    ...loopsOf({ kind: 'fixed', everyMicros, initialDelayMicros: everyMicros }, paths?.status),
  }
}

/** Rounded up, to a whole second from one second on: an interval that a person would write. */
function niceInterval(ms: number): number {
  const least = Math.max(ms, 100)
  return least < 1_000 ? Math.ceil(least / 100) * 100 : Math.ceil(least / 1_000) * 1_000
}

/** `waitMs`: until a client that was refused is surely let in again, 0 where that is not known. */
function scenarioLines(intervalMs: number, safePerSecond: number, waitMs: number): string {
  const initialMs = niceInterval(1_000 / safePerSecond)
  const maxMs = Math.max(niceInterval(waitMs), GROWTH * initialMs)
  const backoff = `initial: '${written(initialMs)}', factor: 2, max: '${written(maxMs)}', jitter: 'full'`
  return (
    `polling: { fixed: '${written(intervalMs)}' },\n` +
    `retry: { backoff: { ${backoff} } },\nhonourRetryAfter: true,\n`
  )
}

function written(ms: number): string {
  return durationText(ms * MICROS_PER_MS)
}
