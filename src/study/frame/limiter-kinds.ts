/** The kinds of rate limits that a study of limits reports. */

/**
 * Kinds that cannot be distinguished are named by the most common of them. `none`: no limit was
 * reached. `unknown`: there is one, and the answers fit no kind, or too many.
 */
export const LIMITER_KINDS = [
  'none',
  'token-bucket',
  'leaky-bucket',
  'fixed-window',
  'sliding-log',
  'sliding-counter',
  'concurrency',
  'penalty',
  'unknown',
] as const

export type LimiterKind = (typeof LIMITER_KINDS)[number]

/** The operations whose limits are inferred. */
export const LIMITED_OPERATIONS = ['status', 'inputs', 'kickoff'] as const
