/**
 * How a profile limits requests: each limit's algorithm, whom it counts, and what a refused request
 * hears.
 */
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { AlgorithmProfile } from './limiters.ts'

export interface LimitProfile {
  /** Unique; stands in headers and metrics. Letters, digits, `-` and `_`. */
  name: string
  operations: readonly Operation[]
  /** The operations share one quota, or each has its own. */
  quota: 'shared' | 'each'
  /** Who has a quota: each token, each address, or all together one. */
  per: 'token' | 'address' | 'all'
  algorithm: AlgorithmProfile
  /** Whether refused requests use up the quota like others. */
  rejected: 'free' | 'counted'
  /** After excess everything is refused for so long, in the crew's time; 0 for no block. */
  blockMicros: Micros
  refusal: { status: LimitStatus; retryAfter: RetryAfterForm }
}

/**
 * What limiters in the field answer: 429 most of them (RFC 6585, section 4), 503 nginx, 403 GitHub
 * and, by default, HAProxy; 529 stands in no standard, and means "overloaded" at Anthropic.
 */
export const LIMIT_STATUSES = [429, 503, 403, 529] as const
export type LimitStatus = (typeof LIMIT_STATUSES)[number]

/**
 * `seconds` and `date` are true (RFC 9110, section 10.2.3); the last three are wrong, each in its
 * way.
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
