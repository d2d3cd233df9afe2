/** A fault as a profile asks for it: what goes wrong, in which requests, and when. */
import type { Distribution } from '../../../src/base/distribution.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { FaultWhat } from './kinds.ts'

export interface Fault {
  /** Unique in its crew: the ledger's mark, and what its draws are forked by. */
  name: string
  what: FaultWhat
  /** Null: every one that the kind can strike. */
  operations: readonly Operation[] | null
  /** Null for faults that no time ends. */
  time: FaultTime | null
  /**
   * Of the requests that it could strike while it is on, it looks at the first so many alone; null:
   * at all.
   */
  first: number | null
  /** Of those that it looks at, every so manyth; 1: each. */
  nth: number
  /** Of those, this share, 0 to 1. */
  chance: number
  /** Root of its draws; null: the crew's. */
  seed: number | null
}

/**
 * Times in the crew's own time, which `speed` divides; they count from the crew's zero, or from
 * when the fault was added.
 */
export type FaultTime =
  /**
   * On from `fromMicros` for `forMicros` (null: for good), and again every `everyMicros` (null:
   * once).
   */
  | { kind: 'window'; fromMicros: Micros; forMicros: Micros | null; everyMicros: Micros | null }
  /** Off, on, off, on: each length drawn. */
  | { kind: 'episodes'; off: Distribution; on: Distribution }
