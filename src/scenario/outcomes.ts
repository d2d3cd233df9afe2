/** The outcomes of executions. */

/** Outcomes are exclusive; their counts always sum to the number of arrivals. */
export const OUTCOMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'paused',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
] as const
export type Outcome = (typeof OUTCOMES)[number]
