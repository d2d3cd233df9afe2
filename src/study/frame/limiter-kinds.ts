/** The kinds of rate limits that a study of limits tells of. */

/**
 * A class of twins is named by its commonest member. `none`: no limit was met. `unknown`: there is
 * one, and the answers fit no kind, or too many.
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
