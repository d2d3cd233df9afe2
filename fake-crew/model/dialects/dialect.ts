/** A dialect of the interface: how the crew words its answers. */
import type { Micros } from '../../../src/base/units.ts'
import type { Content } from '../exchange.ts'
import type { Profile } from '../profile.ts'
import type { Refusal } from '../refusal.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { UsageMetrics } from '../work/results/usage.ts'

export interface DialectWriter {
  refusal(refusal: Refusal): Content
  /**
   * Whether an answer about an execution in progress says what time it is. If not, it is the same
   * until the execution changes.
   */
  readonly tellsTime: boolean
  /** Formats the status of a crew's executions. */
  statuses(crew: StatusContext): StatusTeller
}

interface StatusContext {
  profile: Profile
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
  idOf: (ordinal: number) => string
}

/** Whether clients do not find the execution while a person is asked about it. */
export function isHidden({ completedTasks }: ExecutionView, { tasks, dialect }: Profile): boolean {
  const usual = dialect === 'platform-2026-10' ? 'not-found' : 'paused'
  return (tasks[completedTasks]?.asks?.shows ?? usual) === 'not-found'
}

/** The error text of a failed execution. */
export function failureOf(execution: ExecutionView): string {
  return execution.wasRefused ? RATE_LIMITED : execution.failure
}

/** The field `usage_metrics`, where the execution reports it. */
export function usageOf({ usage }: ExecutionView): { usage_metrics?: UsageMetrics } {
  return usage === undefined ? {} : { usage_metrics: usage }
}

/** As client libraries of language models word it. */
const RATE_LIMITED = 'Error code: 429 - Rate limit reached'

export type StatusTeller = (execution: ExecutionView, nowMicros: Micros) => Content
