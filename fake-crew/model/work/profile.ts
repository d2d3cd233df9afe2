/** The work of a profile: what an execution consists of, and how fast time passes. */
import type { Distribution } from '../../../src/base/distribution.ts'

export interface WorkProfile {
  /** One second of wall time is `speed` seconds of the crew's time. */
  speed: number
  tasks: readonly TaskProfile[]
  /**
   * Probability, 0 to 1, that an execution never ends: it stays in its last task and keeps its
   * worker.
   */
  stuckChance: number
}

interface TaskProfile {
  id: string
  agent: string
  /** Microseconds. */
  duration: Distribution
  failure: { chance: number; message: string }
  /** Bytes of the task's output. */
  output: Distribution
}
