/**
 * The part of a profile that limits requests: each limit's algorithm, its keys, and the answer to a
 * refused request.
 */
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { AlgorithmProfile } from './algorithms/list.ts'

export interface LimitProfile {
  /** Unique; appears in headers and metrics. Letters, digits, `-` and `_`. */
  name: string
  operations: readonly Operation[]
  /** Whether the operations share one quota, or each operation or each path has its own. */
  quota: LimitQuota
  /** The owner of a quota: each token, each address, or everybody together. */
  per: 'token' | 'address' | 'all'
  algorithm: AlgorithmProfile
  /** Whether refused requests use up the quota like others. */
  rejected: 'free' | 'counted'
  /** After an excess, everything is refused for this long, in the crew's time; 0 for no block. */
  blockMicros: Micros
  refusal: {
    status: LimitStatus
    retryAfter: RetryAfterForm
    /** Missing: the crew's own words. `{seconds}` stands for the wait in whole seconds. */
    body?: string
    /** Missing: as long as the operation takes. */
    afterMicros?: Micros
  }
}

/** By path, `/status/a` and `/status/b` have a quota each, as slowapi counts by default. */
export const LIMIT_QUOTAS = ['shared', 'each', 'path'] as const
type LimitQuota = (typeof LIMIT_QUOTAS)[number]

/**
 * The statuses with which limiters in the field refuse: mostly 429 (RFC 6585, section 4); nginx
 * 503; GitHub and, by default, HAProxy 403. 529 is in no standard; Anthropic uses it for
 * "overloaded".
 */
export const LIMIT_STATUSES = [429, 503, 403, 529] as const
export type LimitStatus = (typeof LIMIT_STATUSES)[number]

/**
 * `seconds` and `date` are correct (RFC 9110, section 10.2.3); the last three are wrong, each in
 * its own way.
 */
export const RETRY_AFTER_FORMS = [
  'seconds',
  'date',
  'none',
  'fractional',
  'early',
  'unreadable',
] as const
export type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number]
