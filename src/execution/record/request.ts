/** One request of an execution: into the columns of its record, and back out of them. */
import type { Micros } from '../../base/units.ts'
import { isAnswer } from './readings.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { RequestColumns, RequestRecord } from './record.ts'

export function emptyColumns(): RequestColumns {
  return {
    dueMicros: [],
    lateMicros: [],
    waitMicros: [],
    serviceMicros: [],
    answer: [],
    fresh: [],
    retry: [],
  }
}

export function addRow(columns: RequestColumns, row: RequestRecord): void {
  columns.dueMicros.push(row.dueMicros)
  columns.lateMicros.push(row.lateMicros)
  columns.waitMicros.push(row.waitMicros)
  columns.serviceMicros.push(row.serviceMicros)
  columns.answer.push(row.answer)
  columns.fresh.push(row.fresh)
  columns.retry.push(row.retry)
}

/** A request, and what follows from its row; points in time are on the run's clock. */
export interface Request extends RequestRecord {
  intendedMicros: Micros
  /** When its first byte was sent; when it failed, if it never was. */
  sentMicros: Micros
  doneMicros: Micros
  /** A complete answer came. */
  isAnswered: boolean
  /**
   * The answer is other than 2xx or unreadable, or there is none; a request that we cancelled is
   * not an error of the target.
   */
  isError: boolean
}

/** The request at the position `at`, from 0. */
export function requestAt(
  columns: RequestColumns,
  at: number,
  executionIntendedMicros: Micros,
): Request {
  const dueMicros = columns.dueMicros[at]!
  const lateMicros = columns.lateMicros[at]!
  const waitMicros = columns.waitMicros[at]!
  const serviceMicros = columns.serviceMicros[at]!
  const answer = columns.answer[at]!
  const intendedMicros = executionIntendedMicros + dueMicros
  const sentMicros = intendedMicros + lateMicros + waitMicros
  return {
    dueMicros,
    lateMicros,
    waitMicros,
    serviceMicros,
    answer,
    fresh: columns.fresh[at]!,
    retry: columns.retry[at]!,
    intendedMicros,
    sentMicros,
    doneMicros: sentMicros + Math.max(0, serviceMicros),
    isAnswered: isAnswer(answer),
    isError: isError(answer),
  }
}

/** All of them, in the order they were made. */
export function requestsIn(columns: RequestColumns, executionIntendedMicros: Micros): Request[] {
  return columns.answer.map((_, at) => requestAt(columns, at, executionIntendedMicros))
}

function isError(answer: AnswerCode): boolean {
  if (typeof answer === 'string') return answer !== 'cancelled'
  return answer < 200 || answer > 299
}
