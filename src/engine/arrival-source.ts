/** Where the engine gets its arrivals: a schedule, or clients that come back. */
import type { Micros } from '../base/units.ts'
import type { DueArrival } from '../execution/machine.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'

export interface ArrivalSource {
  /** When the next arrival is intended; Infinity while none is known. */
  readonly nextDueMicros: Micros
  /** The next arrival, due or not; call it only while one is known. */
  take(): DueArrival
  /** An execution has ended, which may make a closed client return. */
  ended(record: ExecutionRecord): void
}
