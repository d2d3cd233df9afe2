/**
 * Requests that the target refused temporarily, and the cost of retries: the counts as the document
 * shows them.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { Observations } from '../observations.ts'
import type { LimitResult, PushbackResult, RetriedOperation } from '../disturbances.ts'
import type { MeasuredOperation } from '../../crew/answer.ts'
import { MEASURED_OPERATIONS } from '../../crew/answer.ts'

export function pushbackResult(
  observations: Observations,
  { honourRetryAfter, polling }: Pick<PlanDocument, 'honourRetryAfter' | 'polling'>,
): PushbackResult {
  const { requests, notes } = observations
  const { waits, hints, retryWait } = requests.pushback
  const { answers, kept, early, longestMicros } = waits
  const operations = MEASURED_OPERATIONS.map((operation) => retried(operation, observations))
  const retries = operations.reduce((sum, each) => sum + each.retries, 0)
  const firstTries = operations.reduce((sum, each) => sum + each.requests, 0) - retries
  return {
    limits: MEASURED_OPERATIONS.flatMap((operation) => limits(operation, observations)).sort(
      (a, b) => b.count - a.count || a.code - b.code || (a.operation < b.operation ? -1 : 1),
    ),
    waits: {
      answers,
      kept,
      early,
      last: answers - kept - early,
      longestMs: longestMicros / MICROS_PER_MS,
      honoured: honourRetryAfter,
    },
    ...(hints.answers === 0
      ? {}
      : {
          hints: {
            answers: hints.answers,
            kept: hints.kept,
            longestMs: hints.longestMicros / MICROS_PER_MS,
            obeyed: honourRetryAfter && polling.hint === 'obey',
          },
        }),
    retries: {
      operations,
      share: firstTries === 0 ? 0 : retries / firstTries,
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
      .map(([name, count]) => ({ class: name, count }))
      .sort((a, b) => b.count - a.count || (a.class < b.class ? -1 : 1)),
  }
}
