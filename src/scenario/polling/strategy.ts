/**
 * What a polling strategy is. `NAME.ts` beside this file says how it goes and how an author writes
 * it, `NAME.schema.ts` how that is checked: the engine runs inside k6 too, where zod shall not be.
 */
import type { Random } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'

/** What a strategy may look at. */
export interface PollingPace {
  /** Intervals given so far; 0 before the first poll. */
  intervals: number
  /** The last of them; 0 before the first. */
  previousMicros: Micros
  /** Since the kickoff was accepted. */
  elapsedMicros: Micros
  /** As last told by the target; null when it does not tell. */
  completedTasks: number | null
}

export interface PollingStrategy<P extends { kind: string }, Written> {
  /** Never there: it carries the type of what an author writes. */
  readonly written?: Written
  /**
   * The next interval; never below `minimumMicros`. Only jitter draws from `random`, the
   * execution's own stream.
   */
  nextMicros(policy: P, pace: PollingPace, random: Random): Micros
  /** No interval of this policy is shorter. */
  minimumMicros(policy: P): Micros
  /** The policy with each of its times passed through `time`: how a time-lapse shortens it. */
  timed(policy: P, time: (micros: Micros) => Micros): P
  /** As an author writes it: its check reads the same policy from it. */
  write(policy: P): Written
}
