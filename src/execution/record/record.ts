/** What one execution leaves behind: the basis of all measurement. */
import type { FailureClass } from '../../crew/answer.ts'
import type { Violation } from '../../crew/contract/violation.ts'
import type { BodyFault } from '../../crew/observation.ts'
import type { AskedWait, ExecutionRecord, RequestColumns } from './record.schema.ts'

/** Outcomes are exclusive; their counts always sum to the number of arrivals. */
export const OUTCOMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export type ErrorClass = FailureClass | BodyFault
export type { AskedWait, ExecutionRecord, RequestColumns, Violation }

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
