/**
 * What a study of polling is told: the options of `studyPolling()`, which the command line fills.
 */
import type { RunOptions } from '../../../run/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { PollingPlan } from './outline.ts'

type Shared = Omit<RunOptions, keyof StudyOptions<PollingPlan> | 'engine' | 'faults'>

export interface PollingOptions extends Shared, StudyOptions<PollingPlan> {
  /** Run folders to learn from. Default: none, and `profile` or `target` makes a run. */
  runs?: readonly string[]
  /** What makes the run: a shipped name or a file. Default `steady`. */
  scenario?: string
  /** Executions of a run in virtual time, 50 to 20,000. Default 2,000. */
  executions?: number
  /** What virtual time simulates between client and crew. */
  network?: string
  /** A quota of the target: `3000/m`. */
  maxPolls?: string
  /**
   * The folder of a study of limits, or its `limits.json`, in place of `maxPolls`: its safe rate of
   * `status` is the quota.
   */
  limits?: string
  /** A promise: `p95 < 5s`; of the mean, p50 or p95 of the detection delay. */
  delay?: string
  /** The price of one poll, above 0; needs `delayPrice`. */
  pollPrice?: number
  /** Price of one second by which an end is known late, above 0; in the currency of `pollPrice`. */
  delayPrice?: number
}
