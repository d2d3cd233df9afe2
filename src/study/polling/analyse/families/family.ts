/** A family of strategies: what is tried of it for a distribution of execution times. */
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { SampleShape } from './shape.ts'

export interface PollingFamily {
  /** The family in words, for tables. */
  words: string
  /**
   * Whether its strategies follow the recorded ends closely: then they are judged by executions
   * that they were not fitted to.
   */
  learned: boolean
  /**
   * What is tried. A learned family gives as many for any shape, in the same order, so that the
   * strategy fitted to some of the executions stands for the one fitted to all.
   */
  policies: (shape: SampleShape) => readonly PollingPolicy[]
}
