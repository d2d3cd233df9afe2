/**
 * The shape of a plan as data: what the journal, `--dry-run` and `result.json` contain of it. The
 * types of `plan.ts` are inferred from it. The types alone reach k6.
 */
import { z } from 'zod'
import type { Distribution } from '../base/distribution.ts'
import { HOOKS } from '../crew/push.ts'
import { processes } from './arrivals/processes.schema.ts'
import { JITTERS } from './backoff.ts'
import { policies } from './polling/schemas.ts'
import { parseMetric } from './thresholds/metrics.ts'

/** Wall time: integers, except where a study divides a time. */
const time = z.number().describe('Microseconds')
const count = z.int()
const share = z.number().min(0).max(1)

const cap = z.number().exactOptional()

const distribution: z.ZodType<Distribution> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), value: z.number() }),
  z.object({ kind: z.literal('uniform'), min: z.number(), max: z.number() }),
  z.object({ kind: z.literal('lognormal'), median: z.number(), p95: z.number(), cap }),
  z.object({ kind: z.literal('gamma'), mean: z.number(), cv: z.number(), cap }),
  z.object({
    kind: z.literal('quantiles'),
    points: z.array(z.object({ q: z.number(), value: z.number() })).readonly(),
  }),
])

const rate = z.object({ count: z.number(), perMicros: time })

/**
 * The rate changes linearly from `from` to `to`; constant, ramp, steps and spike are lists of
 * these.
 */
const segment = z.object({ from: rate, to: rate, forMicros: time })

const open = z.object({
  kind: z.literal('open'),
  segments: z.array(segment).readonly(),
  process: processes,
})

const closed = z.object({
  kind: z.literal('closed'),
  clients: count,
  forMicros: time,
  iterations: count.nullable(),
  think: distribution,
  rampUpMicros: time,
})

/** Offsets from the run's zero in rising order. A document has only their number. */
const replay = z.object({
  kind: z.literal('replay'),
  offsetsMicros: z.array(time).readonly(),
})

const arrivalPlan = z.discriminatedUnion('kind', [open, closed, replay])
export type ArrivalPlan = z.infer<typeof arrivalPlan>

/** A replayed schedule may be long, so its number, end and hash represent it. */
const replayed = z.object({
  kind: z.literal('replay'),
  arrivals: count,
  lastMicros: time,
  offsetsHash: z.string(),
})

/** Bounds the amplification by retries. */
const retryBudget = z.object({
  /** Retries per first attempt within the window. */
  ratio: share,
  /** Further retries that are allowed in any case. */
  minimum: z.number(),
  windowMicros: time,
})

const retry = z.object({
  /** The maximum number of retries of one status request. */
  statusRetries: count,
  /**
   * The maximum number of retries of one kickoff: on connect failure, 429 and 503, and in the cases
   * that `unknownKickoffs` adds.
   */
  kickoffRetries: count,
  /**
   * What happens to a kickoff that may have started although no id was read: `repeat` sends it
   * again, and may pay for it twice.
   */
  unknownKickoffs: z.enum(['leave', 'repeat']),
  backoff: z.object({
    initialMicros: time,
    factor: z.number(),
    maxMicros: time,
    jitter: z.enum(JITTERS),
  }),
  budget: retryBudget,
})

const http = z.object({
  connectTimeoutMicros: time,
  requestTimeoutMicros: time,
  /** The limit for the preflight and the first kickoff, which may meet a cold deployment. */
  firstCallTimeoutMicros: time,
  maxBodyBytes: z.number(),
  maxConnections: count,
  /** Connections opened before the clock starts. */
  preOpenConnections: count,
  /** Idle connections are closed after this time. */
  keepAliveMicros: time,
  /** The names of extra request headers, in lower case: values may be secret. */
  headers: z.array(z.string()).readonly(),
})

const webhooks = z.object({
  host: z.string(),
  /** 0: the system chooses. */
  port: count,
  /** Where the crew reaches the run; null: at `host` and `port`. */
  publicUrl: z.string().nullable(),
  hooks: z.array(z.enum(HOOKS)).readonly(),
  /** How long the run waits for pushes after its last execution has ended. */
  waitMicros: time,
})

const people = z.object({
  /** The first, the second and further times; the last one stays. No document has the feedback. */
  answers: z.array(z.object({ approve: z.boolean(), feedback: z.string() })).readonly(),
  /** From the poll that saw a person asked. */
  afterMicros: time,
  /** Null: the task that the status named last. */
  task: z.string().nullable(),
  /** Null: as the crew's answers show. */
  form: z.enum(['documented', 'live']).nullable(),
})

/**
 * The target counts as dead when no usable answer came for `afterMicros` and at least `requests`
 * requests. This is real time, as are the limits of HTTP.
 */
const circuit = z.object({ afterMicros: time, requests: count })

const price = z.number().describe('Per million tokens')
const modelPrices = z.object({ input: price, output: price, cached: price })

const prices = z.object({
  currency: z.string().nullable(),
  every: modelPrices.nullable().describe('Of models without an own price; null: they have none'),
  models: z.record(z.string(), modelPrices),
})

/** The budget of a whole run; null is unlimited. */
const budget = z.object({
  /** Kickoffs with their retries. */
  kickoffs: z.number().nullable(),
  requests: z.number().nullable(),
  /** Counts from the run's zero; `budgetEnds` computes when kickoffs stop. */
  wallMicros: time.nullable(),
  /** Of measured cost, in millionths of the currency's unit; missing is unlimited. */
  cost: z
    .object({
      most: z.number(),
      perKickoff: z.number().describe('What an execution counts while its cost is not known'),
    })
    .exactOptional(),
})

/** A number as its author wrote it: `1.50s` has two decimals. */
const amount = z.object({
  number: z.number(),
  decimals: count,
  unit: z.enum(['', '%', 'us', 'ms', 's', 'm', 'min', 'h', 'd']),
})

/** A bound as its author wrote it; `bounds.ts` makes its text. */
export const bound = {
  operator: z.enum(['<', '<=', '>', '>=']),
  written: z
    .object({
      amounts: z.array(amount).readonly(),
      per: z.array(amount).readonly().nullable().describe('The time of a rate: 5 min in `90/5m`'),
    })
    .describe('The bound as its author wrote it: `1h30m` has two amounts'),
}

const threshold = z.object({
  metric: z
    .string()
    .refine((name) => parseMetric(name) !== undefined, { error: 'expected a metric' })
    .describe('A name in the metric grammar'),
  ...bound,
  /**
   * The bound in the metric's own unit: microseconds, a share from 0 to 1, millionths of money, or
   * a plain number.
   */
  bound: z.number(),
  /** Stop kickoffs as soon as the threshold can no longer be met. */
  abortEarly: z.boolean(),
  /** Whether to judge by the whole 95 % interval, or by the measured value alone. */
  judge: z.enum(['interval', 'value']),
  /** `default`: one of the promises that apply to what a scenario does not mention. */
  source: z.enum(['scenario', 'default']),
})

/** Bounds on the generator itself. */
const validity = z.object({
  latenessP99Micros: time,
  /**
   * Lateness may also be as large as this share of the times by which the run is judged; 0 when the
   * scenario sets its own bound.
   */
  latenessShare: z.number(),
  utilisation: z.number(),
  littleResidual: z.number(),
})

export const planDocument = z.object({
  name: z.string(),
  description: z.string(),
  seed: z.number(),
  /**
   * Time-lapse: one second of this run represents `speed` seconds. All times below are wall times
   * and divided already (HTTP time-outs are not divided).
   */
  speed: z.number(),
  arrivals: z.discriminatedUnion('kind', [open, closed, replayed]),
  /** Arrivals intended before this time run but do not count. */
  warmUpMicros: time,
  admission: z.object({
    maxInFlight: count.nullable(),
    whenFull: z.enum(['queue', 'drop']),
  }),
  /** The share of the arrivals that the generator may drop before the run is INVALID. */
  maxDropped: share,
  polling: policies,
  /** Whether to obey `Retry-After` and the RateLimit fields of an answer. */
  honourRetryAfter: z.boolean(),
  retry,
  /** Counts from the sending of the kickoff. */
  deadlineMicros: time,
  /**
   * How long consecutive 404, or consecutive 401 and 403, may continue before they end an
   * execution; 0 ends it at the first one.
   */
  notFoundGraceMicros: time,
  /**
   * The crew asks people, and may hide an execution meanwhile: "not found" after the execution was
   * seen at work means that somebody is being asked.
   */
  human: z.boolean(),
  people: people.exactOptional().describe('What is answered for people; absent if nothing is'),
  /** The share of ended executions polled again to check that a final state is final. */
  confirmShare: share,
  /** The time for which executions in flight may continue after the first stop. */
  drainMicros: time,
  http,
  paths: z
    .object({ inputs: z.string(), kickoff: z.string(), status: z.string() })
    .exactOptional()
    .describe('Paths of the interface; absent if as documented'),
  webhooks: webhooks
    .exactOptional()
    .describe('Receiver of pushes; absent if the run receives none'),
  prices: prices.exactOptional().describe('What tokens cost; absent if not known'),
  /** When the circuit opens, no more kickoffs are sent; null for never. */
  circuit: circuit.nullable(),
  budget,
  inputs: z.string().describe('For example `3 entries, in order`'),
  checks: z.array(z.string()).readonly().describe('The names of the checks'),
  thresholds: z.array(threshold).readonly(),
  /** What a threshold that the interval leaves undecided makes of the run. */
  undecided: z.enum(['inconclusive', 'pass', 'fail']),
  validity,
})

/**
 * The plan as data: functions are replaced by descriptions, and header values (which may be secret)
 * by their names.
 */
export type PlanDocument = z.infer<typeof planDocument>

/** Parts of a plan that replace those of a scenario. */
export const planChanges = planDocument
  .omit({ inputs: true, checks: true, http: true })
  .extend({ arrivals: arrivalPlan })
  .exactPartial()
