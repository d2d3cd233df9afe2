/**
 * Defines what is observed of the executions of past runs. Times are in microseconds of the crew's
 * own clock (those of a time-lapse are multiplied by its speed), from the beginning of each run;
 * latencies of requests are in real time, which no time-lapse shortens.
 */
import type { CrewPaths } from '../../../../crew/request.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Outcome } from '../../../../execution/record/record.ts'
import type { Observed } from '../fit/sample.ts'

export interface SeenTask {
  /** The position among the tasks of an execution, from 0. */
  place: number
  /** Without what it waited for beside a worker, where a ledger says so. */
  micros: Observed
  /** What it waited, by a ledger; missing where executions share nothing but workers. */
  waits?: { quota: Micros; slowed: Micros }
}

export interface SeenAsk {
  /** The position of the task that ends with the answer. */
  place: number
  from: Micros
  /** Infinity while nobody has answered. */
  to: Micros
  /** When a worker went on with it. */
  resumed: Micros
}

export interface Seen {
  outcome: Outcome
  /** What the crew said of its failure. */
  error: string | null
  tags: Readonly<Record<string, string>>
  /** The time of the arrival. */
  intended: Micros
  /** When the crew had it; null where it was not accepted. */
  accepted: Micros | null
  /** When a worker began with it; null if nothing reports it. */
  started: Observed | null
  /** When it ended; `high` is Infinity if the end was not observed. */
  ended: Observed | null
  /** When the client learned of the end; null if it did not. */
  known: Micros | null
  /** The time from start to end as the target reports it; null if it does not. */
  ranMicros: Observed | null
  /** Tasks whose times are known, in order. */
  tasks: readonly SeenTask[]
  /**
   * The position of the task in which it failed; null if it did not fail, or nothing reports the
   * task.
   */
  failedIn: number | null
  /** Whether it was watched to its deadline, or its ledger says that it never ended. */
  isStuck: boolean
  /** When people were asked about it, in order of time, by its ledger; missing for never. */
  asked?: readonly SeenAsk[]
  /** The size of its final output. */
  outputBytes: number | null
  polls: number
}

export interface SeenRequest {
  operation: 'kickoff' | 'status'
  sent: Micros
  micros: Micros
  answer: number | string
  /** The time since the previous answer on the connection; null for the first request. */
  gapMicros: Micros | null
  fresh: boolean
}

export interface SeenRun {
  /** Where the crew serves the interface; missing if as documented. */
  paths?: CrewPaths
  /** The scenario says that the crew asks people, or executions still waited for one. */
  asksPeople: boolean
  executions: readonly Seen[]
  requests: readonly SeenRequest[]
  /** The names of tasks by position, as far as they are known. */
  taskNames: readonly (string | null)[]
  /** The names of their agents, likewise. */
  agents: readonly (string | null)[]
  /** When the clock of the ledger was zero; missing without one. */
  zero?: Micros
  /** The source of starts and ends. */
  truth: 'ledger' | 'reported' | 'polls'
  dialect: 'interface' | 'platform' | null
  speed: number
}
