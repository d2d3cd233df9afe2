/**
 * What to do about limits that were reached, waits that were not honoured, and a retry budget that
 * was exhausted.
 */
import { formatCount, formatMs, plural } from '../base/numbers.ts'
import type { LimitResult, PushbackResult, RetriedOperation } from './disturbances.ts'
import type { RunFinding } from './finding.ts'
import { findingOf } from './finding.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { PlanDocument } from '../scenario/plan.schema.ts'
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
      .map(([name, count]) => ({ class: name, count }))
      .sort((a, b) => b.count - a.count || (a.class < b.class ? -1 : 1)),
  }
}

const MS_PER_MINUTE = 60_000

/** `inFlight`: the most executions in flight at once; 0 if unknown. */
export function pushbackFindings(
  { limits, waits, hints, retries }: PushbackResult,
  inFlight: number,
  { honourRetryAfter, polling }: Pick<PlanDocument, 'honourRetryAfter' | 'polling'>,
): RunFinding[] {
  // A 503 with a wait may also be an outage, which sending less does not cure.
  const found = limits
    .filter(({ code }) => code !== 503)
    .map((limit) =>
      limit.operation === 'status'
        ? findingOf('polls-refused', pollsRefused(limit, inFlight))
        : findingOf('kickoffs-refused', kickoffsRefused(limit)),
    )
  if (waits.early > 0) {
    const all = plural(waits.answers, 'wait')
    const message = `${formatCount(waits.early)} of ${all} that the target asked for were not honoured`
    found.push(
      honourRetryAfter
        ? findingOf(
            'waits-not-honoured',
            `${message}, but the plan honours them: report it as a bug`,
          )
        : findingOf('waits-ignored', `${message}: honourRetryAfter is off in the scenario`),
    )
  }
  if (hints !== undefined) {
    const message =
      `${plural(hints.answers, 'answer')} asked clients to wait, for ${formatMs(hints.longestMs)} ` +
      'at most; they refused nothing, and the quota was not used up (Retry-After)'
    const done =
      honourRetryAfter && polling.hint === 'obey'
        ? "these waits took the place of the scenario's interval (polling.hint is 'obey')"
        : "the scenario's interval was kept; clients that obey it learn of an end later " +
          "(polling.hint: 'obey' measures that)"
    found.push(findingOf('waits-hinted', `${message}: ${done}`))
  }
  if (retries.budgetSpent) {
    const message =
      'the retry budget was exhausted at times, and requests that failed then were ' +
      'not retried: raise retry.budget only if the target can take more load'
    found.push(findingOf('retry-budget', message))
  }
  return found
}

function pollsRefused(limit: LimitResult, inFlight: number): string {
  const { admittedPerMinute } = limit
  const refused = `${refusal(limit, 'poll')}: poll less often, or with a growing interval`
  if (admittedPerMinute === 0 || inFlight === 0) return refused
  const every = formatMs((inFlight * MS_PER_MINUTE) / admittedPerMinute)
  return (
    `${refused}${admitted(limit)}, which is one poll of each of ` +
    `${plural(inFlight, 'execution')} in flight every ${every}`
  )
}

function kickoffsRefused(limit: LimitResult): string {
  const remedy = 'lower the arrival rate, or make clients retry later'
  return `${refusal(limit, 'kickoff')}: ${remedy}${admitted(limit)}`
}

function admitted({ admittedPerMinute: most }: LimitResult): string {
  return most === 0 ? '' : `; the target admitted at most ${formatCount(most)} per minute`
}

function refusal({ code, count, requests }: LimitResult, noun: string): string {
  const verb = count === 1 ? 'was' : 'were'
  return `${formatCount(count)} of ${plural(requests, noun)} ${verb} refused with ${code}`
}
