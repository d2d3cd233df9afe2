/** The body that an engine lives in: everything it needs of the world. */
import type { Answer, CrewRequest } from '../crew/answer.ts'
import type { HostVitals, JournalLine } from '../execution/record/journal-lines.ts'
import type { Micros } from '../base/units.ts'

export interface SendLimits {
  /** From release to last byte, socket wait included; then `failure` of class `timeout`. */
  timeoutMicros: Micros
  /** Body bytes after decoding; then `failure` of class `too-large`. */
  maxBytes: number
}

/** Gives up a request: its answer is then a failure of class `cancelled`, unless it came first. */
export type Cancel = () => void

export interface Host {
  /** Monotonic integer microseconds since the run's zero. */
  now(): Micros
  /**
   * Calls `wake` at or after `due`. One outstanding wake: a new one replaces it. Infinity clears
   * it.
   */
  wakeAt(due: Micros, wake: () => void): void
  /** Never throws. `done` is called exactly once, never before `send` returns. */
  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel
  /** When it returns, a kill of the process cannot lose the line. */
  emit(line: JournalLine): void
  /** Takes one from the budget; false when it is spent. */
  spend(kind: 'kickoff' | 'request'): boolean
  vitals(): HostVitals
}
