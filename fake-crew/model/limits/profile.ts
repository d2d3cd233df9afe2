/**
 * The limits of a profile: which requests each counts, by which algorithm, and the answer to a
 * refused one.
 */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import type { Parsed } from '../schema/quantities.ts'
import { OF_LISTS, duration, eachOnce, lasting, listOf, oneOf, size } from '../schema/quantities.ts'
import { LIMITER_NAMES, LIMITERS } from './algorithms/list.ts'
import { keysOf } from '../schema/kinds.ts'
import { HEADER_DIALECT_NAMES, RETRY_AFTER_FORMS } from './headers.ts'

/** By path, `/status/a` and `/status/b` have a quota each, as slowapi counts by default. */
const LIMIT_QUOTAS = ['shared', 'each', 'path'] as const

/**
 * The statuses with which limiters in the field refuse: mostly 429 (RFC 6585, section 4); nginx
 * 503; GitHub and, by default, HAProxy 403. 529 is in no standard; Anthropic uses it for
 * "overloaded".
 */
export const LIMIT_STATUSES = [429, 503, 403, 529] as const
export type LimitStatus = (typeof LIMIT_STATUSES)[number]

const NAME_HELP = 'expected a name of letters, digits, "-" and "_"'

const ONE_ALGORITHM = `expected exactly one of ${LIMITER_NAMES.join(', ')}`

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
  .transform(({ after, ...look }) => ({
    ...look,
    ...(after === undefined ? {} : { afterMicros: after }),
  }))
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
    operations: listOf(oneOf(OPERATIONS), 'operations')
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
    ...keysOf(LIMITERS),
    rejected: oneOf(['free', 'counted'])
      .prefault('free')
      .meta({ description: 'Whether refused requests use up the quota and restart a block.' }),
    block: lasting.exactOptional().meta({
      description: 'After an excess, everything is refused for this long. Default: no block.',
    }),
    refusal,
  })
  .superRefine(checkAlgorithm, { when: ({ value }) => typeof value === 'object' && value !== null })
  .transform(
    ({ name, operations, quota, per, rejected, block = 0, refusal: look, ...algorithm }) => ({
      name,
      operations,
      quota,
      per,
      algorithm: Object.values(algorithm)[0]!,
      rejected,
      /** 0 for no block. */
      blockMicros: block,
      refusal: look,
    }),
  )

/** This check also runs on partly invalid rules, so that every mistake is reported at once. */
function checkAlgorithm(written: object, context: z.RefinementCtx): void {
  const named = LIMITER_NAMES.filter((name) => name in written)
  if (named.length !== 1) context.addIssue({ code: 'custom', message: ONE_ALGORITHM })
}

export const limits = z
  .strictObject({
    body: size.prefault('1MiB').meta({ description: 'Larger kickoffs are answered with 413.' }),
    headers: oneOf(HEADER_DIALECT_NAMES).prefault('none').meta({
      description: 'The headers that every answer behind a rule carries.',
    }),
    rules: listOf(rule, 'rules')
      .superRefine(eachOnce('name', 'expected a name that no other rule has'), OF_LISTS)
      .prefault([])
      .meta({ description: 'Rate limits: a request passes all rules that count it, or none.' }),
  })
  .transform(({ body, ...others }) => ({ bodyBytes: body, ...others }))

export type LimitsProfile = Parsed<z.output<typeof limits>>
export type LimitProfile = LimitsProfile['rules'][number]
