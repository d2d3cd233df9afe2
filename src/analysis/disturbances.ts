/**
 * Disturbances in the document of a run: faults of the fake crew, requests that the target refused,
 * and the cost of retries. Times in milliseconds.
 */

/** One fault of the fake crew. */
export interface FaultResult {
  name: string
  /** The kind of fault: `status`, `latency`, `restart`, ... */
  kind: string
  /** True: no schedule turns it on and off; it strikes by probability or by number. */
  always: boolean
  /** Answers of this run's executions that it changed; faults of connections change none. */
  touched: { inputs: number; kickoff: number; status: number }
  /** How many times its schedule turned it on during the run. */
  times: number
  /**
   * When it was on, cut to the run, in order; of more than 240, the nearest neighbours are joined.
   * A restart may have no duration.
   */
  bands: { fromMs: number; toMs: number }[]
  /** Changed answers by the intervals of `series`. */
  counts: number[]
}

/** The consequences of one disturbance: a fault with a schedule, or several at once. */
export interface RecoveryResult {
  /** The names of its faults. */
  faults: string[]
  fromMs: number
  toMs: number
  /** Observed until this time: the next disturbance, or the last arrival. */
  untilMs: number
  /** Executions that were wanted before it, and how many were served: completed. */
  former: { wanted: number; served: number }
  /** The window over which service is judged: the resolution of `afterMs`. */
  windowMs: number | null
  /**
   * `recovered`: executions wanted `afterMs` after its end, or later, were served as before (at
   * least 95 % of it).
   */
  state: 'recovered' | 'not-recovered' | 'too-few' | 'unsteady' | 'overloaded'
  afterMs: number | null
  /** Executions in a window that would be needed, if there were too few. */
  needed: number | null
}

/** Requests that the target refused temporarily, and their cost. Of the measured window. */
export interface PushbackResult {
  /** One per operation and code, the most frequent first; empty if nothing was refused. */
  limits: LimitResult[]
  waits: AskedWaitsResult
  retries: RetriesResult
}

/**
 * Answers that asked the client to slow down: 429 and 529, and 403 and 503 with a requested wait.
 */
export interface LimitResult {
  operation: 'kickoff' | 'status'
  code: number
  count: number
  /** All requests of that operation. */
  requests: number
  firstMs: number
  lastMs: number
  /** The most in one minute of the run's clock, minutes counted from its zero. */
  perMinute: number
  /**
   * In minutes with refusals: the most requests of the operation that were not refused. This is the
   * rate that the limit admits, if the load reached it.
   */
  admittedPerMinute: number
}

/**
 * Answers that asked for a wait, by `Retry-After` or an exhausted quota, and when the execution's
 * next request was actually sent.
 */
interface AskedWaitsResult {
  answers: number
  /** The next request was sent when the wait was over, or later. */
  kept: number
  /** It was sent earlier. */
  early: number
  /** No next request was sent. */
  last: number
  /** 0 if there were none. */
  longestMs: number
  /** Whether the plan honours such waits; null if unknown. */
  honoured: boolean | null
}

export interface RetriesResult {
  /** Both operations. */
  operations: RetriedOperation[]
  /** Of the requests that were not retries. */
  share: number
  /** Executions with at least one retry; their total wait is the distribution `retry.wait`. */
  executions: number
  /** Retries refused by the plan's retry budget. */
  budgetSpent: boolean
}

export interface RetriedOperation {
  operation: 'kickoff' | 'status'
  /** Including retries. */
  requests: number
  retries: number
  /** The answer that was retried: a code or an error class, the most frequent first. */
  causes: { class: string; count: number }[]
}
