/**
 * The requests of an execution in flight, in one flat list: an empty array costs 570 bytes in k6's
 * engine, and the record has a column per field.
 */
import type { Timing } from '../crew/answer.ts'
import type { Micros } from '../base/units.ts'
import type { AskedWait, ErrorClass, RequestColumns } from './record/record.ts'
import { emptyColumns } from './record/record.ts'
import type { Execution } from './state.ts'

/** The fields of each request, in the order of its columns. */
const CELLS = 7
const ANSWER_CELL = 4

export type RequestCell = number | ErrorClass

/** Adds the outstanding request. */
export function noteRequest(
  { record, requests, dueMicros, retries }: Execution,
  answer: RequestCell,
  { releasedMicros, sentMicros, doneMicros, newConnection }: Timing,
): void {
  const at = requests.length
  requests[at] = dueMicros - record.intendedMicros
  requests[at + 1] = releasedMicros - dueMicros
  requests[at + 2] = (sentMicros ?? doneMicros) - releasedMicros
  requests[at + 3] = sentMicros === null ? -1 : doneMicros - sentMicros
  requests[at + ANSWER_CELL] = answer
  requests[at + 5] = newConnection ? 1 : 0
  requests[at + 6] = retries > 0 ? 1 : 0
}

/** Records that the answer just added asks for a wait of this length. */
export function noteAsked(execution: Execution, micros: Micros): void {
  execution.asked ??= []
  execution.asked.push({ request: requestsOf(execution) - 1, micros })
}

/** The number of requests answered or cancelled. */
export function requestsOf({ requests }: Execution): number {
  return requests.length / CELLS
}

/** The result of the last request; undefined before the first. */
export function lastAnswer({ requests }: Execution): RequestCell | undefined {
  return requests.at(ANSWER_CELL - CELLS)
}

/** Fills the record's columns: the kickoff and its retries, then the polls. */
export function fillColumns(execution: Execution): void {
  const { record, requests, kickoffs, asked } = execution
  record.kickoff = kickoffColumns(execution)
  record.polls = columnsOf(requests, kickoffs, requestsOf(execution))
  if (asked !== null) keepAsked(record.polls, asked, kickoffs, requestsOf(execution))
}

/** The columns of the kickoff, as the record will have them. */
export function kickoffColumns({ requests, kickoffs, asked }: Execution): RequestColumns {
  const columns = columnsOf(requests, 0, kickoffs)
  if (asked !== null) keepAsked(columns, asked, 0, kickoffs)
  return columns
}

/** The reverse: gives these kickoffs to an execution that has made no request yet. */
export function restoreRequests(execution: Execution, kickoff: RequestColumns): void {
  for (const [i, answer] of kickoff.answer.entries()) {
    execution.requests.push(
      kickoff.dueMicros[i]!,
      kickoff.lateMicros[i]!,
      kickoff.waitMicros[i]!,
      kickoff.serviceMicros[i]!,
      answer,
      kickoff.fresh[i]!,
      kickoff.retry[i]!,
    )
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
  if (among.length === 0) return
  columns.asked = among.map(({ request, micros }) => ({ request: request - from, micros }))
}

function columnsOf(requests: readonly RequestCell[], from: number, to: number): RequestColumns {
  const columns = emptyColumns()
  for (let at = from * CELLS; at < to * CELLS; at += CELLS) {
    columns.dueMicros.push(requests[at] as number)
    columns.lateMicros.push(requests[at + 1] as number)
    columns.waitMicros.push(requests[at + 2] as number)
    columns.serviceMicros.push(requests[at + 3] as number)
    columns.answer.push(requests[at + ANSWER_CELL]!)
    columns.fresh.push(requests[at + 5] as 0 | 1)
    columns.retry.push(requests[at + 6] as 0 | 1)
  }
  return columns
}
