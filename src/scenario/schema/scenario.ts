/**
 * The whole scenario: every option, its bounds and its default; the only place that defines
 * defaults.
 */
import { z } from 'zod'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Threshold, RetryBudgetPolicy, RetryPolicy } from '../plan.ts'
import type { ThresholdProblem } from '../thresholds/thresholds.ts'
import { PROMISED_METRICS, promisesBeside, parseThreshold } from '../thresholds/thresholds.ts'
import { arrivals } from './arrivals.ts'
import {
  checks,
  headers,
  human,
  inputs,
  kickoff,
  paths,
  prices,
  tags,
  webhooks,
} from './material.ts'
import {
  duration,
  flag,
  integer,
  oneOf,
  positiveDuration,
  share,
  size,
  text,
  CHOICES,
  orWord,
  section,
  number,
  choice,
} from '../quantities.ts'
import type { Backoff } from '../backoff.ts'
import type { PollingPolicy } from '../polling/index.ts'
import { POLLING_WORDS } from '../polling/schemas.ts'
import { MAX_FACTOR, jitter } from '../polling/definition.ts'

/**
 * Parses polling and retries as an author writes them into the plan's policies; times are still
 * those of the author.
 */
const MAX_RETRIES = 20

export const polling: z.ZodType<PollingPolicy> = choice(
  Object.fromEntries(Object.entries(POLLING_WORDS).map(([kind, { schema }]) => [kind, schema])),
)

const retryBudget = section({
  ratio: share().default(0.2),
  minimum: integer(0, 1_000_000).default(10),
  window: positiveDuration().default(10_000_000),
})

const backoff = section({
  initial: positiveDuration().default(500_000),
  factor: number(1, MAX_FACTOR).default(2),
  max: positiveDuration().default(10_000_000),
  jitter: jitter.default('full'),
}).refine(({ initial, max }) => initial <= max, { error: 'expected initial <= max' })

function backoffOf({ initial, factor, max, jitter }: z.output<typeof backoff>): Backoff {
  return { initialMicros: initial, factor, maxMicros: max, jitter }
}

function budgetOf({ window, ...counts }: z.output<typeof retryBudget>): RetryBudgetPolicy {
  return { ...counts, windowMicros: window }
}

/**
 * Four retries, as in the vendor's own client; the budget (20 % of the first attempts in ten
 * seconds, plus ten) is that of Finagle's RetryBudget.
 */
const retryOptions = section(
  {
    status: integer(0, MAX_RETRIES).default(4),
    kickoff: integer(0, MAX_RETRIES).default(4),
    unknownKickoffs: oneOf(['leave', 'repeat']).default('leave'),
    backoff: backoff.prefault({}),
    budget: retryBudget.prefault({}),
  },
  '"none" or ',
)

const NONE = { status: 0, kickoff: 0 }

const retry = z
  .preprocess((value) => (value === 'none' ? NONE : value), retryOptions)
  .transform(({ status, kickoff, unknownKickoffs, backoff, budget }): RetryPolicy => ({
    statusRetries: status,
    kickoffRetries: kickoff,
    unknownKickoffs,
    backoff: backoffOf(backoff),
    budget: budgetOf(budget),
  }))

const MAX_IN_FLIGHT = 1_000_000
const MAX_SOCKETS = 10_000
const MAX_BUDGET = 1_000_000_000
/**
 * With a larger share of arrivals that the generator itself did not send, the load was not the
 * requested one.
 */
const MAX_DROPPED = 0.01

/** When the scenario sets no bound on lateness. */
const LATENESS_MICROS = 10 * MICROS_PER_MS
const LATENESS_SHARE = 0.05

export const name = text('a name').regex(/^[\w.-]{1,60}$/, {
  error: 'expected 1 to 60 letters, digits, "-", "_" or "."',
})

export const seed = integer(0, Number.MAX_SAFE_INTEGER).default(42)

const admission = section({
  maxInFlight: integer(1, MAX_IN_FLIGHT).optional(),
  whenFull: oneOf(['queue', 'drop']).default('queue'),
  maxDropped: share().default(MAX_DROPPED),
})

const timeouts = section({
  connect: positiveDuration().prefault('10s'),
  request: positiveDuration().prefault('30s'),
  firstCall: positiveDuration().prefault('180s'),
})

const connections = section({
  max: integer(1, MAX_SOCKETS).default(256),
  preOpen: integer(0, MAX_SOCKETS).default(8),
  keepAlive: positiveDuration().prefault('4s'),
  maxBody: size().prefault('16MiB'),
})

export const budget = section({
  kickoffs: integer(0, MAX_BUDGET).optional(),
  requests: integer(0, MAX_BUDGET).optional(),
  time: positiveDuration().optional(),
}).transform(({ kickoffs = null, requests = null, time = null }) => ({
  kickoffs,
  requests,
  wallMicros: time,
}))

const circuit = orWord(
  'off',
  section(
    {
      after: positiveDuration().prefault('30s'),
      requests: integer(1, MAX_BUDGET).default(10),
    },
    '"off" or ',
  ).transform(({ after, requests }) => ({ afterMicros: after, requests })),
)

const validity = section({
  lateness: positiveDuration().optional(),
  utilisation: share().default(0.7),
  little: share().default(0.05),
}).transform(({ lateness, utilisation, little }) => ({
  latenessP99Micros: lateness ?? LATENESS_MICROS,
  latenessShare: lateness === undefined ? LATENESS_SHARE : 0,
  utilisation,
  littleResidual: little,
}))

const thresholdOption = z.strictObject({
  is: z.string(),
  abortEarly: z.boolean().optional(),
  judge: z.enum(['interval', 'value']).optional(),
})

const thresholdValue = z.unknown()
CHOICES.set(thresholdValue, [
  text('a comparison like "< 500ms"'),
  thresholdOption,
  z.literal(false),
])

const thresholds = z
  .record(z.string(), thresholdValue, { error: 'expected an object of bounds by metric' })
  .transform((options, context) =>
    withPromises(
      Object.entries(options).map(([metric, option]) => {
        const read = readThreshold(metric, option)
        if (!('problem' in read)) return read
        const { problem: message, nearest } = read
        context.issues.push({
          code: 'custom',
          message,
          path: [metric],
          input: option,
          params: { nearest },
        })
        return { turnedOff: metric }
      }),
    ),
  )

function withPromises(read: readonly (Threshold | { turnedOff: string })[]): Threshold[] {
  const named = read.filter((each) => 'metric' in each)
  const off = read.flatMap((each) => ('turnedOff' in each ? [each.turnedOff] : []))
  const metrics = named.map(({ metric }) => metric)
  return [...named, ...promisesBeside(metrics, off)]
}

function readThreshold(
  metric: string,
  option: unknown,
): Threshold | { turnedOff: string } | ThresholdProblem {
  if (typeof option === 'string') return parseThreshold(metric, option)
  if (option === false) {
    if (PROMISED_METRICS.includes(metric)) return { turnedOff: metric }
    return { problem: `false turns off only a default promise: ${PROMISED_METRICS.join(', ')}` }
  }
  const parsed = thresholdOption.safeParse(option)
  if (parsed.success) return parseThreshold(metric, parsed.data.is, parsed.data)
  return {
    problem:
      'expected a comparison like "< 500ms", ' +
      '{ is: "< 500ms", abortEarly: true, judge: "value" }, or false',
  }
}

export const scenario = section({
  name,
  description: text('a sentence or two').default(''),
  arrivals,
  inputs,
  kickoff: kickoff.optional(),
  paths: paths.optional(),
  tags: tags.default({}),
  admission: admission.prefault({}),
  polling: polling.prefault({
    exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' },
  }),
  honourRetryAfter: flag().default(true),
  retry: retry.prefault({}),
  deadline: positiveDuration().prefault('15m'),
  notFoundGrace: duration().prefault('10s'),
  human: human.prefault(false),
  webhooks: webhooks.optional(),
  prices: prices.optional(),
  confirm: share().default(0.01),
  drain: duration().prefault('5m'),
  timeouts: timeouts.prefault({}),
  connections: connections.prefault({}),
  headers: headers.default({}),
  budget: budget.prefault({}),
  circuit: circuit.prefault({}),
  checks: checks.default([]),
  thresholds: thresholds.prefault({}),
  validity: validity.prefault({}),
  seed,
})

export type ParsedScenario = z.output<typeof scenario>

/** The JSON Schema of a scenario's data: what an author may write, except functions. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const { $schema, required, ...body } = jsonSchema(scenario)
  return {
    $schema,
    title: 'crewload scenario',
    description:
      'The data of a scenario. In a scenario file, inputs, tags and checks may also ' +
      'be functions, which a schema cannot describe.',
    ...body,
    required: (required as string[]).filter((name) => name !== 'inputs'),
    anyOf: [{ required: ['inputs'] }, { properties: { arrivals: { required: ['inputs'] } } }],
  }
}

export function jsonSchema(schema: z.core.$ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: target }) => {
      const options = CHOICES.get(zodSchema)
      if (options !== undefined) target.anyOf = options.map(option)
    },
  })
}

function option(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...body } = jsonSchema(schema)
  return body
}
