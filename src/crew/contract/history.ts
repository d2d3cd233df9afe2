/**
 * What the contract must remember of an execution's earlier answers: a few values, however many
 * answers came.
 */
import { fingerprint } from '../../base/fingerprint.ts'
import type { Micros } from '../../base/units.ts'
import type { Timing } from '../answer.ts'
import type { Phase, StatusObservation } from '../observation.ts'
import type { Dialect } from '../wire.ts'

export interface StatusHistory {
  /** Only answers that reported a state: error bodies may come from gateways. */
  dialect: Dialect | 'mixed' | null
  /** The number in the last running answer that reported one. */
  completedTasks: number | null
  totalTasks: number | null
  /** The id that the target gave to the execution; null before. */
  kickoffId: string | null
  /** When the first kickoff was sent; null for an execution resumed from a journal. */
  kickoffSentMicros: Micros | null
  /** When the first answer since the last pause reported a running execution. */
  runningSinceMicros: Micros | null
  /** When the first answer since the last pause reported a completed task. */
  progressSinceMicros: Micros | null
  /** When the last poll that found it running was sent. */
  runningUntilMicros: Micros | null
  /** The first final state; null before. */
  final: FinalState | null
}

/**
 * Few executions are polled again after their end, and a result may be long, so fingerprints are
 * taken only for those.
 */
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

  /** Takes the fingerprint and releases the observation, which is kept until then. */
  condense(): string {
    if (typeof this.#result !== 'string') this.#result = resultFingerprint(this.#result)
    return this.#result
  }
}

export function remember(history: StatusHistory, seen: StatusObservation, timing: Timing): void {
  if (seen.phase === 'running') rememberRunning(history, seen, timing)
  if (seen.phase === 'paused' || seen.phase === 'not-found') forgetStretch(history)
  if (tellsState(seen)) history.dialect = both(history.dialect, seen.dialect)
  history.completedTasks = seen.completedTasks ?? history.completedTasks
  history.totalTasks ??= seen.totalTasks
  if (history.final === null && (seen.phase === 'completed' || seen.phase === 'failed')) {
    history.final = new FinalState(seen)
  }
}

function rememberRunning(
  history: StatusHistory,
  { completedTasks }: StatusObservation,
  { releasedMicros, sentMicros, doneMicros }: Timing,
): void {
  history.runningSinceMicros ??= doneMicros
  if ((completedTasks ?? 0) > 0) history.progressSinceMicros ??= doneMicros
  history.runningUntilMicros = sentMicros ?? releasedMicros
}

/**
 * An execution that waits for a person is not working: only the time after the last pause counts.
 * Live deployments answer "not found" meanwhile.
 */
function forgetStretch(history: StatusHistory): void {
  history.runningSinceMicros = null
  history.progressSinceMicros = null
}

/** The answer is about the execution, and not an HTTP error. */
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

/** Fingerprints of what the client would show: the output and each task's output, or the error. */
export function resultFingerprint(seen: StatusObservation): string {
  const tasks = seen.tasks.flatMap(({ taskId, output }) => [taskId, output])
  return [seen.output ?? seen.error ?? '', ...tasks].map(fingerprint).join(' ')
}
