/** What the contract must remember of an execution's earlier answers: a few words, however many answers came. */
import { fingerprint } from '../../fingerprint.ts'
import type { Phase, StatusObservation } from '../observation.ts'
import type { Dialect } from '../wire.ts'

export interface StatusHistory {
  /** Of the answers that told a state; error bodies come from gateways too. */
  dialect: Dialect | 'mixed' | null
  /** Of the last running answer that told them. */
  completedTasks: number | null
  totalTasks: number | null
  /** The first final state; null before. */
  final: FinalState | null
}

/** Few executions are asked again after their end, and a result may be long: of those alone a fingerprint is taken. */
class FinalState {
  readonly phase: Phase
  readonly executionTimeSeconds: number | null
  #result: StatusObservation | string

  constructor(seen: StatusObservation) {
    this.phase = seen.phase
    this.executionTimeSeconds = seen.executionTimeSeconds
    this.#result = seen
  }

  get result(): string {
    return this.condense()
  }

  /** Takes the fingerprint and lets go of the observation, which is held until then. */
  condense(): string {
    if (typeof this.#result !== 'string') this.#result = resultOf(this.#result)
    return this.#result
  }
}

export function remember(history: StatusHistory, seen: StatusObservation): void {
  if (tellsState(seen)) history.dialect = both(history.dialect, seen.dialect)
  history.completedTasks = seen.completedTasks ?? history.completedTasks
  history.totalTasks ??= seen.totalTasks
  if (history.final === null && (seen.phase === 'completed' || seen.phase === 'failed')) {
    history.final = new FinalState(seen)
  }
}

/** The answer speaks of the execution, and is no error of HTTP's. */
export function tellsState({ code }: StatusObservation): boolean {
  return typeof code === 'number' && code < 300
}

function both(
  before: StatusHistory['dialect'],
  now: StatusHistory['dialect'],
): StatusHistory['dialect'] {
  if (before === null || now === null || before === now) return before ?? now
  return 'mixed'
}

/** Fingerprints of what the client would show: the output and each task's, or the error. */
export function resultOf(seen: StatusObservation): string {
  const tasks = seen.tasks.flatMap(({ taskId, output }) => [taskId, output])
  return [seen.output ?? seen.error ?? '', ...tasks].map(fingerprint).join(' ')
}
