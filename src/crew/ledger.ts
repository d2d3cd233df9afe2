/**
 * The fake crew's true record, as `GET /__fake__/ledger` (NDJSON, one row per execution) and `GET
 * /__fake__/clock` return it.
 */
import { z } from 'zod'
import { OPERATIONS } from './answer.ts'
import { HOOKS, PUSHED } from './push.ts'

/** Milliseconds on the ledger's clock, which begins with the fake crew: three centuries at most. */
export const ms = z.number().min(0).max(1e13)

/** One answer that a fault of the fake crew changed. */
export const faultMark = z.object({
  /** The fault's name. */
  fault: z.string(),
  operation: z.enum(OPERATIONS),
  /** When the request arrived. */
  at_ms: ms,
  /** The request's `x-correlation-id`, or null. */
  correlation: z.string().nullable(),
  /** The execution that the request was about, with its id in the ledger; null for none. */
  kickoff_id: z.string().nullable(),
})
export type FaultMark = z.infer<typeof faultMark>

/** A person was asked. */
const asked = z.object({
  /** The task whose work the person was asked about. */
  task_id: z.string(),
  from_ms: ms,
  /** Null while the person has not answered. */
  to_ms: ms.nullable(),
  approved: z
    .boolean()
    .exactOptional()
    .describe('what POST /resume answered; missing where the person answered by themselves'),
})
export type Asked = z.infer<typeof asked>

/** One push to a webhook, with each attempt to send it. */
const pushRow = z.object({
  hook: z.enum(HOOKS).describe('the webhook of the kickoff; events: the member webhooks'),
  reports: z.array(z.enum(PUSHED)).describe('what it reports; several in a batch'),
  at_ms: ms.describe('when that happened: the last of a batch'),
  sends: z.array(
    z.object({
      at_ms: ms,
      lost: z.boolean().describe('whether it never arrived'),
      status: z.int().nullable().describe('the answer; null for none, or none yet'),
    }),
  ),
  blocked: z.literal(true).exactOptional().describe('not sent: the address is beyond loopback'),
})
export type PushRow = z.infer<typeof pushRow>

/**
 * Times are fractional milliseconds on the fake crew's monotonic clock; `/__fake__/clock` anchors
 * it. Keys are the public contract.
 */
export const ledgerRow = z.object({
  kickoff_id: z.string(),
  ordinal: z.int().describe('order of acceptance, from 0'),
  correlation: z.string().nullable().describe("the kickoff's x-correlation-id"),
  accepted_ms: ms.describe("on the fake crew's monotonic clock, which clock.json anchors"),
  started_ms: ms.nullable().describe('null while it waits for a worker'),
  ended_ms: ms.nullable().describe('null while running, and for stuck executions'),
  /** `lost`: a restart removed it before its end. */
  outcome: z.enum(['running', 'completed', 'failed', 'stuck', 'lost']),
  /** Each finished task in order, as reported to clients; rounded to the millisecond. */
  tasks: z.array(
    z.object({
      task_id: z.string(),
      execution_time: z.number().min(0).max(1e10).describe('in seconds'),
      /** These two are missing where executions share nothing but workers. */
      quota_wait: z
        .number()
        .min(0)
        .max(1e10)
        .exactOptional()
        .describe('seconds of it that calls waited for a quota'),
      slowed: z
        .number()
        .min(0)
        .max(1e10)
        .exactOptional()
        .describe('seconds of it that a shared processor added'),
    }),
  ),
  /** `fingerprint` of the final output. */
  output_hash: z.string().nullable().describe('null unless completed'),
  /** The tokens used by now, reported or not; missing if the profile says none. */
  usage: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .exactOptional()
    .describe('the tokens that it used, in the form of usage_metrics'),
  /** When people were asked, in order of time; missing if nobody was. */
  asked: z.array(asked).readonly().exactOptional().describe('when a person was asked about it'),
  /** Missing if its kickoff had no x-crewload-test. */
  test: z.string().exactOptional().describe('the x-crewload-test of its kickoff'),
  /** Members of the kickoff's body beside its inputs; missing if there are none. */
  kickoff: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('members of the kickoff beside inputs; tokens are starred'),
  queue: z
    .object({
      tenant: z.string().exactOptional().describe('with the discipline fair'),
      priority: z.number().exactOptional().describe('with the discipline priority'),
      served: z.int().nullable().describe('how many workers took before it; null while it waits'),
    })
    .exactOptional()
    .describe('its turn for a worker; missing where the queue is first come, first served'),
  pushes: z
    .array(pushRow)
    .readonly()
    .exactOptional()
    .describe('pushes to its webhooks; missing if the kickoff named none'),
  /** The faults that struck it, in order of time; missing if none did. */
  faults: z
    .array(faultMark)
    .readonly()
    .exactOptional()
    .describe('faults that changed answers about it'),
})
export type LedgerRow = z.infer<typeof ledgerRow>

/** The limit of the profile (for longest, if several did), or another cause. */
const refusedBy = z
  .string()
  .describe('the limit that refused it, `cold start`, or `queue`: the queue for workers was full')

/** One valid request that the fake crew refused: a line of `GET /__fake__/refusals`. */
export const refusalMark = z.object({
  refused_by: refusedBy,
  operation: z.enum(OPERATIONS),
  /** When the request arrived. */
  at_ms: ms,
  /** The status code of the answer. */
  status: z.int(),
  /** The request's `x-correlation-id`, or null. */
  correlation: z.string().nullable(),
  /** The id that a poll asked about; null for none. */
  kickoff_id: z.string().nullable(),
})
export type RefusalMark = z.infer<typeof refusalMark>

/** One request that the fake crew was sent: a line of `GET /__fake__/requests`. */
export const requestRow = z.object({
  /** When it arrived. */
  at_ms: ms,
  answered_ms: ms.nullable().describe('when its answer began; null if none was sent'),
  operation: z.enum([...OPERATIONS, 'other']).describe('other: a path outside the interface'),
  method: z.string(),
  path: z.string().describe('as received, with its query'),
  status: z.int().nullable().describe('the status code of the answer; null if none was sent'),
  retry_after: z.string().nullable().describe('Retry-After of the answer, as sent'),
  kickoff_id: z
    .string()
    .nullable()
    .describe('the execution that a kickoff started, or the id that a poll or an answer named'),
  inputs: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('the inputs of a kickoff; null if they cannot be read'),
  token: z
    .enum(['organization', 'user', 'other'])
    .nullable()
    .describe('which token it had; null for none'),
  correlation: z.string().nullable().describe('its x-correlation-id'),
  test: z
    .string()
    .nullable()
    .describe("its x-crewload-test, or the one of its execution's kickoff; null for none"),
  refused_by: refusedBy.nullable(),
  faults: z.array(z.string()).readonly().describe('names of the faults that changed its answer'),
  reported: z
    .enum(['queued', 'running', 'asked', 'completed', 'failed'])
    .nullable()
    .describe(
      'what the answer to a poll says of its execution; null for other answers, and if a fault ' +
        'changed it',
    ),
})
export type LedgerRequest = z.infer<typeof requestRow>

const faultSpell = z.object({
  from_ms: ms,
  /** Null while it is on. */
  to_ms: ms.nullable(),
})
export type FaultSpell = z.infer<typeof faultSpell>

/**
 * When one fault of the fake crew was on, on the ledger's clock: a line of `GET
 * /__fake__/faults/spells`.
 */
export const faultSpells = z.object({
  /** The fault's name. */
  fault: z.string(),
  /** The kind of fault: `status`, `latency`, `restart`, ... */
  kind: z.string(),
  /** True: no schedule turns it on and off, and it is on from when it was added. */
  always: z.boolean(),
  /**
   * In order of time, the last 1,000 that have begun; a restart without a duration ends when it
   * begins.
   */
  spells: z.array(faultSpell).readonly(),
})
export type FaultSpells = z.infer<typeof faultSpells>
