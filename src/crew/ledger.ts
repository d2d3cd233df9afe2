/**
 * The fake crew's true record, as `GET /__fake__/ledger` (NDJSON, one row per execution) and `GET
 * /__fake__/clock` return it.
 */
import type { Operation } from './answer.ts'

/**
 * Times are fractional milliseconds on the fake crew's monotonic clock; `/__fake__/clock` anchors
 * it. Keys are the public contract.
 */
export interface LedgerRow {
  kickoff_id: string
  /** Order of acceptance, from 0. */
  ordinal: number
  /** The kickoff's `x-correlation-id`, or null. */
  correlation: string | null
  accepted_ms: number
  /** When a worker started it; null while it waits. */
  started_ms: number | null
  /** Null while running and for stuck executions. */
  ended_ms: number | null
  /** `lost`: a restart removed it before its end. */
  outcome: 'running' | 'completed' | 'failed' | 'stuck' | 'lost'
  /** Seconds of each finished task in order, as reported to clients; rounded to the millisecond. */
  tasks: { task_id: string; execution_time: number }[]
  /** `fingerprint` of the final output; null unless completed. */
  output_hash: string | null
  /** Faults that changed answers about it, in order of time; missing if none did. */
  faults?: readonly FaultMark[]
}

/** One answer that a fault of the fake crew changed. */
export interface FaultMark {
  /** The fault's name. */
  fault: string
  operation: Operation
  /** When the request arrived. */
  at_ms: number
  /** The request's `x-correlation-id`, or null. */
  correlation: string | null
  /** The execution that the request was about, with its id in the ledger; null for none. */
  kickoff_id: string | null
}

/** One valid request that the fake crew refused: a line of `GET /__fake__/refusals`. */
export interface RefusalMark {
  /**
   * The limit that refused it (for longest, if several did), or `cold start`; null: the queue for
   * workers was full.
   */
  limit: string | null
  operation: Operation
  /** When the request arrived. */
  at_ms: number
  /** The status code of the answer. */
  status: number
  /** The request's `x-correlation-id`, or null. */
  correlation: string | null
  /** The id that a poll asked about; null for none. */
  kickoff_id: string | null
}

/**
 * When one fault of the fake crew was on, on the ledger's clock: a line of `GET
 * /__fake__/faults/spells`.
 */
export interface FaultSpells {
  /** The fault's name. */
  fault: string
  /** The kind of fault: `status`, `latency`, `restart`, ... */
  kind: string
  /** True: no schedule turns it on and off, and it is on from when it was added. */
  always: boolean
  /**
   * In order of time, the last 1,000 that have begun; a restart without a duration ends when it
   * begins.
   */
  spells: readonly FaultSpell[]
}

export interface FaultSpell {
  from_ms: number
  /** Null while it is on. */
  to_ms: number | null
}

export interface LedgerClock {
  /** The current time on the ledger's clock. */
  now_ms: number
  /** Wall clock at the ledger's zero, in Unix milliseconds. */
  anchor_unix_ms: number
  speed: number
}
