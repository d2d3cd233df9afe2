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

/** The crew has told how it ended. */
export function isFinal(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'failed'
}

const NONE = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>

/** A count of 0 for each; a run makes hundreds of them. */
export function noOutcomes(): Record<Outcome, number> {
  return { ...NONE }
}

/** Their arrivals were sent, and got neither a result nor a failure that the crew reported. */
export const UNSERVED = ['rejected', 'unknown', 'lost', 'stuck', 'unreadable'] as const
