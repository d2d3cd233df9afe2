/**
 * One execution as it is at one time: what the crew reports about it. It does not depend on earlier
 * requests.
 */
import type { Micros } from '../../../src/base/units.ts'
import type { Executions, LifePhase } from './executions.ts'
import type { UsageMetrics } from './results/usage.ts'

/** What answers say of an execution beside its times. */
export interface ExecutionTexts {
  output(ordinal: number, task: number): string
  /** The error text of a failure in this task. */
  failure(ordinal: number, task: number): string
  /** Undefined if an answer about it so far reports none. */
  usage(ordinal: number, reach: ExecutionPhase): UsageMetrics | undefined
}

interface ExecutionPhase {
  phase: LifePhase
  completedTasks: number
}

export class ExecutionView {
  readonly ordinal: number
  readonly phase: LifePhase
  readonly completedTasks: number
  readonly #executions: Executions
  readonly #texts: ExecutionTexts

  constructor(
    ordinal: number,
    nowMicros: Micros,
    executions: Executions,
    texts: ExecutionTexts,
    reported: ExecutionPhase | null = null,
  ) {
    this.ordinal = ordinal
    this.phase = reported?.phase ?? executions.phase(ordinal, nowMicros)
    this.completedTasks = reported?.completedTasks ?? executions.completedTasks(ordinal, nowMicros)
    this.#executions = executions
    this.#texts = texts
  }

  get acceptedMicros(): Micros {
    return this.#executions.acceptedMicros(this.ordinal)
  }

  /** Infinity for an execution that waits forever. */
  get startedMicros(): Micros {
    return this.#executions.startedMicros(this.ordinal)
  }

  /** Infinity while it has not ended. */
  get endedMicros(): Micros {
    const ended = this.phase === 'completed' || this.phase === 'failed'
    return ended ? this.#executions.endedMicros(this.ordinal) : Infinity
  }

  /** Milliseconds of each completed task, in order. */
  taskTimesMs(): number[] {
    return this.#executions.taskTimesMs(this.ordinal, this.completedTasks)
  }

  /**
   * The same execution as a fault reports it, differently from how it is. `completedTasks` is at
   * most the number it has completed.
   */
  reportedAs(phase: LifePhase, completedTasks: number): ExecutionView {
    const life = { phase, completedTasks }
    return new ExecutionView(this.ordinal, 0, this.#executions, this.#texts, life)
  }

  /** Whether it failed because a quota refused a call. */
  get wasRefused(): boolean {
    return this.#executions.wasRefused(this.ordinal)
  }

  output(task: number): string {
    return this.#texts.output(this.ordinal, task)
  }

  /** The error text of a failed execution. */
  get failure(): string {
    return this.#texts.failure(this.ordinal, this.completedTasks)
  }

  /** The `usage_metrics` that answers report. */
  get usage(): UsageMetrics | undefined {
    return this.#texts.usage(this.ordinal, this)
  }
}
