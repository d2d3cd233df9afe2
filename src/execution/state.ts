/** The state of one execution: plain data that the machine modifies in place. */
import type { CrewRequest, ResumeForm } from '../crew/crew-request.ts'
import { createTracker } from '../crew/contract/contract.ts'
import type { ContractTracker } from '../crew/contract/contract.ts'
import type { AnswerCode, Phase, StatusObservation } from '../crew/observation.ts'
import type { Random } from '../base/random.ts'
import type { ArrivalInputs } from '../scenario/inputs.ts'
import type { PollingPace } from '../scenario/polling/index.ts'
import type { Micros } from '../base/units.ts'
import type { AskedWait, ExecutionRecord } from './record/record.ts'
import { EXECUTION_FIELDS } from './record/execution-fields.ts'
import { RequestLog, RequestMemory } from './request-log.ts'
import type { Unsent } from './record/unsent.ts'
import { createRandom } from '../base/random.ts'
import { StatusReader } from '../crew/status-reader.ts'
import type { Plan } from '../scenario/plan.ts'
import { CircuitBreaker } from '../scenario/circuit.ts'
import { RetryBudget } from '../scenario/retry.ts'

export interface DueArrival {
  /** The index of the arrival in the whole schedule, over all instances. */
  index: number
  instance: number
  /** The intended start, on the run's clock. */
  intendedMicros: Micros
  warmUp: boolean
}

type ExecutionStage =
  /** The execution has not begun: the first `due` event sends the kickoff. */
  | 'waiting'
  /** A kickoff is outstanding. */
  | 'kickoff'
  /** A kickoff got no id and is retried at `dueMicros`. */
  | 'retrying'
  /** Accepted; the next poll is due at `dueMicros`. */
  | 'pausing'
  /** A poll is outstanding. */
  | 'polling'
  /** The answer for a person is outstanding. */
  | 'resuming'
  | 'ended'

/** The target does not find the execution, or denies access to it. */
export interface UnseenStretch {
  phase: Extract<Phase, 'not-found' | 'denied'>
  sinceMicros: Micros
}

/**
 * Its own object, because few executions ask a person, and k6's engine takes twice the memory for
 * an object of more than 28 fields.
 */
export interface ReplyState {
  /** How often the present answer was sent again, and the delay before the last time. */
  retries: number
  backoffMicros: Micros
  /** The wait that its last reply asked for; Infinity if it is not sent again. */
  askedMicros: Micros
  /** The form of the last answer that was sent. */
  form: ResumeForm
  /** Answers that the crew accepted. */
  accepted: number
}

export interface Execution {
  readonly shared: SharedState
  /**
   * Filled in as things happen; complete once the execution has ended. Until a kickoff is sent, it
   * is the record of an arrival that was not reached.
   */
  readonly record: ExecutionRecord
  readonly requests: RequestLog
  /** The number of requests that were kickoffs; these are the first ones. */
  kickoffs: number
  /** One of the kickoffs got no id but may have started an execution. */
  mayHaveStarted: boolean
  /**
   * Answers that asked for a wait, by their position among all requests; null while there are none.
   */
  asked: AskedWait[] | null
  /** The wait that the last answer asked for; 0 for none. */
  askedMicros: Micros
  readonly tracker: ContractTracker
  readonly pollingRandom: Random
  readonly pace: PollingPace
  stage: ExecutionStage
  /** Kept until the end only for the checks. */
  inputs: ArrivalInputs | null
  /** The request of this stage, built once: the kickoff, then the poll. */
  request: CrewRequest | null
  /** When the outstanding or the next request is intended. */
  dueMicros: Micros
  /** When the outstanding request was released. */
  releasedMicros: Micros
  /** The deadline shortened the outstanding request's time-out. */
  clipped: boolean
  /** No request is sent at or after this time; Infinity until the first kickoff is sent. */
  deadlineMicros: Micros
  /** Retries of the current request, and the delay before the last of them. */
  retries: number
  backoffMicros: Micros
  /** The phase in the last status answer; null before the first. */
  lastPhase: Phase | null
  lastCode: AnswerCode | null
  /** What the last answer said if it is interned; null for any other, which may be large. */
  lastReading: StatusObservation | null
  /** When the last poll that did not find it was sent; null before, and once it was found again. */
  hiddenSentMicros: Micros | null
  /** The task that the status named last before the run was cut; null if nobody knows. */
  formerTask: string | null
  /** When the answer for a person is to be sent; Infinity if none is. */
  answerMicros: Micros
  /** What the run answers for people; null before the first is asked. */
  reply: ReplyState | null
  /**
   * The answers have been unreadable in this way since this time; null if the last answer was
   * readable.
   */
  stretch: UnseenStretch | null
}

/**
 * `dueMicros`: when the kickoff may be sent; later than intended only if the arrival had to wait
 * for a place in flight.
 */
export function createExecution(
  shared: SharedState,
  arrival: DueArrival,
  dueMicros: Micros = arrival.intendedMicros,
): Execution {
  return {
    shared,
    record: blankRecord(arrival),
    requests: new RequestLog(shared.requests),
    kickoffs: 0,
    mayHaveStarted: false,
    asked: null,
    askedMicros: 0,
    tracker: createTracker(),
    pollingRandom: shared.random.fork('polling', arrival.index),
    pace: { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null },
    stage: 'waiting',
    inputs: null,
    request: null,
    dueMicros,
    releasedMicros: dueMicros,
    clipped: false,
    deadlineMicros: Infinity,
    retries: 0,
    backoffMicros: 0,
    lastPhase: null,
    lastCode: null,
    lastReading: null,
    hiddenSentMicros: null,
    formerTask: null,
    answerMicros: Infinity,
    reply: null,
    stretch: null,
  }
}

/** The record of an arrival that never became an execution. */
export function unsentRecord(
  arrival: DueArrival,
  { outcome, reason }: Unsent,
  atMicros: Micros,
): ExecutionRecord {
  return { ...blankRecord(arrival), outcome, reason, endedMicros: atMicros }
}

/**
 * The record of an ended execution, which then holds none of its parts any more. Node's collector
 * spares what an old object refers to even when that object is garbage itself, and an execution has
 * grown old by its end: the columns and results of each would be copied twice before they are
 * collected, which took a quarter of a simulation.
 */
export function takeRecord({ record }: Execution): ExecutionRecord {
  const taken = { ...record }
  emptyRecord(record)
  return taken
}

export interface SharedState {
  readonly plan: Plan
  readonly runId: string
  /** Forked per execution, never drawn from. */
  readonly random: Random
  readonly retryBudget: RetryBudget
  readonly circuit: CircuitBreaker
  /** Holds the requests of the executions in flight. */
  readonly requests: RequestMemory
  /** Reads the status answers, each different one once. */
  readonly readings: Pick<StatusReader, 'read'>
  /** The wall clock, Unix milliseconds. */
  readonly unixMs: () => number
  /** An answer has arrived, whatever it said: the target is warm. */
  answered: boolean
  /** How answers for people name their ids; null while only the dialect says. */
  resumeForm: ResumeForm | null
}

/** `unixMs`: the host's; without it, dates of answers that have no `Date` are not read. */
export function createShared(
  plan: Plan,
  runId: string,
  unixMs: () => number = () => Number.NaN,
): SharedState {
  return {
    plan,
    runId,
    random: createRandom(plan.seed),
    retryBudget: new RetryBudget(plan.retry.budget),
    circuit: new CircuitBreaker(plan.circuit),
    requests: new RequestMemory(),
    readings: new StatusReader(),
    unixMs,
    answered: false,
    resumeForm: plan.people?.form ?? null,
  }
}

const NAMES = Object.keys(EXECUTION_FIELDS) as (keyof ExecutionRecord)[]

/** Without what is missing then. */
const BLANK = Object.fromEntries(
  Object.entries(EXECUTION_FIELDS).flatMap(([name, field]) =>
    'blank' in field ? [[name, field.blank]] : [],
  ),
) as unknown as ExecutionRecord

/** The record of an arrival that was not reached. */
function blankRecord({
  index,
  instance,
  intendedMicros,
  warmUp,
}: Pick<ExecutionRecord, 'index' | 'instance' | 'intendedMicros' | 'warmUp'>): ExecutionRecord {
  return { ...BLANK, index, instance, warmUp, intendedMicros, endedMicros: intendedMicros }
}

/** Takes every part out of it that is more than a number or a text. */
function emptyRecord(record: ExecutionRecord): void {
  const parts: Partial<Record<string, unknown>> = record
  for (let i = 0; i < NAMES.length; i++) {
    const name = NAMES[i]!
    if (typeof parts[name] !== 'object') continue
    if (name in BLANK) parts[name] = BLANK[name]
    else delete parts[name]
  }
}
