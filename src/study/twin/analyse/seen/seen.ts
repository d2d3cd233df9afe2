/**
 * What was seen of the executions of past runs. Times in microseconds of the crew's own clock
 * (those of a time-lapse are multiplied by its speed), from the beginning of each run; latencies of
 * requests are in real time, which no time-lapse shortens.
 */
import type { Micros } from '../../../../base/units.ts'
import type { Outcome } from '../../../../execution/record/record.ts'
import type { Observed } from '../fit/sample.ts'

export interface SeenTask {
  /** Its place among the tasks of an execution, from 0. */
  place: number
  micros: Observed
}

export interface Seen {
  outcome: Outcome
  reason: string | null
  tags: Readonly<Record<string, string>>
  /** The arrival. */
  intended: Micros
  /** When the crew had it; null where it was not accepted. */
  accepted: Micros | null
  /** When a worker began with it; null where nothing tells. */
  started: Observed | null
  /** When it ended: `high` is Infinity where that was not seen. */
  ended: Observed | null
  /** When the client knew the end; null where it did not see one. */
  known: Micros | null
  /** From start to end, as the target reports it; null where it does not. */
  ranMicros: Observed | null
  /** Tasks whose times are known, in order. */
  tasks: readonly SeenTask[]
  /** The task in which it failed; null where it did not fail, or nothing tells. */
  failedIn: number | null
  /** It was watched to its deadline, or its ledger says that it never ended. */
  isStuck: boolean
  /** The size of its final output. */
  outputBytes: number | null
  polls: number
}

export interface SeenRequest {
  operation: 'kickoff' | 'status'
  sent: Micros
  micros: Micros
  answer: number | string
  /** Time since the connection was last used: from the answer before; null for the first. */
  gapMicros: Micros | null
  fresh: boolean
}

export interface SeenRun {
  executions: readonly Seen[]
  requests: readonly SeenRequest[]
  /** Names of tasks by their place, as far as they are known. */
  taskNames: readonly (string | null)[]
  /** Where starts and ends come from. */
  truth: 'ledger' | 'reported' | 'polls'
  dialect: 'interface' | 'platform' | null
  speed: number
}
