/**
 * What is known of executions that were recorded, as far as polling is concerned: when each ended
 * after it was accepted, what it told of its progress, and how long a poll takes. Times are as
 * measured.
 */
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'

export interface PastExecution {
  /** When it was accepted, from the beginning of its run: the order of the executions. */
  acceptedMicros: Micros
  /**
   * `ended`: it ended after `afterMicros` and at `byMicros` at the latest; the two are the same
   * where a ledger tells. `never`: it did not end within its deadline. `censored`: it was watched
   * until `afterMicros`, and what came then is not known.
   */
  fate: 'ended' | 'never' | 'censored'
  /** The time from acceptance. */
  afterMicros: Micros
  byMicros: Micros
  /** The deadline, counted from acceptance: no poll is sent at or after it. */
  deadlineMicros: Micros
  /** When each of its tasks was completed, rising; null where the target counts none. */
  completionsMicros: readonly Micros[] | null
}

/** One poll of a recorded run, for what connections cost. */
export interface PollGap {
  /** From the answer before to this poll; for the first, from the kickoff's answer. */
  gapMicros: Micros
  fresh: boolean
  /** Wait for a connection and service. */
  tookMicros: Micros
}

/**
 * Polls that were not answered with 2xx, though the target did not refuse them: 429 comes of how
 * often it is polled, and other failures do not. Of executions that were seen to end: of those that
 * were lost, all polls fail.
 */
export interface PollFailures {
  polls: number
  failed: number
  /** From each that failed to the next poll of its execution: a retry, or an interval. */
  pausesMicros: readonly Micros[]
}

/** Waits that answers asked for, which a policy obeys or ignores (`polling.hint`). */
interface Hinted {
  /** Answers with 2xx, with a hint or without. */
  answers: number
  waitsMicros: readonly Micros[]
}

export interface WaitHints {
  kickoff: Hinted
  polls: Hinted
  /** Polls that were answered with nothing left of the quota: every policy waits for it. */
  exhausted: number
}

export interface Recording {
  executions: readonly PastExecution[]
  /** Wait and service of the polls that were answered, as they were measured. */
  requestMicros: readonly Micros[]
  failures: PollFailures
  hints: WaitHints
  gaps: readonly PollGap[]
  /** Waits that answers with 2xx asked for, to an accepted kickoff and to polls. */
  asked: { polls: number; waitsMicros: readonly Micros[]; refused: number }
  /** The rate of the runs together; null where too few executions tell. */
  arrivalsPerSecond: number | null
  /** The policy of the runs, where they all have the same; null otherwise. */
  current: PollingPolicy | null
  /** The path of a status, where all runs have the same and it is not as documented. */
  statusPath?: string
  /** What the runs measured. */
  observed: {
    pollsPerExecution: number | null
    delayMeanMicros: Micros | null
    delayP95Micros: Micros | null
  }
  /** Where the true ends come from: `mixed` where some runs have a ledger. */
  truth: 'ledger' | 'polls' | 'mixed'
}
