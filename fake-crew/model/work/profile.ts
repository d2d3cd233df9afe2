/** The work of a profile: what an execution consists of. */
import type { Distribution } from '../../../src/base/distribution.ts'

export interface WorkProfile {
  tasks: readonly TaskProfile[]
  /**
   * Microseconds of an execution that belong to no task (set-up, hand-over between agents), spread
   * evenly before its tasks. Its `execution_time` contains them, that of no task does.
   */
  overhead: Distribution
  /**
   * Probability, 0 to 1, that an execution never ends: it stays in its last task and keeps its
   * worker.
   */
  stuckChance: number
}

export interface TaskProfile {
  id: string
  agent: string
  /** Microseconds. */
  duration: Distribution
  failure: { chance: number; message: string }
  /** Bytes of the task's output. */
  output: Distribution
  /** Missing: nobody is asked. */
  asks?: AsksProfile
}

/** A person is asked when the task's work is done, and the task completes once they answer. */
export interface AsksProfile {
  /** Probability, 0 to 1. */
  chance: number
  /** Microseconds until the person answers. */
  for: Distribution
  /** What clients read meanwhile. */
  shows: 'paused' | 'not-found'
  /**
   * Whether the worker waits too. If not, it serves others, and the execution takes its turn again
   * when the person has answered.
   */
  holdsWorker: boolean
}
