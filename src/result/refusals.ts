/** Limits that were reached, waits that were asked for, and retries. */
import type { LimitResult, PushbackResult, RetriedOperation } from './disturbances.schema.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Observations } from './observations.ts'
import type { MeasuredOperation } from '../crew/answer.ts'
import { MEASURED_OPERATIONS } from '../crew/answer.ts'

/**
 * Requests that the target refused temporarily, and the cost of retries: the counts as the document
 * shows them.
 */
export function pushbackResult(observations: Observations): PushbackResult {
  const { requests, notes } = observations
  const { waits, hints, retryWait } = requests.pushback
  return {
    limits: MEASURED_OPERATIONS.flatMap((operation) => limits(operation, observations)).sort(
      (a, b) => b.count - a.count || a.code - b.code || (a.operation < b.operation ? -1 : 1),
    ),
    waits: {
      answers: waits.answers,
      kept: waits.kept,
      early: waits.early,
      longestMs: waits.longestMicros / MICROS_PER_MS,
    },
    ...(hints.answers > 0 && {
      hints: {
        answers: hints.answers,
        kept: hints.kept,
        longestMs: hints.longestMicros / MICROS_PER_MS,
      },
    }),
    retries: {
      operations: MEASURED_OPERATIONS.map((operation) => retried(operation, observations)),
      executions: retryWait.n,
      budgetSpent: notes.some((note) => note.code === 'budget-spent' && note.budget === 'retry'),
    },
  }
}

function limits(operation: MeasuredOperation, { requests }: Observations): LimitResult[] {
  const { refusals, admittedPerMinute } = requests.pushback[operation]
  return [...refusals].map(([code, { count, firstMicros, lastMicros, byMinute }]) => ({
    operation,
    code,
    count,
    requests: requests[operation].requests,
    firstMs: firstMicros / MICROS_PER_MS,
    lastMs: lastMicros / MICROS_PER_MS,
    perMinute: Math.max(...byMinute.values()),
    admittedPerMinute,
  }))
}

function retried(operation: MeasuredOperation, { requests }: Observations): RetriedOperation {
  const { causes } = requests.pushback[operation]
  return {
    operation,
    requests: requests[operation].requests,
    retries: requests[operation].retries,
    causes: [...causes]
      .map(([answer, count]) => ({ answer, count }))
      .sort((a, b) => b.count - a.count || (String(a.answer) < String(b.answer) ? -1 : 1)),
  }
}

/** A 503 with a wait may also be an outage, which sending less does not cure. */
export function refusalsOf({ limits }: PushbackResult, operation: MeasuredOperation) {
  return limits
    .filter((limit) => limit.operation === operation && limit.code !== 503)
    .map(({ code, count, requests, admittedPerMinute }) => {
      return { status: code, refused: count, requests, admittedPerMinute }
    })
}

export function earlyRequests({ waits: { early, answers } }: PushbackResult) {
  return early === 0 ? null : { early, waits: answers }
}
