/**
 * The shapes of what the records of executions hold, by the names that their tables of fields use.
 * The types alone reach k6.
 */
import { z } from 'zod'
import { micros } from '../../base/micros.schema.ts'
import { violation } from '../../crew/contract/violation.ts'
import { OUTCOMES } from '../../scenario/outcomes.ts'
import { answerCode, endReason } from './reason.schema.ts'
import { REQUEST_FIELDS } from './request-fields.ts'

export { micros }

export const integer = z.int()
export const yesOrNo = z.boolean()
export const textOrNull = z.string().nullable()
export const microsOrNull = micros.nullable()
export const reasonOrNull = endReason.nullable()

/** What `Retry-After` or an exhausted quota asked for, whether or not the plan honours it. */
const askedWait = z.object({
  /**
   * The request's position in the columns. The wait that an accepted kickoff asks for precedes the
   * first poll.
   */
  request: z.int(),
  /** The time from the answer's last byte to the next request, 0 to a day. */
  micros,
  /**
   * The answer refused nothing, and something of its quota remained: the scenario's interval
   * counts, unless its polling obeys hints.
   */
  hint: z.literal(true).exactOptional(),
})
export type AskedWait = z.infer<typeof askedWait>

/** 1 for yes. */
const flag = z.union([z.literal(0), z.literal(1)])

const REQUEST_SHAPES = { micros, answerCode, flag }

type RequestShapes = {
  [Name in keyof typeof REQUEST_FIELDS]: (typeof REQUEST_SHAPES)[(typeof REQUEST_FIELDS)[Name]]
}
type RequestLists = { [Name in keyof RequestShapes]: z.ZodArray<RequestShapes[Name]> }

/** One request. */
export type RequestRecord = z.infer<z.ZodObject<RequestShapes>>

const lists = Object.fromEntries(
  Object.entries(REQUEST_FIELDS).map(([name, shape]) => [name, z.array(REQUEST_SHAPES[shape])]),
) as RequestLists

/** Requests of one kind in the order they were made, one array for each field. */
export const columns = z
  .strictObject({
    ...lists,
    /** Answers that asked for a wait, in order; absent if none did. */
    asked: z.array(askedWait).exactOptional(),
  })
  .refine(
    ({ asked: _asked, ...others }) =>
      Object.values(others).every(({ length }) => length === others.answer.length),
    'columns of equal length',
  )
export type RequestColumns = z.infer<typeof columns>

export const dialect = z.enum(['interface', 'platform', 'mixed']).nullable()
export const outcome = z.enum(OUTCOMES)

const tokenCount = z.int().min(0).nullable()

/** Null for a count that the target does not report. */
export const tokenUsage = z.object({
  inputTokens: tokenCount,
  outputTokens: tokenCount,
  /** The part of the input that was read from a cache. */
  cachedTokens: tokenCount,
  totalTokens: tokenCount,
  model: z.string().nullable(),
})

/** Status answers that reported a change of progress. */
export const changes = z.array(
  z.object({
    /** When the answer's last byte arrived, on the run's clock. */
    atMicros: micros,
    task: z.string().nullable(),
    completed: z.number().nullable(),
    total: z.number().nullable(),
  }),
)

/** A person was asked, as polls saw it. */
const askedPerson = z.object({
  /** The task that the status named last; null if it named none. */
  task: z.string().nullable(),
  /** The last byte of the first poll that saw it. */
  seenMicros: micros,
  /** What the run answered, after its retries; missing if it answered nothing. */
  answer: z.object({ approve: z.boolean(), code: answerCode, doneMicros: micros }).exactOptional(),
  /** The last byte of the first poll that no longer saw it; null if none did. */
  goneMicros: micros.nullable(),
})
export type AskedPerson = z.infer<typeof askedPerson>
export const people = z.array(askedPerson)

export const tags = z.record(z.string(), z.string())
export const violations = z.array(violation).readonly()

/** Seconds as the target reported them; null if missing or not a finite number. */
export const reported = z.object({
  executionTimeSeconds: z.number().nullable(),
  tasks: z.array(
    z.object({
      taskId: z.string(),
      /** The agent that executed it; empty where the target does not name it. */
      agent: z.string(),
      executionTimeSeconds: z.number().nullable(),
    }),
  ),
  /** By the last answer that reported it; missing if none did. */
  usage: tokenUsage.exactOptional(),
})

/** Size in UTF-8 bytes and `fingerprint`. */
export const outputOrNull = z.object({ bytes: z.int(), hash: z.string() }).nullable()

/**
 * By name: true passed, false failed, a string is the message of an exception in the check itself.
 */
export const checks = z.record(z.string(), z.union([z.boolean(), z.string()]))
