/** A dialect of the interface: how the crew words its answers. */
import type { Micros } from '../../../src/base/units.ts'
import type { Content } from '../exchange.ts'
import type { Profile } from '../profile.ts'
import type { Refusal } from '../refusal.ts'
import type { ExecutionView } from '../work/execution-view.ts'

export interface DialectWriter {
  refusal(refusal: Refusal): Content
  /**
   * Whether an answer about an execution in progress says what time it is. If not, it is the same
   * until the execution changes.
   */
  readonly tellsTime: boolean
  /**
   * Formats the status of a crew's executions. `anchorUnixMs`: wall clock at the model's time zero,
   * Unix milliseconds.
   */
  statuses(profile: Profile, anchorUnixMs: number): StatusTeller
}

export type StatusTeller = (execution: ExecutionView, nowMicros: Micros) => Content
