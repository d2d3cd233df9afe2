/** The journal's lines (NDJSON): what every engine writes and everything later reads. */
import type { TargetLoss } from '../../scenario/circuit.ts'
import type { Micros } from '../../base/units.ts'
import type { ExecutionRecord, RequestColumns, Violation } from './record.ts'

export type JournalLine =
  | RunLine
  | StartedLine
  | AcceptedLine
  | EndedLine
  | ResumedLine
  | FindingLine
  | FinishedLine

/** First line of every instance. */
export interface RunLine {
  type: 'run'
  schema: 'crewload/journal/1'
  crewload: string
  runId: string
  scenario: string
  /** 0-based, of `instances`. */
  instance: number
  instances: number
  engine: 'node' | 'virtual' | 'k6'
  /**
   * Of virtual time, in words: what the simulated network does. Null where the network is a real
   * one.
   */
  network: string | null
  target: string
  /**
   * The crew is a fake one that was started for the run, and ended with it: what was left in flight
   * is gone, and costs nothing.
   */
  ownCrew: boolean
  /**
   * Wall clock of this instance's zero, Unix milliseconds with fraction: by it the clocks of
   * several instances are laid on one.
   */
  anchorUnixMs: number
  /**
   * How far `anchorUnixMs` may be off the wall clock that the ledger's mapping was taken by; 0 in
   * the process that took it.
   */
  anchorErrorMicros: Micros
  seed: number
  speed: number
  planHash: string
  /** The plan with every default filled in, functions left out: what `describePlan` gives. */
  plan: unknown
}

/** Written before the kickoff is sent: after a crash, this kickoff may have started. */
export interface StartedLine {
  type: 'started'
  index: number
  instance: number
  intendedMicros: Micros
  atMicros: Micros
}

export interface AcceptedLine {
  type: 'accepted'
  index: number
  instance: number
  kickoffId: string
  atMicros: Micros
  /** The record's: after a crash nothing but the polls is missing. */
  kickoff: RequestColumns
}

export interface EndedLine {
  type: 'ended'
  record: ExecutionRecord
}

/**
 * `crewload resume` goes on with what this instance left behind: of the executions named, an
 * `ended` line before this one does not count any more, nor does a `finished` line of the instance.
 */
export interface ResumedLine {
  type: 'resumed'
  instance: number
  /** Wall clock of the zero that is counted from: the run line's. */
  anchorUnixMs: number
  /** When, on that clock. */
  atMicros: Micros
  /** The last moment that the journal told before. */
  cutMicros: Micros
  /** Picked up again; those that nobody heard of again among them. */
  indexes: number[]
}

/**
 * Something seen outside any execution's record: a confirmation poll that contradicted a final
 * state, a clock step, an error of the journal.
 */
export interface FindingLine {
  type: 'finding'
  instance: number
  atMicros: Micros
  /** Of the execution concerned; null for none. */
  index: number | null
  finding:
    | { kind: 'violation'; violation: Violation }
    /**
     * Of a budget of requests: this instance has sent so many at most, until the next line of this
     * kind.
     */
    | { kind: 'requests-reserved'; total: number }
    /**
     * Of a budget of time: this instance works no longer than that, until the next line of this
     * kind.
     */
    | { kind: 'time-reserved'; untilMicros: Micros }
    /** No more kickoffs were sent. */
    | { kind: 'target-lost'; loss: TargetLoss }
    | TargetProbed
    | { kind: 'clock-step'; stepMs: number }
    | { kind: 'journal-error'; message: string }
    | { kind: 'note'; message: string }
}

/** Whether the target was there when everything had ended. */
export interface TargetProbed {
  kind: 'target-probed'
  usable: boolean
  /** `GET /status/{id}` sent to find out; 0 where the last answer of the run was usable. */
  probes: number
  /**
   * What the last of them was answered, or the last of the run: a status code, or the class of the
   * failure.
   */
  last: string
}

/** Last line of every instance; missing after a crash. */
export interface FinishedLine {
  type: 'finished'
  instance: number
  atMicros: Micros
  /** Null when it ran to its end. */
  stopped: 'drained' | 'now' | null
  /** What `stop` was told; null when it ran to its end. */
  stopReason: string | null
  engine: EngineCounters
  host: HostVitals
}

/**
 * The engine's own count of what it did, kept apart from the records so that a lost record shows.
 */
export interface EngineCounters {
  arrivals: number
  /** Arrivals whose `ended` line was emitted. */
  ended: number
  /**
   * Integral of the number in flight (accepted, not yet ended) over time, in
   * execution-microseconds.
   */
  inFlightIntegralMicros: number
  /** Null where no counter sees all executions; the records then tell. */
  maxInFlight: number | null
  confirmations: number
}

/** What a host knows of its own health; null where it cannot know. */
export interface HostVitals {
  /**
   * Event-loop utilisation, one sample a second, 0 to 1: the highest value held for five seconds in
   * a row (null for a shorter run), and the mean.
   */
  utilisationSustained: number | null
  utilisationMean: number | null
  connectionsOpened: number | null
  clockSteps: number
  journalErrors: number
  /**
   * Resident set of the process, bytes, at its highest sample; null too where another instance of
   * the same process tells it.
   */
  peakMemoryBytes: number | null
}
