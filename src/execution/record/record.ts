/** The record of one execution, which is the basis of all measurement. */
import { noOutcomes, OUTCOMES } from '../../scenario/outcomes.ts'
import type { Outcome } from '../../scenario/outcomes.ts'
import type { Violation } from '../../crew/contract/violation.ts'
import type { ExecutionRecord } from './record.schema.ts'
import type { AskedPerson, AskedWait, RequestColumns, RequestRecord } from './shapes.schema.ts'

export { noOutcomes, OUTCOMES }
export type {
  AskedPerson,
  AskedWait,
  ExecutionRecord,
  Outcome,
  RequestColumns,
  RequestRecord,
  Violation,
}
