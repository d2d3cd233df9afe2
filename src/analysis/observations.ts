/**
 * All that the lines of a run amount to, before any judgement: what the recorder hands to the
 * analysis.
 */
import type { FinishedLine, RunLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { TargetLoss } from '../scenario/circuit.ts'
import type { Micros } from '../base/units.ts'
import type { Lifetimes, Sample } from './statistics/sample.ts'

export interface Observations {
  /** One an instance, by instance. */
  runs: readonly RunLine[]
  finished: readonly FinishedLine[]
  /** By instance; of one that is not here no line was seen. */
  instances: readonly InstanceObservations[]
  /** Latest point on the run's clock that any line tells. */
  lastSeenMicros: Micros
  /** `ended` lines, warm-up included. */
  endedLines: number
  /** Sum of (ended - accepted) over all accepted records, in execution-microseconds. */
  inFlightSumMicros: number
  /** Null while the run goes on. */
  inFlight: Peak | null
  /** Started and not ended: what a crash leaves. */
  open: readonly OpenExecution[]
  /** Executions that `crewload resume` picked up. */
  resumed: number
  /** Where the run was first cut before it was resumed; null for one that was not. */
  cutMicros: Micros | null
  /**
   * From when on arrivals were no longer sent: a budget was spent, the run was stopped or cut, or
   * the target was lost. Null where all were.
   */
  lastDueMicros: Micros | null
  warmUpArrivals: number
  /** What became of them; those that never occurred are missing. */
  warmUpOutcomes: Partial<Record<Outcome, number>>
  /** Of the warm-up, too; empty where its functions did what they should. */
  scenarioErrors: readonly ScenarioErrors[]
  /** Of those: given up before their end. */
  warmUpAborted: number
  /** What the ledger contradicts, of so many rows; null without one. */
  ledgerWrong: { wrong: number; rows: number } | null
  window: Group
  /** The window in the order of its arrivals; empty where that is not known. */
  series: readonly ArrivalBin[]
  /** By `name=value`. */
  tags: ReadonlyMap<string, Group>
  requests: AllRequests
  lateness: Sample
  reasons: Partial<Record<Outcome, ReasonCount[]>>
  contract: ContractObservations
  dialects: ReadonlySet<string>
  /** One an instance at most, by time. */
  losses: readonly TargetLoss[]
  /**
   * By instance: whether the target was there when its last execution had ended; those that did not
   * find out are not here.
   */
  probes: readonly TargetProbe[]
  clockSteps: number
  journalErrors: number
  notes: readonly string[]
  timeline: Timeline
  /** A seeded sample of ended executions, by index. */
  strips: readonly Strip[]
  samples: readonly { why: 'slowest' | 'failed' | 'random'; record: ExecutionRecord }[]
}

interface TargetProbe {
  instance: number
  usable: boolean
  /** Sent to find out; 0 where the last answer of the run was usable. */
  probes: number
  /** Status code or error class of the last answer. */
  last: string
}

export interface InstanceObservations {
  instance: number
  /** Null when that line was not seen. */
  run: RunLine | null
  finished: FinishedLine | null
  /** `ended` lines, warm-up included. */
  endedLines: number
  /** Of the requests of the measured window. */
  lateness: Sample
}

/** What one of the scenario's own functions got wrong. */
export interface ScenarioErrors {
  /** `inputs`, `tags` or `checks.NAME`. */
  part: string
  /** Of so many calls. */
  count: number
  calls: number
  /** Of the lowest index. */
  first: { index: number; message: string }
}

/**
 * The largest number of executions in flight at once: surely `least`, and never more than `most`.
 */
export interface Peak {
  least: number
  most: number
}

/** Counts and times of the measured window, or of the part of it that carries one tag. */
export interface Group {
  /** Whose outcome is known: `outcomes` sums to it. */
  arrivals: number
  outcomes: Record<Outcome, number>
  /** Started, and left without an outcome by a crash. */
  open: number
  accepted: number
  /**
   * Intended to the end known, over all that were due: who was not served waits for ever, who was
   * given up is censored.
   */
  executions: Lifetimes
  /** Intended to accepted, likewise. */
  kickoffs: Lifetimes
  completed: Sample
  /**
   * From the ledger, or the upper bound by polls; never for those of whose end the client did not
   * learn.
   */
  detection: Lifetimes
  polls: number
  wastedPolls: number
  checks: ReadonlyMap<string, CheckObservation>
  throughput: Throughput | null
}

/** Events between the end of the warm-up and the end of the arrivals, or their cut. */
export interface Throughput {
  accepted: number
  completed: number
  spanMicros: Micros
}

/** What came of neighbouring arrivals: a part of the window, in the order of the arrivals. */
export interface ArrivalBin {
  group: Group
  requests: Record<'kickoff' | 'status', RequestObservations>
}

export interface CheckObservation {
  passed: number
  failed: number
  threw: number
  /** Of the lowest index. */
  example: { index: number; text: string } | null
}

export interface RequestObservations {
  requests: number
  /**
   * Without a usable answer: not 2xx, or unreadable, or none. Those that we gave up ourselves are
   * not among them.
   */
  errors: number
  cancelled: number
  /** Requests that the retry policy sent again. */
  retries: number
  byClass: ReadonlyMap<string, { count: number; firstMicros: Micros }>
  /**
   * Of usable answers. A request that never got its answer is censored: its answer would have come
   * later, if ever.
   */
  service: Lifetimes
  /** Intended to last byte, likewise. */
  attempt: Lifetimes
  /** Service time of whole answers that were of no use. */
  refused: Sample
  socketWait: Sample
  /** Requests that were sent, and those of them that opened their connection; the warm-up's too. */
  sent: number
  fresh: number
}

interface AllRequests extends Record<'kickoff' | 'status', RequestObservations> {
  pushback: PushbackObservations
  afterLoss: AfterLossObservations
}

/** The warm-up's too. */
export interface AfterLossObservations {
  /** Some whole answer came that was neither 401, 403 nor a 5xx. */
  everAnswered: boolean
  /** When the last 2xx that could be read came; null without any. */
  lastUsableMicros: Record<'kickoff' | 'status', Micros | null>
  /** The latest first, at most 500. */
  lastErrors: readonly LastError[]
  /** By end, at most the first 1,000: those alone that were readable before. */
  lost: readonly LostExecution[]
}

export interface LastError {
  operation: 'kickoff' | 'status'
  /** Status code, or error class. */
  name: string
  atMicros: Micros
  /** Of its execution. */
  index: number
}

/**
 * It was still known when a request sent at `afterMicros` came, and known no more at `byMicros`.
 */
export interface LostExecution {
  index: number
  acceptedMicros: Micros
  afterMicros: Micros
  byMicros: Micros
}

/** Of the measured window. */
export interface PushbackObservations extends Record<'kickoff' | 'status', OperationPushback> {
  waits: { answers: number; kept: number; early: number; longestMicros: Micros }
  /** Of executions that asked anything again: how long they waited for it in all. */
  retryWait: Sample
}

interface OperationPushback {
  /** Too much for now, by code. */
  refusals: ReadonlyMap<number, RefusalObservation>
  /** Retries by what was answered before. */
  causes: ReadonlyMap<string, number>
  /** Most that were sent and not refused in a minute that had refusals. */
  admittedPerMinute: number
}

export interface RefusalObservation {
  count: number
  firstMicros: Micros
  lastMicros: Micros
  byMinute: Map<number, number>
}

export interface ReasonCount {
  reason: string
  count: number
}

interface ContractObservations {
  answers: number
  /** Polls sent after an end. */
  confirmations: number
  rules: ReadonlyMap<string, RuleObservation>
}

export interface RuleObservation {
  count: number
  /** The first by time, then index. */
  example: { atMicros: Micros; index: number; kickoffId: string | null; seen: string }
}

export interface OpenExecution {
  index: number
  instance: number
  intendedMicros: Micros
  /** Null when the kickoff's answer was not seen. */
  acceptedMicros: Micros | null
  kickoffId: string | null
}

/** What one execution cost and where its time went. */
export interface Strip {
  index: number
  kickoffId: string | null
  /** Intended to the end known. */
  totalMicros: Micros
  /** Intended to accepted. */
  kickoffMicros: Micros
  /** Upper bound by polls; null when no poll saw the end. */
  detectionMicros: Micros | null
  intendedMicros: Micros
  polls: number
  reportedSeconds: number | null
  reportedTasks: readonly { taskId: string; seconds: number }[]
}

/** Counts by interval over the whole run, warm-up included; columns of equal length. */
export interface Timeline {
  intervalMicros: Micros
  /** Arrivals that were not reached are not among them. */
  offered: readonly number[]
  /** Of those offered: what the run did not see the end of, aborted or cut. */
  unresolved: readonly number[]
  accepted: readonly number[]
  ended: readonly number[]
  /** Completed, by when they were intended, as `offered` is. */
  served: readonly number[]
  inFlight: readonly number[]
  statusAnswers: readonly number[]
  executions: readonly Sample[]
  kickoffs: readonly Sample[]
  errors: ReadonlyMap<string, readonly number[]>
}

/** One accepted or answered execution as the client tells it, to be held against the ledger. */
export interface Claim {
  index: number
  instance: number
  kickoffId: string | null
  outcome: Outcome
  outputHash: string | null
  /** Each as `name=value`. */
  tags: readonly string[]
  warmUp: boolean
  /** The true end lies in (after, by]; null when no poll saw it. */
  endedAfterMicros: Micros | null
  endedByMicros: Micros | null
  /**
   * The first answer of the stretch in which it could not be found until it was given up as lost;
   * null for any other outcome.
   */
  missingByMicros: Micros | null
}
