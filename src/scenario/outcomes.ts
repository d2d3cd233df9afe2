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

/** Their arrivals were sent, and got neither a result nor a failure that the crew reported. */
export const UNSERVED = ['rejected', 'unknown', 'lost', 'stuck', 'unreadable'] as const
