/** What was learned of how long executions take, and from where. */
import type { TrialReason } from '../../frame/findings.ts'
import type { Recording } from './replay/recording.ts'

export interface LearnedRuns {
  recording: Recording
  /** Folders. */
  runs: readonly string[]
  target: string
  profile: string | null
  scenario: string | null
  seed: number | null
  /** One second stands for this many seconds of a time-lapse. */
  speed: number
  /** Why what was measured cannot be trusted. */
  invalid: readonly TrialReason[]
  /** Runs that were read although they were INVALID, each with the reasons. */
  doubted: readonly { run: string; why: string }[]
  /** The crews of the runs that were read, each once; of a run without a result none is known. */
  crews: readonly string[]
  /** The arrivals of each run that tells its rate; none where one run was made. */
  loads: readonly { executions: number; perSecond: number }[]
}
