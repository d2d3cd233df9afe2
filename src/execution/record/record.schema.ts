/** The execution record: its shape, from which its type is inferred. Its types alone reach k6. */
import { z } from 'zod'
import { micros } from '../../base/micros.schema.ts'
import { violation } from '../../crew/contract/violation.ts'
import { OUTCOMES } from '../../scenario/outcomes.ts'
import { answerCode, endReason } from './reason.schema.ts'

/** 1 for yes. */
const flag = z.union([z.literal(0), z.literal(1)])

/**
 * One request. Times are in integer microseconds; `dueMicros` counts from the execution's
 * `intendedMicros`, so that response time = late + wait + service and done = intended + due + late
 * + wait + service.
 */
const request = z.object({
  /**
   * When the request was intended: the schedule's time, or the previous answer plus the interval.
   */
  dueMicros: micros,
  /**
   * The time from the intended moment to the hand-over to the host: the generator's own lateness.
   */
  lateMicros: micros,
  /**
   * The wait for a connection: from the hand-over to the host to the first byte on a socket, or to
   * the failure if never sent.
   */
  waitMicros: micros,
  /**
   * The time from the first byte sent to the last byte received, or to the failure; -1 if never
   * sent.
   */
  serviceMicros: micros,
  answer: answerCode,
  /** Whether the request opened its connection. */
  fresh: flag,
  /** Whether the request is a retry; a poll at its regular interval is not. */
  retry: flag,
})
export type RequestRecord = z.infer<typeof request>

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

type ListsOf<Fields extends z.ZodRawShape> = { [Name in keyof Fields]: z.ZodArray<Fields[Name]> }

function listed<Fields extends z.ZodRawShape>(fields: Fields): ListsOf<Fields> {
  const lists = Object.entries(fields).map(([name, field]) => [name, z.array(field as z.ZodType)])
  return Object.fromEntries(lists) as ListsOf<Fields>
}

/** Requests of one kind in the order they were made, one array for each field. */
export const columns = z
  .strictObject({
    ...listed(request.shape),
    /** Answers that asked for a wait, in order; absent if none did. */
    asked: z.array(askedWait).exactOptional(),
  })
  .refine(
    ({ asked: _asked, ...lists }) =>
      Object.values(lists).every(({ length }) => length === lists.answer.length),
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

/** A status answer that reported a change of progress. */
const taskChange = z.object({
  /** When the answer's last byte arrived, on the run's clock. */
  atMicros: micros,
  task: z.string().nullable(),
  completed: z.number().nullable(),
  total: z.number().nullable(),
})

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

export const executionRecord = z.object({
  /** The index of the arrival in the whole schedule, over all instances. */
  index: z.int(),
  instance: z.int(),
  kickoffId: z.string().nullable(),
  dialect,
  tags: z.record(z.string(), z.string()),
  /** An arrival of the warm-up: it runs but does not count in metrics. */
  warmUp: z.boolean(),
  outcome,
  /** The reason, if the outcome alone does not say it. */
  reason: endReason.nullable(),

  /** Points on the run's clock. */
  intendedMicros: micros,
  /** First byte of the last kickoff attempt; null if never sent. */
  sentMicros: micros.nullable(),
  /** Last byte of the kickoff's usable answer; null if never accepted. */
  acceptedMicros: micros.nullable(),
  /** When the client knew the outcome. */
  endedMicros: micros,
  /** The true end is in (lastNotDoneSent, firstDoneReceived]; null if no poll reported it. */
  lastNotDoneSentMicros: micros.nullable(),
  firstDoneReceivedMicros: micros.nullable(),

  kickoff: columns,
  polls: columns,
  /** People who were asked, in order of time; missing if no poll saw one. */
  people: z.array(askedPerson).exactOptional(),
  /** The `POST /resume` that answered for them; missing for none. */
  resumes: columns.exactOptional(),
  /** Polls whose answer saw no change. */
  wastedPolls: z.int(),
  changes: z.array(taskChange),
  /** Seconds as the target reported them; null if missing or not a finite number. */
  reported: z.object({
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
  }),
  /** Size in UTF-8 bytes and `fingerprint`; null without a result. */
  output: z.object({ bytes: z.int(), hash: z.string() }).nullable(),
  /**
   * By name: true passed, false failed, a string is the message of an exception in the check
   * itself.
   */
  checks: z.record(z.string(), z.union([z.boolean(), z.string()])),
  /** The first violation of each rule. */
  violations: z.array(violation).readonly(),
  /** Resumed by `crewload resume`: polls before the cut are missing. */
  resumed: z.boolean(),
})
export type ExecutionRecord = z.infer<typeof executionRecord>
