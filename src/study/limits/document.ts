/**
 * The document of a study of limits, `limits.json`: what rate limits each operation has, how sure
 * that is, and what a client should do. Times in milliseconds.
 */
import { z } from 'zod'
import { reasonSchema } from '../../result/sentence-tables.ts'
import { envelope, verdictOf, count, ms, PLACE, WAYS } from '../frame/envelope.ts'
import { LIMITED_OPERATIONS, LIMITER_KINDS } from '../frame/limiter-kinds.ts'
import { FINDINGS, lie, openParameter } from './sentences/findings.ts'
import { REASONS } from './sentences/reasons.ts'

export type LimitedOperation = (typeof LIMITED_OPERATIONS)[number]

/** No experiment waits longer than this. */
export const MOST_PAUSE_MS = 900_000

const kind = z.enum(LIMITER_KINDS)
const probability = z.number().min(0).max(1)

const estimate = z
  .object({ value: z.number(), low: z.number(), high: z.number() })
  .describe('The roundest value within the interval that the evidence leaves')
const parameter = estimate.nullable()

const limit = z.object({
  kind: kind.describe(
    '`none`: no limit met by the requests that were sent; one over a longer time may exist. ' +
      '`penalty`: excess is answered by a block for a time. `unknown`: the evidence fits no ' +
      'kind, or too many',
  ),
  sameAs: z
    .array(kind)
    .describe('Other names for a limit that no client can distinguish from this one'),
  probability: probability.describe(
    'Of the kind, with its twins. At most 0.95 before experiments have confirmed it, and of a ' +
      'limit that headers promise and nobody has used up',
  ),
  ratePerSecond: parameter.describe('Of buckets: how fast they refill or drain'),
  capacity: parameter.describe('Of buckets: requests at once, after a rest'),
  limit: parameter.describe('Of windows, logs, counters and penalties: requests in a window'),
  windowMs: parameter,
  concurrency: parameter.describe('Requests in flight at once'),
  blockMs: parameter.describe('Of penalties: how long everything is refused'),
  open: z
    .array(openParameter)
    .describe(
      'Parameters that are not known within 5 %, or counts that are not exact. The value is a ' +
        'guess, and the interval is the answer',
    ),
  aligned: z
    .enum(['calendar', 'first-hit', 'last-hit'])
    .nullable()
    .describe(
      'Of fixed windows: whether they begin by the clock or by a first request. With `last-hit`, ' +
        'each request makes the window last as long again, and a refused one too',
    ),
  delaying: z.boolean().describe('Whether excess is held back in place of refused'),
  countsRefused: z
    .boolean()
    .nullable()
    .describe('Whether refused requests use up the limit; null if no client can see it'),
  safePerSecond: z
    .number()
    .nullable()
    .describe('Requests a second that one steady client may send; null where no bound is known'),
  runnerUp: z.object({ kind, probability }).nullable(),
})

const further = limit.extend({
  basis: z
    .enum(['measured', 'promised'])
    .describe(
      '`measured`: a steady client met it. `promised`: headers name it beside the first. It was ' +
        'not checked, and how it counts within its window (`kind`) is not known',
    ),
})

const scope = z.object({
  token: z
    .boolean()
    .nullable()
    .describe('Whether each token has a limit of its own; null where no second token was given'),
  path: z
    .boolean()
    .nullable()
    .describe(
      'Of status: whether each execution has a limit of its own, as slowapi counts by default. ' +
        'Null if it was not tried, or the operation has one path',
    ),
  sharedWith: z
    .array(z.enum(LIMITED_OPERATIONS))
    .nullable()
    .describe(
      'Operations that use up the same limit; null where it is not known of all that were asked',
    ),
  tried: z
    .array(z.enum(LIMITED_OPERATIONS))
    .describe('Operations that were asked, so that it is known; never kickoff, which costs money'),
})

const refusal = z.object({
  status: count,
  retryAfterMs: ms
    .nullable()
    .describe(
      'What `Retry-After` of the first refusal asked for, until a date by the `Date` of the ' +
        'answer. Null for nothing that can be read. In a recorded run, also what a used-up ' +
        'quota in other headers asked for',
    ),
  waitMs: ms
    .nullable()
    .describe(
      'Until a refused client that keeps still is surely let in again. Null if time ' +
        'alone does not show it, or the limit is not certain',
    ),
  body: z.string().describe('Of the first refusal, shortened'),
  headers: z
    .record(z.string(), z.string())
    .describe('Of the first refusal, those that speak of limits; a recorded run has none'),
})

const headers = z.object({
  dialect: z.string(),
  truthful: z.boolean().nullable().describe('Null if the limit was not used up, or is not certain'),
  lies: z.array(lie),
  limit: count.nullable().describe('Requests that they promise'),
  windowMs: ms.nullable().describe('The time for which they promise them'),
  usedUp: z
    .boolean()
    .describe('Whether any request was refused: if not, the limit is promised and not checked'),
})

const outcome = z.enum([
  'settled',
  'cannot-tell',
  'budget-spent',
  'time-spent',
  'blocked',
  'target-fails',
  'stopped',
  'lost',
])

const operation = limit
  .extend({
    scope,
    headers: headers
      .nullable()
      .describe('What headers promise, and whether experiments bear it out; null without any'),
    triedPerSecond: z.number().describe('The most requests that were sent within one second'),
    requests: count,
    roundTripMs: z
      .object({ p50: ms, p90: ms, max: ms })
      .nullable()
      .describe('From a request to its answer; null for none. No time is measured better'),
    also: z
      .array(further)
      .describe('Further limits of the same operation, which apply within the first'),
    others: count.describe('Requests that headers count and this client has not sent, at least'),
    outcome: outcome.describe('`settled`: the kind is as good as certain. Otherwise why it is not'),
    reasons: z
      .array(reasonSchema(REASONS))
      .describe('What limits the answer, each with what would settle it'),
    refusal: refusal.nullable(),
    failures: z
      .array(
        z.object({
          status: count.nullable().describe('Null if no whole answer came'),
          requests: count,
        }),
      )
      .describe('Answers that say nothing of a limit, and requests without one; commonest first'),
    replay: z
      .object({ predicted: count, of: count })
      .describe('How many of the groups of answers the named limit predicts'),
    evidence: z
      .array(
        z.object({
          atMs: ms.describe(
            'From the first request of its experiments; negative for what was sent before them',
          ),
          burstMs: ms
            .exactOptional()
            .describe('The same for all that were sent together; absent for one that was not'),
          answer: z.enum(['accepted', 'refused', 'failed']),
        }),
      )
      .describe('Every request, in order of time'),
  })
  .meta({ id: 'operation' })

const settings = z.object({
  operation: z.enum(LIMITED_OPERATIONS),
  pollsPerSecond: z.number(),
  each: z
    .boolean()
    .describe('Whether each execution may be polled so often, or all of them together'),
  basis: z
    .enum(['measured', 'promised'])
    .describe('`promised`: by headers, of a limit that was not used up'),
  inFlight: z
    .array(z.object({ intervalMs: ms, executions: count }))
    .describe('So many executions at most; empty where each has a limit of its own'),
  example: z
    .object({ executions: count, intervalMs: ms })
    .describe('What the snippets are written for'),
  scenario: z.string().describe('Lines for a scenario file'),
  typescript: z.string(),
  python: z.string(),
})

const plan = z.object({
  ...PLACE,
  place: PLACE.place.nullable().describe('Null if nothing is sent'),
  ...WAYS,
  engine: z.enum(['node', 'virtual']),
  from: z.array(z.string()).describe('Run folders that were read; nothing was sent then'),
  operations: z.array(z.enum(LIMITED_OPERATIONS)),
  inFlight: count.describe('Executions in flight that the settings are written for'),
  budget: z.object({ requests: count, kickoffs: count }),
  maxDurationMs: ms
    .nullable()
    .describe('When the study ends, with what it knows; null for no bound, where nobody waits'),
  steps: z
    .array(
      z.object({
        step: z.string(),
        requests: count.describe('At most'),
        kickoffs: count.describe('At most, among the requests'),
        about: z.string().describe('How long it takes: windows are not known before'),
      }),
    )
    .describe('In order; all together stay within `budget`. Empty where nothing is sent'),
})

export const limitsSchema = z.object({
  ...envelope('limits', 1, FINDINGS),
  verdict: verdictOf(['answered', 'answered-in-part', 'cannot-tell', 'target-lost'], REASONS),
  plan,
  operations: z.object({
    kickoff: operation.nullable(),
    status: operation.nullable(),
    inputs: operation.nullable(),
  }),
  settings: settings
    .nullable()
    .describe('How to poll safely; null where no rate of polls is known'),
})

export type LimitsDocument = z.infer<typeof limitsSchema>
export type LimitsPlan = z.infer<typeof plan>
export type OperationLimit = z.infer<typeof operation>
/** What is known of a limiter; a parameter that has no part in the kind is null. */
export type RateLimit = z.infer<typeof limit>
export type FurtherLimit = z.infer<typeof further>
export type ParameterEstimate = z.infer<typeof estimate>
export type LimitScope = z.infer<typeof scope>
export type HeaderLie = z.infer<typeof lie>
export type SafeSettings = z.infer<typeof settings>

/** Whether the limit of an operation is answered. */
export function isSettled(limit: OperationLimit | null): boolean {
  return limit !== null && limit.outcome === 'settled' && limit.kind !== 'unknown'
}

/**
 * From this probability on, only confirming experiments are missing. Before them, no more is
 * claimed: of 99 % that a prototype claimed without them, 96.8 % were right.
 */
export const LIKELY = 0.95
