/** Limits of a profile in its complete form. */
import { z } from 'zod'
import { OPERATIONS } from '../../../../src/crew/answer.ts'
import type { AlgorithmProfile, LimitProfile } from '../../limits/profile.ts'
import { HEADER_DIALECTS, LIMIT_STATUSES, RETRY_AFTER_FORMS } from '../../limits/profile.ts'
import type { LimitsProfile } from '../../profile.ts'
import { checkNames } from '../limits.ts'
import { oneOf } from '../quantities.ts'
import { bytes, lasting, listOf, micros, numberFrom, whole } from './quantities.ts'

const rate = z.strictObject({
  count: numberFrom(Number.MIN_VALUE, 'a count above 0'),
  perMicros: lasting,
})

const algorithm: z.ZodType<AlgorithmProfile> = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('token-bucket'), rate, capacity: whole(1) }),
    z.strictObject({
      kind: z.literal('leaky-bucket'),
      rate,
      burst: whole(0),
      excess: oneOf(['at once', 'delayed']),
    }),
    z.strictObject({
      kind: z.literal('fixed-window'),
      limit: whole(1),
      windowMicros: lasting,
      from: oneOf(['calendar', 'first hit']),
    }),
    z.strictObject({
      kind: z.literal(['sliding-log', 'sliding-counter']),
      limit: whole(1),
      windowMicros: lasting,
    }),
    z.strictObject({ kind: z.literal('concurrency'), limit: whole(1) }),
  ],
  {
    error:
      'expected a kind: token-bucket, leaky-bucket, fixed-window, sliding-log, sliding-counter ' +
      'or concurrency',
  },
)

const NAME_HELP = 'expected a name of letters, digits, "-" and "_"'

/** At least one of the operations. */
export const operations = listOf(oneOf(OPERATIONS), 'operations').min(1, {
  error: 'expected at least one operation',
})

const rule: z.ZodType<LimitProfile> = z.strictObject({
  name: z.string({ error: NAME_HELP }).regex(/^[\w-]+$/, { error: NAME_HELP }),
  operations,
  quota: oneOf(['shared', 'each']),
  per: oneOf(['token', 'address', 'all']),
  algorithm,
  rejected: oneOf(['free', 'counted']),
  blockMicros: micros,
  refusal: z.strictObject({ status: oneOf(LIMIT_STATUSES), retryAfter: oneOf(RETRY_AFTER_FORMS) }),
})

export const wholeLimits: z.ZodType<LimitsProfile> = z.strictObject({
  bodyBytes: bytes,
  headers: oneOf(HEADER_DIALECTS),
  rules: listOf(rule, 'rules').superRefine(checkNames, {
    when: ({ value }) => Array.isArray(value),
  }),
})
