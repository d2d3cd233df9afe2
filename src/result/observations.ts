/**
 * Everything that the lines of a run add up to, before any judgement: the recorder's output and the
 * analysis's input.
 */
import type { FinishedLine, RunLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { MissingInputs } from '../crew/inputs/words.ts'
import type { RunNote } from '../execution/record/notes.ts'
import type { TargetLoss } from '../scenario/target-loss.ts'
import type { Micros } from '../base/units.ts'
import type { ReasonCount } from './document.ts'
import type { Lifetimes, Sample } from './statistics/sample.ts'
import type { AnswerCode } from '../crew/observation.ts'
import type { MeasuredOperation } from '../crew/answer.ts'

export interface Observations {
  /** One per instance, by instance number. */
  runs: readonly RunLine[]
  finished: readonly FinishedLine[]
  /** In order of instance number; a missing one left no line. */
  instances: readonly InstanceObservations[]
  /** The latest time on the run's clock in any line. */
  lastSeenMicros: Micros
  /** `ended` lines, including the warm-up. */
  endedLines: number
  /** Sum of (ended - accepted) over all accepted records, in execution-microseconds. */
  inFlightSumMicros: number
  /** Null while the run is in progress. */
  inFlight: Peak | null
  /** Started and not ended: left by a crash. */
  open: readonly OpenExecution[]
  /** Executions that `crewload resume` continued. */
  resumed: number
  /** When the run was first cut before it was resumed; null if it was not. */
  cutMicros: Micros | null
  /** False where a resumption only asked again about executions that waited for people. */
  wasCut: boolean
  /**
   * The time from which arrivals were no longer sent: a budget was spent, the run was stopped or
   * cut, or the target was lost. Null if all were sent.
   */
  lastDueMicros: Micros | null
  warmUpArrivals: number
  /** How often each occurred; outcomes that never occurred are missing. */
  warmUpOutcomes: Partial<Record<Outcome, number>>
  /** Errors of the scenario's functions, warm-up included; empty if the functions worked. */
  scenarioErrors: readonly ScenarioErrors[]
  /** The number of warm-up arrivals that were aborted before their end. */
  warmUpAborted: number
  /** Claims that the ledger contradicts, of this many rows; null without a ledger. */
  ledgerWrong: { wrong: number; rows: number } | null
  window: Group
  /** The window in the order of its arrivals; empty if that is unknown. */
  series: readonly ArrivalBin[]
  /** Keyed by `name=value`. */
  tags: ReadonlyMap<string, Group>
  requests: AllRequests
  lateness: Sample
  /** How long completed executions of the window were at work, as the crew reports. */
  reported: Sample
  reasons: Partial<Record<Outcome, ReasonCount[]>>
  contract: ContractObservations
  dialects: ReadonlySet<string>
  /** The losses of the target, at most one for each instance, in order of time. */
  losses: readonly TargetLoss[]
  /**
   * Says for each instance whether the target still answered when its last execution had ended;
   * instances that did not find out are missing.
   */
  probes: readonly TargetProbe[]
  clockSteps: number
  /** Lines that could not be written. */
  journalErrors: number
  /** Why the first of them could not; null if there was none, or nobody said why. */
  journalTrouble: string | null
  notes: readonly RunNote[]
  /** Inputs that the crew lists and the scenario does not give. */
  missingInputs: MissingInputs & { hasAccepted: boolean }
  timeline: Timeline
  /** A seeded sample of ended executions, by index. */
  strips: readonly Strip[]
  samples: readonly { why: 'slowest' | 'failed' | 'random'; record: ExecutionRecord }[]
}

interface TargetProbe {
  instance: number
  usable: boolean
  /** Requests sent to find out; 0 if the last answer of the run was usable. */
  probes: number
  last: AnswerCode
}

export interface InstanceObservations {
  instance: number
  /** Null if that line was not seen. */
  run: RunLine | null
  finished: FinishedLine | null
  /** `ended` lines, including the warm-up. */
  endedLines: number
  /** Lateness of the requests in the measured window. */
  lateness: Sample
}

/** Errors of one of the scenario's own functions. */
export interface ScenarioErrors {
  /** `inputs`, `tags` or `checks.NAME`. */
  part: string
  /** The number of calls. */
  count: number
  calls: number
  /** The message of the arrival with the lowest index. */
  first: { index: number; message: string }
}

/**
 * The largest number of executions in flight at once: at least `least`, and never more than `most`.
 */
export interface Peak {
  least: number
  most: number
}

/** Counts and times of the measured window, or of the part of it with one tag. */
export interface Group {
  /** Arrivals whose outcome is known: `outcomes` sums to it. */
  arrivals: number
  outcomes: Record<Outcome, number>
  /** Started, but left without an outcome by a crash. */
  open: number
  accepted: number
  /**
   * Intended to the end known, over all arrivals that were due: an unserved one waits forever, an
   * aborted one is censored.
   */
  executions: Lifetimes
  /** Intended to accepted, in the same way. */
  kickoffs: Lifetimes
  completed: Sample
  /**
   * Detection delays: from the ledger, or the upper bound by polls; never for executions whose end
   * the client did not learn.
   */
  detection: Lifetimes
  polls: number
  wastedPolls: number
  /** Completed without a final output, or with an empty one. */
  withoutOutput: number
  checks: ReadonlyMap<string, CheckObservation>
  throughput: Throughput | null
}

/** Events between the end of the warm-up and the end of the arrivals, or their cut. */
export interface Throughput {
  accepted: number
  completed: number
  spanMicros: Micros
}

/** The outcomes of neighbouring arrivals: a part of the window, in the order of the arrivals. */
export interface ArrivalBin {
  group: Group
  requests: Record<MeasuredOperation, RequestObservations>
}

export interface CheckObservation {
  passed: number
  failed: number
  threw: number
  /** The text of the arrival with the lowest index. */
  example: { index: number; text: string } | null
}

export interface RequestObservations {
  requests: number
  /**
   * Requests without a usable answer: not 2xx, unreadable, or none. Requests that we cancelled
   * ourselves are not included.
   */
  errors: number
  cancelled: number
  /** Requests that the retry policy sent. */
  retries: number
  byClass: ReadonlyMap<AnswerCode, { count: number; firstMicros: Micros }>
  /**
   * Service times of usable answers. A request that never got its answer is censored: the answer
   * would have come later, if at all.
   */
  service: Lifetimes
  /** Intended to last byte, in the same way. */
  attempt: Lifetimes
  /** Service time of complete but unusable answers. */
  refused: Sample
  socketWait: Sample
  /**
   * Requests that were sent, and how many of them opened their connection; including the warm-up.
   */
  sent: number
  fresh: number
}

interface AllRequests extends Record<MeasuredOperation, RequestObservations> {
  pushback: PushbackObservations
  afterLoss: AfterLossObservations
}

/** What was observed after a loss, warm-up included. */
export interface AfterLossObservations {
  /** Some complete answer was neither 401, 403 nor a 5xx. */
  everAnswered: boolean
  /** When the last readable 2xx came; null if none did. */
  lastUsableMicros: Record<MeasuredOperation, Micros | null>
  /** The latest first, at most 500. */
  lastErrors: readonly LastError[]
  /** At most the first 1,000 by their end; only executions that were readable before. */
  lost: readonly LostExecution[]
}

export interface LastError {
  operation: MeasuredOperation
  answer: AnswerCode
  atMicros: Micros
  /** Index of its execution. */
  index: number
}

/**
 * A lost execution was still known to a request sent at `afterMicros`, and no longer known at
 * `byMicros`.
 */
export interface LostExecution {
  index: number
  acceptedMicros: Micros
  afterMicros: Micros
  byMicros: Micros
}

/** The refusals and retries of the measured window. */
export interface PushbackObservations extends Record<MeasuredOperation, OperationPushback> {
  waits: { answers: number; kept: number; early: number; longestMicros: Micros }
  /** The same of answers that refused nothing. */
  hints: { answers: number; kept: number; longestMicros: Micros }
  /** The total wait for retries of each execution that had any. */
  retryWait: Sample
}

interface OperationPushback {
  /** Refusals that asked the client to slow down, by code. */
  refusals: ReadonlyMap<number, RefusalObservation>
  /** Retries by the answer that was retried. */
  causes: ReadonlyMap<string, number>
  /** The most that were sent and not refused in a minute with refusals. */
  admittedPerMinute: number
}

export interface RefusalObservation {
  count: number
  firstMicros: Micros
  lastMicros: Micros
  byMinute: Map<number, number>
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
  /** Null if the kickoff's answer was not seen. */
  acceptedMicros: Micros | null
  kickoffId: string | null
}

/** The cost of one execution and where its time went. */
export interface Strip {
  index: number
  kickoffId: string | null
  /** Intended to the end known. */
  totalMicros: Micros
  /** Intended to accepted. */
  kickoffMicros: Micros
  /** Upper bound by polls; null if no poll saw the end. */
  detectionMicros: Micros | null
  intendedMicros: Micros
  polls: number
  reportedSeconds: number | null
  reportedTasks: readonly { taskId: string; seconds: number }[]
}

/** Counts by interval over the whole run, including the warm-up; columns of equal length. */
export interface Timeline {
  intervalMicros: Micros
  /** Arrivals, without those that were not reached. */
  offered: readonly number[]
  /**
   * Offered executions whose end was not seen, because they were aborted or cut, or a person had
   * not answered.
   */
  unresolved: readonly number[]
  accepted: readonly number[]
  ended: readonly number[]
  /** Completed, by when they were intended, as `offered` is. */
  served: readonly number[]
  /** When a client last learned that an execution completed; null if none did. */
  lastCompletedMicros: Micros | null
  inFlight: readonly number[]
  statusAnswers: readonly number[]
  executions: readonly Sample[]
  kickoffs: readonly Sample[]
  errors: ReadonlyMap<string, readonly number[]>
}

/** One accepted or answered execution as the client saw it, to be compared with the ledger. */
export interface Claim {
  index: number
  instance: number
  kickoffId: string | null
  outcome: Outcome
  outputHash: string | null
  /** Each as `name=value`. */
  tags: readonly string[]
  warmUp: boolean
  /** The true end lies in (after, by]; null if no poll saw it. */
  endedAfterMicros: Micros | null
  endedByMicros: Micros | null
  /**
   * The first of the consecutive answers that did not find it, until it was considered lost; null
   * for any other outcome.
   */
  missingByMicros: Micros | null
  /** When the client stopped following it, because it ended or was given up. */
  endedMicros: Micros
}

/** What metrics are measured from: a recorder can give it while the run goes on. */
export type Measurable = Pick<
  Observations,
  'window' | 'series' | 'requests' | 'lateness' | 'contract' | 'inFlight' | 'ledgerWrong' | 'probes'
>
