/** Limits of a profile in its complete form. */
import { z } from 'zod'
import { OPERATIONS } from '../../../../src/crew/answer.ts'
import { HEADER_DIALECT_NAMES } from '../../limits/header-dialects/list.ts'
import type { AlgorithmProfile } from '../../limits/algorithms/list.ts'
import { LIMITERS, LIMITER_NAMES } from '../../limits/algorithms/list.ts'
import type { LimitProfile } from '../../limits/profile.ts'
import { LIMIT_QUOTAS, LIMIT_STATUSES, RETRY_AFTER_FORMS } from '../../limits/profile.ts'
import type { LimitsProfile } from '../../profile.ts'
import { checkNames } from '../limits.ts'
import { oneOf } from '../quantities.ts'
import { bytes, listOf, micros } from './quantities.ts'

const [first, ...others] = LIMITER_NAMES.map((name) => LIMITERS[name].complete)
const kinds = LIMITER_NAMES.map((name) => LIMITERS[name].kind)

const algorithm: z.ZodType<AlgorithmProfile> = z.discriminatedUnion('kind', [first!, ...others], {
  error: `expected a kind: ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`,
})

const NAME_HELP = 'expected a name of letters, digits, "-" and "_"'

/** Names at least one of the operations. */
export const operations = listOf(oneOf(OPERATIONS), 'operations').min(1, {
  error: 'expected at least one operation',
})

const rule: z.ZodType<LimitProfile> = z.strictObject({
  name: z.string({ error: NAME_HELP }).regex(/^[\w-]+$/, { error: NAME_HELP }),
  operations,
  quota: oneOf(LIMIT_QUOTAS),
  per: oneOf(['token', 'address', 'all']),
  algorithm,
  rejected: oneOf(['free', 'counted']),
  blockMicros: micros,
  refusal: z.strictObject({
    status: oneOf(LIMIT_STATUSES),
    retryAfter: oneOf(RETRY_AFTER_FORMS),
    body: z.string().exactOptional(),
    afterMicros: micros.exactOptional(),
  }),
})

export const completeLimits: z.ZodType<LimitsProfile> = z.strictObject({
  bodyBytes: bytes,
  headers: oneOf(HEADER_DIALECT_NAMES),
  rules: listOf(rule, 'rules').superRefine(checkNames, {
    when: ({ value }) => Array.isArray(value),
  }),
})
