/** What a polling strategy is: a file beside this one says its policy and these three things of it. */
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

export interface PollingStrategy<P extends { kind: string }> {
  /** The next interval; never below `minimumMicros`. Only jitter draws from `random`, the execution's own stream. */
  nextMicros(policy: P, pace: PollingPace, random: Random): Micros
  /** No interval of this policy is shorter. */
  minimumMicros(policy: P): Micros
  /** The policy with each of its times passed through `time`: how a time-lapse shortens it. */
  timed(policy: P, time: (micros: Micros) => Micros): P
}
