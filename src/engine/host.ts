/** The environment of an engine: everything that it needs from outside. */
import type { Answer } from '../crew/answer.ts'
import type { CrewRequest } from '../crew/crew-request.ts'
import type { HostVitals, JournalLine } from '../execution/record/journal-lines.ts'
import type { Micros } from '../base/units.ts'
import type { SendingBudget } from './sending-budget.ts'

export interface SendLimits {
  /**
   * The limit from release to last byte, including the wait for a socket; beyond it, the answer is
   * a `failure` of class `timeout`.
   */
  timeoutMicros: Micros
  /**
   * Maximum body bytes after decoding; beyond them, the answer is a `failure` of class `too-large`.
   */
  maxBytes: number
}

/**
 * Cancels a request: its answer is then a failure of class `cancelled`, unless the real answer came
 * first. Returns whether any of it may have been sent.
 */
export type Cancel = () => boolean

export interface Host {
  /** Monotonic integer microseconds since the run's zero. */
  now(): Micros
  /** The wall clock, Unix milliseconds: for dates in answers that have no `Date` themselves. */
  unixMs(): number
  /**
   * Calls `wake` at or after `due`. There is one outstanding wake, which a new one replaces.
   * Infinity clears it.
   */
  wakeAt(due: Micros, wake: () => void): void
  /** Never throws. `done` is called exactly once, never before `send` returns. */
  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel
  /** Once it returns, killing the process cannot lose the line. */
  emit(line: JournalLine): void
  /** Each request is taken from it before it is sent. */
  readonly budget: SendingBudget
  vitals(): HostVitals
}
