/** What an execution notes of its requests: each as it ends, and all of them for its record. */
import type { Micros } from '../base/units.ts'
import type { Timing } from '../crew/answer.ts'
import type { AskedWait, RequestColumns, RequestRecord } from './record/record.ts'
import { requestsIn } from './record/request.ts'
import type { RequestAnswer } from './request-log.ts'
import type { Execution } from './state.ts'

/** The row of a request that ended with this answer. */
export function requestRowOf(
  { dueMicros, intendedMicros, isRetry }: RequestBasis,
  answer: RequestAnswer,
  { releasedMicros, sentMicros, doneMicros, newConnection }: Timing,
): RequestRecord {
  return {
    dueMicros: dueMicros - intendedMicros,
    lateMicros: releasedMicros - dueMicros,
    waitMicros: (sentMicros ?? doneMicros) - releasedMicros,
    serviceMicros: sentMicros === null ? -1 : doneMicros - sentMicros,
    answer,
    fresh: newConnection ? 1 : 0,
    retry: isRetry ? 1 : 0,
  }
}

interface RequestBasis {
  dueMicros: Micros
  /** Of the execution. */
  intendedMicros: Micros
  isRetry: boolean
}

/** Adds the outstanding request. */
export function noteRequest(
  { record, requests, dueMicros, retries }: Execution,
  answer: RequestAnswer,
  timing: Timing,
): void {
  const { intendedMicros } = record
  requests.add(requestRowOf({ dueMicros, intendedMicros, isRetry: retries > 0 }, answer, timing))
}

/** Records that the answer just added asks for a wait of this length. */
export function noteAsked(execution: Execution, micros: Micros, isHint: boolean): void {
  execution.asked ??= []
  const request = execution.requests.count - 1
  execution.asked.push({ request, micros, ...(isHint ? { hint: true as const } : {}) })
}

/** Fills the record's columns, the kickoff and its retries, then the polls, and frees the log. */
export function fillColumns({ record, requests, kickoffs, asked }: Execution): void {
  const [kickoff, polls] = requests.columns(kickoffs)
  if (asked !== null) {
    keepAsked(kickoff, asked, 0, kickoffs)
    keepAsked(polls, asked, kickoffs, requests.count)
  }
  record.kickoff = kickoff
  record.polls = polls
  requests.release()
}

/** The columns of the kickoff, as the record will have them. */
export function kickoffColumns({ requests, kickoffs, asked }: Execution): RequestColumns {
  const [kickoff] = requests.columns(kickoffs)
  if (asked !== null) keepAsked(kickoff, asked, 0, kickoffs)
  return kickoff
}

/** The reverse: gives these kickoffs to an execution that has made no request yet. */
export function restoreRequests(execution: Execution, kickoff: RequestColumns): void {
  for (const row of requestsIn(kickoff, execution.record.intendedMicros)) {
    execution.requests.add(row)
  }
  execution.kickoffs = kickoff.answer.length
  execution.asked = kickoff.asked === undefined ? null : [...kickoff.asked]
}

function keepAsked(
  columns: RequestColumns,
  asked: readonly AskedWait[],
  from: number,
  to: number,
): void {
  const among = asked.filter(({ request }) => request >= from && request < to)
  if (among.length > 0) columns.asked = among.map((each) => within(each, from))
}

/** Its position counts from the columns' first request. */
function within({ request, ...wait }: AskedWait, from: number): AskedWait {
  return { request: request - from, ...wait }
}
