/**
 * The fake crew's truth, as `GET /__fake__/ledger` (NDJSON, one row an execution) and `GET
 * /__fake__/clock` tell it.
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
  /** A worker took it up; null while it waits. */
  started_ms: number | null
  /** Null while running and for stuck executions. */
  ended_ms: number | null
  /** `lost`: a restart took it before its end. */
  outcome: 'running' | 'completed' | 'failed' | 'stuck' | 'lost'
  /**
   * Seconds, as reported to clients, of each finished task in order; rounded to the millisecond.
   */
  tasks: { task_id: string; execution_time: number }[]
  /** `fingerprint` of the final output; null unless completed. */
  output_hash: string | null
  /** Faults that touched answers about it, in order of time; missing where none did. */
  faults?: readonly FaultMark[]
}

/** One answer that a fault of the fake crew touched. */
export interface FaultMark {
  /** The fault's name. */
  fault: string
  operation: Operation
  /** When the request came. */
  at_ms: number
  /** The request's `x-correlation-id`, or null. */
  correlation: string | null
  /** Of the execution that the request was about, as the ledger knows it; null for none. */
  kickoff_id: string | null
}

/**
 * One request that the fake crew turned away though nothing was wrong with it: a line of `GET
 * /__fake__/refusals`.
 */
export interface RefusalMark {
  /**
   * The limit that refused it, for longest if there were several, or `cold start`; null: the queue
   * for workers was full.
   */
  limit: string | null
  operation: Operation
  /** When the request came. */
  at_ms: number
  /** Of the answer. */
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
  /** What it does: `status`, `latency`, `restart`, ... */
  kind: string
  /** True: no schedule turns it on and off, and its one spell lasts from when it was added. */
  always: boolean
  /**
   * In order of time, the last 1,000 that have begun; a restart that lasts no time ends when it
   * begins.
   */
  spells: readonly FaultSpell[]
}

export interface FaultSpell {
  from_ms: number
  /** Null while it lasts. */
  to_ms: number | null
}

export interface LedgerClock {
  /** Now, on the ledger's clock. */
  now_ms: number
  /** Wall clock at the ledger's zero, in Unix milliseconds. */
  anchor_unix_ms: number
  speed: number
}
