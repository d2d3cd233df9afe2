/**
 * Disturbances in the document of a run: faults of the fake crew, what a target refused, and what
 * retries cost. Times in milliseconds.
 */

/** One fault of the fake crew. */
export interface FaultResult {
  name: string
  /** What it does: `status`, `latency`, `restart`, ... */
  kind: string
  /** No schedule turns it on and off: it strikes by chance or by number. */
  always: boolean
  /** Answers of this run's executions that it touched; those that befall connections touch none. */
  touched: { inputs: number; kickoff: number; status: number }
  /** How often its schedule had it on in the run. */
  times: number
  /**
   * When, cut to the run, in order; of more than 240 the nearest neighbours are joined. A restart
   * may take no time at all.
   */
  bands: { fromMs: number; toMs: number }[]
  /** Touched answers by the intervals of `series`. */
  counts: number[]
}

/** What came of one disturbance, a fault with a schedule or several at once. */
export interface RecoveryResult {
  /** Their names. */
  faults: string[]
  fromMs: number
  toMs: number
  /** Watched to here: to the next one, or to the last arrival. */
  untilMs: number
  /** Wanted before it, and of those served: completed. */
  former: { wanted: number; served: number }
  /** What service is judged over: as fine as `afterMs` can be. */
  windowMs: number | null
  /**
   * `recovered`: whoever came `afterMs` after its end, or later, was served as before (95 % of it
   * at least).
   */
  state: 'recovered' | 'not-recovered' | 'too-few' | 'unsteady' | 'overloaded'
  afterMs: number | null
  /** Executions in a window that it would take, where there were too few. */
  needed: number | null
}

/** What the target refused for now, and what that cost. Of the measured window. */
export interface PushbackResult {
  /** One an operation and code, the most frequent first; none where nothing was refused. */
  limits: LimitResult[]
  waits: AskedWaitsResult
  retries: RetriesResult
}

/** Answers that said: too much. 429 and 529, and 403 and 503 that asked for a wait. */
export interface LimitResult {
  operation: 'kickoff' | 'status'
  code: number
  count: number
  /** Of that operation, in all. */
  requests: number
  firstMs: number
  lastMs: number
  /** Most in one minute of the run's clock, minutes counted from its zero. */
  perMinute: number
  /**
   * In the minutes that had any: most requests of the operation that were not refused. What the
   * limit lets through, if the load reached it.
   */
  admittedPerMinute: number
}

/**
 * Answers that asked for a wait, by `Retry-After` or an exhausted quota, and when the execution's
 * next request was really sent.
 */
interface AskedWaitsResult {
  answers: number
  /** The next request went out when the wait was over, or later. */
  kept: number
  /** Before. */
  early: number
  /** No next request was sent. */
  last: number
  /** 0 without any. */
  longestMs: number
  /** What the plan says; null where it does not tell. */
  honoured: boolean | null
}

export interface RetriesResult {
  /** Both operations. */
  operations: RetriedOperation[]
  /** Of the requests that were no retries. */
  share: number
  /**
   * Executions that asked anything again; how long they waited for it stands in the distribution
   * `retry.wait`.
   */
  executions: number
  /** The plan's retry budget refused one. */
  budgetSpent: boolean
}

export interface RetriedOperation {
  operation: 'kickoff' | 'status'
  /** Retries included. */
  requests: number
  retries: number
  /** What was answered before: a code or an error class, the most frequent first. */
  causes: { class: string; count: number }[]
}
