/**
 * Disturbances in the document of a run: faults of the fake crew, requests that the target refused,
 * and the cost of retries. Times in milliseconds.
 */
import { z } from 'zod'
import { MEASURED_OPERATIONS } from '../crew/answer.ts'
import { answerCode } from '../execution/record/reason.schema.ts'
import { count, ms } from './document-parts.schema.ts'

const operation = z.enum(MEASURED_OPERATIONS)

/** One fault of the fake crew. */
export const fault = z.object({
  name: z.string(),
  /** The kind of fault: `status`, `latency`, `restart`, ... */
  kind: z.string(),
  /** True: no schedule turns it on and off; it strikes by probability or by number. */
  always: z.boolean(),
  /** Answers of this run's executions that it changed; faults of connections change none. */
  touched: z.object({
    inputs: count,
    kickoff: count,
    status: count,
    resume: count.exactOptional(),
  }),
  /** The number of times that its schedule turned it on during the run. */
  times: count,
  /**
   * When it was on, cut to the run, in order; of more than 240, the nearest neighbours are joined.
   * A restart may have no duration.
   */
  bands: z.array(z.object({ fromMs: ms, toMs: ms })),
  /** Changed answers by the intervals of `series`. */
  counts: z.array(count),
})
export type FaultResult = z.infer<typeof fault>

/** The consequences of one disturbance: a fault with a schedule, or several at once. */
export const recovery = z.object({
  /** The names of its faults. */
  faults: z.array(z.string()),
  fromMs: ms,
  toMs: ms,
  /** Observed until this time: the next disturbance, or the last arrival. */
  untilMs: ms,
  /** Executions that were wanted before it, and how many were served: completed. */
  former: z.object({ wanted: count, served: count }),
  /** The window over which service is judged: the resolution of `afterMs`. */
  windowMs: ms.nullable(),
  /**
   * `recovered`: executions wanted `afterMs` after its end, or later, were served as before (at
   * least 95 % of it).
   */
  state: z.enum(['recovered', 'not-recovered', 'too-few', 'unsteady', 'overloaded']),
  afterMs: ms.nullable(),
  /** Executions in a window that would be needed, if there were too few. */
  needed: count.nullable(),
})
export type RecoveryResult = z.infer<typeof recovery>

/** Executions were accepted, and none completed any more. */
export const stall = z.object({
  /** When the last execution completed. */
  sinceMs: ms,
  /** Executions accepted until then had as long as the slowest that completed. */
  untilMs: ms,
  /** The number accepted in between; none of them completed. */
  accepted: count,
})
export type StallResult = z.infer<typeof stall>

/**
 * Answers that asked the client to slow down: 429 and 529, and 403 and 503 with a requested wait.
 */
const limit = z.object({
  operation,
  code: count,
  count,
  /** All requests of that operation. */
  requests: count,
  firstMs: ms,
  lastMs: ms,
  /** The most in one minute of the run's clock, minutes counted from its zero. */
  perMinute: count,
  /**
   * The most requests of the operation in a minute with refusals that were not refused. This is the
   * rate that the limit admits, if the load reached it.
   */
  admittedPerMinute: count,
})
export type LimitResult = z.infer<typeof limit>

/**
 * Answers that asked for a wait, by `Retry-After` or an exhausted quota, and when the execution's
 * next request was actually sent.
 */
const waits = z.object({
  answers: count,
  /** The next request was sent when the wait was over, or later. */
  kept: count,
  /** The next request was sent earlier. After the others, none was sent. */
  early: count,
  /** 0 if there were none. */
  longestMs: ms,
})

/**
 * Answers that asked for a wait by `Retry-After` although they refused nothing and their quota was
 * not used up.
 */
const hints = z.object({
  answers: count,
  /** The next request was sent when the wait was over, or later. */
  kept: count,
  longestMs: ms,
})

const retriedOperation = z.object({
  operation,
  /** The number of requests, retries included. */
  requests: count,
  retries: count,
  /** The answer that was retried: a code or an error class, the most frequent first. */
  causes: z.array(z.object({ answer: answerCode, count })),
})
export type RetriedOperation = z.infer<typeof retriedOperation>

const retries = z.object({
  /** The operations kickoff and status, each with its retries. */
  operations: z.array(retriedOperation),
  /** Executions with at least one retry; their total wait is the distribution `retry.wait`. */
  executions: count,
  /** Retries refused by the plan's retry budget. */
  budgetSpent: z.boolean(),
})
export type RetriesResult = z.infer<typeof retries>

/** Requests of the measured window that the target refused temporarily, and their cost. */
export const pushback = z.object({
  /** One per operation and code, the most frequent first; empty if nothing was refused. */
  limits: z.array(limit),
  waits,
  /** Absent if there were none. */
  hints: hints.exactOptional(),
  retries,
})
export type PushbackResult = z.infer<typeof pushback>
