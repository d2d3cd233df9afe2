/**
 * The interface of a polling strategy. `NAME.ts` beside this file defines its behaviour and how an
 * author writes it, `NAME.schema.ts` how that is checked: the engine also runs inside k6, whose
 * bundle must not contain zod.
 */
import type { Random } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'

/** The information on which a strategy may base its intervals. */
export interface PollingPace {
  /** The number of intervals so far; 0 before the first poll. */
  intervals: number
  /** The previous interval; 0 before the first. */
  previousMicros: Micros
  /** The time since the kickoff was accepted. */
  elapsedMicros: Micros
  /** As last reported by the target; null when it does not report it. */
  completedTasks: number | null
}

export interface PollingStrategy<P extends { kind: string }, Written> {
  /** Never set: it carries the type of what an author writes. */
  readonly written?: Written
  /**
   * The next interval; never below `minimumMicros`. Only jitter draws from `random`, the
   * execution's own stream.
   */
  nextMicros(policy: P, pace: PollingPace, random: Random): Micros
  /** The lower bound of all intervals of this policy. */
  minimumMicros(policy: P): Micros
  /** The policy with each of its times transformed by `time`: how a time-lapse shortens it. */
  timed(policy: P, time: (micros: Micros) => Micros): P
  /** The option as an author writes it, from which its check reads the same policy. */
  write(policy: P): Written
}
