/** A fault as a profile specifies it: what goes wrong, in which requests, and when. */
import type { Distribution } from '../../../src/base/distribution.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { FaultWhat } from './kinds/list.ts'

export interface Fault {
  /** Unique in its crew: the name in the ledger, and the key of its draws. */
  name: string
  what: FaultWhat
  /** Null: every operation that the kind can strike. */
  operations: readonly Operation[] | null
  /** Null for faults without a schedule. */
  time: FaultTime | null
  /** Considers only the first this many matching requests while it is on; null: all. */
  first: number | null
  /** Only every nth of those requests is considered; 1 considers each. */
  nth: number
  /** The share, 0 to 1, of those requests that the fault strikes. */
  chance: number
  /** Root of its draws; null: the crew's. */
  seed: number | null
}

/**
 * Times are in the crew's own time, which `wallFault` divides. They count from the crew's start, or
 * from when the fault was added.
 */
export type FaultTime =
  /**
   * The fault is on from `fromMicros` for `forMicros` (null: indefinitely), and again every
   * `everyMicros` (null: once).
   */
  | { kind: 'window'; fromMicros: Micros; forMicros: Micros | null; everyMicros: Micros | null }
  /** Alternates off and on; each length is drawn. */
  | { kind: 'episodes'; off: Distribution; on: Distribution }
