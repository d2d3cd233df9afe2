/** The lines of the journal (NDJSON): what every engine writes and everything else reads. */
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
  /** In virtual time, a description of the simulated network. Null if the network is real. */
  network: string | null
  target: string
  /**
   * The crew is a fake one that was started for the run and ended with it: executions left in
   * flight are gone and cost nothing.
   */
  ownCrew: boolean
  /**
   * Wall clock of this instance's zero, Unix milliseconds with fraction: used to align the clocks
   * of several instances.
   */
  anchorUnixMs: number
  /**
   * How far `anchorUnixMs` may be off the wall clock by which the ledger's clock was mapped; 0 in
   * the process that did it.
   */
  anchorErrorMicros: Micros
  seed: number
  speed: number
  planHash: string
  /** The plan with every default filled in, without functions: the result of `describePlan`. */
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
  /** The complete record: after a crash, only polls are missing. */
  kickoff: RequestColumns
}

export interface EndedLine {
  type: 'ended'
  record: ExecutionRecord
}

/**
 * `crewload resume` continues what this instance left behind: for the executions named, an `ended`
 * line before this one no longer counts, nor does a `finished` line of the instance.
 */
export interface ResumedLine {
  type: 'resumed'
  instance: number
  /** Wall clock of the zero from which times count: the run line's. */
  anchorUnixMs: number
  /** The time of the resumption, on that clock. */
  atMicros: Micros
  /** The last time in the journal before the resumption. */
  cutMicros: Micros
  /** Indexes of the resumed executions, including those that never answered again. */
  indexes: number[]
}

/**
 * Something observed outside any execution's record: a confirmation poll that contradicted a final
 * state, a clock step, a journal error.
 */
export interface FindingLine {
  type: 'finding'
  instance: number
  atMicros: Micros
  /** The index of the execution concerned; null for none. */
  index: number | null
  finding:
    | { kind: 'violation'; violation: Violation }
    /**
     * With a budget of requests: this instance has sent at most this many until the next line of
     * this kind.
     */
    | { kind: 'requests-reserved'; total: number }
    /**
     * With a budget of time: this instance works no longer than this until the next line of this
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

/** Whether the target still answered when everything had ended. */
export interface TargetProbed {
  kind: 'target-probed'
  usable: boolean
  /** `GET /status/{id}` requests sent to find out; 0 if the last answer of the run was usable. */
  probes: number
  /**
   * The answer to the last of them, or the last of the run: a status code, or the class of the
   * failure.
   */
  last: string
}

/** The last line of every instance; missing after a crash. */
export interface FinishedLine {
  type: 'finished'
  instance: number
  atMicros: Micros
  /** Null if it ran to its end. */
  stopped: 'drained' | 'now' | null
  /** The reason given to `stop`; null if it ran to its end. */
  stopReason: string | null
  engine: EngineCounters
  host: HostVitals
}

/** The engine's own count, kept separately from the records so that a lost record is noticed. */
export interface EngineCounters {
  arrivals: number
  /** Arrivals whose `ended` line was emitted. */
  ended: number
  /**
   * Integral of the number in flight (accepted, not yet ended) over time, in
   * execution-microseconds.
   */
  inFlightIntegralMicros: number
  /** Null if no counter sees all executions; the records are then used. */
  maxInFlight: number | null
  confirmations: number
}

/** What a host knows about its own health; null if it cannot know. */
export interface HostVitals {
  /**
   * Event-loop utilisation, one sample per second, 0 to 1: the highest value held for five seconds
   * in a row (null for a shorter run), and the mean.
   */
  utilisationSustained: number | null
  utilisationMean: number | null
  connectionsOpened: number | null
  clockSteps: number
  journalErrors: number
  /**
   * The highest sample of the process's resident set, bytes; also null if another instance in the
   * same process reports it.
   */
  peakMemoryBytes: number | null
}
