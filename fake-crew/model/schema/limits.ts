/**
 * Limits as a profile's author writes them: which requests each counts, by which algorithm, and the
 * answer to a refused one.
 */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import { HEADER_DIALECT_NAMES } from '../limits/header-dialects/list.ts'
import type { AlgorithmProfile, LimiterName } from '../limits/algorithms/list.ts'
import { LIMITER_NAMES, limiterNamed } from '../limits/algorithms/list.ts'
import { window } from '../limits/parameters.ts'
import type { LimitProfile } from '../limits/profile.ts'
import { LIMIT_QUOTAS, LIMIT_STATUSES, RETRY_AFTER_FORMS } from '../limits/profile.ts'
import type { LimitsProfile } from '../profile.ts'
import { duration, oneOf, size } from './quantities.ts'

const NAME_HELP = 'expected a name of letters, digits, "-" and "_"'

const ONE_ALGORITHM = `expected exactly one of ${LIMITER_NAMES.join(', ')}`

/** The limiter's key in a rule, with its parameters as the value. */
function keyOf(name: LimiterName) {
  const { kind, written, description } = limiterNamed(name)
  return written
    .transform((parameters) => ({ kind, ...parameters }) as AlgorithmProfile)
    .meta({ description })
    .exactOptional()
}

const algorithms = Object.fromEntries(LIMITER_NAMES.map((name) => [name, keyOf(name)])) as Record<
  LimiterName,
  ReturnType<typeof keyOf>
>

const refusal = z
  .strictObject({
    status: oneOf(LIMIT_STATUSES).prefault(429),
    retryAfter: oneOf(RETRY_AFTER_FORMS)
      .prefault('seconds')
      .meta({
        description:
          'Correct as seconds, date or none; wrong as fractional (not allowed), early ' +
          '(half) or unreadable. Concurrency never sends one.',
      }),
    body: z
      .string({ error: 'expected a text' })
      .meta({
        description:
          'The text of the answer, as the limiter writes it; {seconds} is the wait. Default: the ' +
          "crew's own words.",
      })
      .exactOptional(),
    after: duration
      .meta({
        description:
          'How soon it is sent, as by a proxy in front. Default: the latency of the operation.',
      })
      .exactOptional(),
  })
  .transform(({ after, ...look }) => (after === undefined ? look : { ...look, afterMicros: after }))
  .prefault({})
  .meta({ description: 'The answer to a refused request.' })

const rule = z
  .strictObject({
    name: z
      .string({ error: NAME_HELP })
      .regex(/^[\w-]+$/, { error: NAME_HELP })
      .meta({
        description: 'Unique; appears in headers and metrics.',
      }),
    operations: z
      .array(oneOf(OPERATIONS), { error: 'expected a list of operations' })
      .min(1, { error: 'expected at least one operation' })
      .prefault([...OPERATIONS])
      .meta({ description: 'Which requests count. Default: all.' }),
    quota: oneOf(LIMIT_QUOTAS)
      .prefault('shared')
      .meta({
        description:
          'One quota for all operations together, one for each, or one for each path: ' +
          '/status/a and /status/b then count apart.',
      }),
    per: oneOf(['token', 'address', 'all']).prefault('token').meta({
      description: 'Who has a quota: each token, each address, or everybody together.',
    }),
    ...algorithms,
    rejected: oneOf(['free', 'counted'])
      .prefault('free')
      .meta({ description: 'Whether refused requests use up the quota and restart a block.' }),
    block: window.exactOptional().meta({
      description: 'After an excess, everything is refused for this long. Default: no block.',
    }),
    refusal,
  })
  .superRefine(checkAlgorithm, { when: ({ value }) => typeof value === 'object' && value !== null })

/** This check also runs on partly invalid rules, so that every mistake is reported at once. */
function checkAlgorithm(written: object, context: z.RefinementCtx): void {
  const named = LIMITER_NAMES.filter((name) => name in written)
  if (named.length !== 1) context.addIssue({ code: 'custom', message: ONE_ALGORITHM })
}

/** If two rules share a name, the later one is the mistake. */
export function checkNames(rules: readonly unknown[], context: z.RefinementCtx): void {
  const seen = new Set<unknown>()
  for (const [index, entry] of rules.entries()) {
    const { name } = (entry ?? {}) as { name?: unknown }
    if (seen.has(name) && typeof name === 'string') {
      const message = 'expected a name that no other rule has'
      context.addIssue({ code: 'custom', path: [index, 'name'], message })
    }
    seen.add(name)
  }
}

export const limits = z.strictObject({
  body: size.prefault('1MiB').meta({ description: 'Larger kickoffs are answered with 413.' }),
  headers: oneOf(HEADER_DIALECT_NAMES).prefault('none').meta({
    description: 'The headers that every answer behind a rule carries.',
  }),
  rules: z
    .array(rule, { error: 'expected a list of rules' })
    .superRefine(checkNames, { when: ({ value }) => Array.isArray(value) })
    .prefault([])
    .meta({ description: 'Rate limits: a request passes all rules that count it, or none.' }),
})

type WrittenRule = z.output<typeof rule>

export function toLimits({ body, headers, rules }: z.output<typeof limits>): LimitsProfile {
  return { bodyBytes: body, headers, rules: rules.map(toRule) }
}

function toRule(written: WrittenRule): LimitProfile {
  const { name, operations, quota, per, rejected, block = 0, refusal: look } = written
  const algorithm = LIMITER_NAMES.map((key) => written[key]).find((each) => each !== undefined)!
  return { name, operations, quota, per, algorithm, rejected, blockMicros: block, refusal: look }
}
