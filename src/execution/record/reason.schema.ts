/**
 * Why a run was stopped, why an execution ended as it did, and why an arrival was not sent: the
 * shapes, from which the types are inferred. The types alone reach k6.
 */
import { z } from 'zod'
import { FAILURE_CLASSES } from '../../crew/answer.ts'
import { BODY_FAULTS } from '../../crew/observation.ts'
import { bound } from '../../scenario/plan.schema.ts'
import { targetLoss } from '../../scenario/target-loss.ts'

/** The status code of an answer, or the error class if none came or a 2xx was unreadable. */
export const answerCode = z.union([z.int(), z.enum([...FAILURE_CLASSES, ...BODY_FAULTS])])

/** How a process ended; the code is null if a signal ended it, or it did not start. */
export const processExit = z.object({ code: z.int().nullable(), signal: z.string().nullable() })

/**
 * A k6 process that ended before its time. `exit` is null if it has not ended: it threw, or was not
 * ready in time. `why` is what it said, or empty.
 */
export const k6End = { process: z.string(), exit: processExit.nullable(), why: z.string() }

/** How a fake crew ended by itself; `why` is what it said, or empty. */
export const crewEnd = { exit: processExit, why: z.string() }

export const stopReason = z.discriminatedUnion('code', [
  /** The threshold that could not be met any more, `execution.p95` and `< 8 s`. */
  z.object({ code: z.literal('threshold'), metric: z.string(), ...bound }),
  /** A cut run: its fake crew ended with it. */
  z.object({ code: z.literal('crew-ended') }),
  /** The fake crew of the run ended by itself. */
  z.object({ code: z.literal('crew-died'), ...crewEnd }),
  /** The crew refused the inputs of the first kickoff. */
  z.object({ code: z.literal('inputs-refused') }),
  z.object({ code: z.literal('k6-ended'), ...k6End }),
  /** An exception of crewload. */
  z.object({ code: z.literal('crewload-failed') }),
  /** The process that started k6 ended before it. */
  z.object({ code: z.literal('crewload-gone') }),
  /** Whoever stopped it said so: `interrupted`. */
  z.object({ code: z.literal('asked'), why: z.string() }),
])
export type StopReason = z.infer<typeof stopReason>
export type ProcessExit = z.infer<typeof processExit>
export type CrewEnd = Omit<Extract<StopReason, { code: 'crew-died' }>, 'code'>
export type K6End = Omit<Extract<StopReason, { code: 'k6-ended' }>, 'code'>

export const endReason = z.discriminatedUnion('code', [
  /** The last answer decided. */
  z.object({ code: z.literal('answer'), answer: answerCode }),
  /** The crew's own words for its failure, on one line, without credentials. */
  z.object({ code: z.literal('crew-error'), text: z.string() }),
  /** The platform's `NOT FOUND`, which comes with a 200. */
  z.object({ code: z.literal('not-found') }),
  /** It waited for a person. */
  z.object({ code: z.literal('paused') }),
  /** The deadline came before the first poll. */
  z.object({ code: z.literal('never-polled') }),
  /** Every place in flight was taken, and the plan does not allow the arrival to wait. */
  z.object({ code: z.literal('max-in-flight') }),
  /** A function of the scenario gave nothing that can be sent; `text` is what it threw. */
  z.object({
    code: z.literal('author-error'),
    part: z.enum(['inputs', 'tags']),
    text: z.string(),
  }),
  /** `isPart`: the budget was the share of one instance. */
  z.object({
    code: z.literal('budget-spent'),
    budget: z.enum(['kickoff', 'request', 'cost', 'time']),
    isPart: z.boolean(),
  }),
  z.object({ code: z.literal('target-lost'), state: targetLoss.shape.state }),
  /** `drained`: it had not ended within the drain time. */
  z.object({
    code: z.literal('stopped'),
    when: z.enum(['unsent', 'now', 'drained']),
    stop: stopReason,
  }),
  /** The run was cut: before this was sent, or before its kickoff was answered. */
  z.object({ code: z.literal('cut'), when: z.enum(['unsent', 'unanswered']) }),
])
export type EndReason = z.infer<typeof endReason>
