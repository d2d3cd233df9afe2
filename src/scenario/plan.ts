/**
 * The plan: the load to put on the target, checked, with every default filled in and every time
 * divided by the speed.
 */
import type { Distribution } from '../base/distribution.ts'
import type { Micros, Rate } from '../base/units.ts'
import type { ArrivalProcess } from './arrivals/processes/index.ts'
import type { Backoff } from './backoff.ts'
import type { CrewPaths } from '../crew/request.ts'
import type { InputRecord, InputsOption, KickoffOption, TagsOption } from './inputs.ts'
import type { PollingPolicy } from './polling/index.ts'

export interface Plan {
  name: string
  description: string
  seed: number
  /**
   * Time-lapse: one second of this run represents `speed` seconds. All times below are wall times
   * and divided already (HTTP time-outs are not divided).
   */
  speed: number
  arrivals: ArrivalPlan
  /** Arrivals intended before this time run but do not count. */
  warmUpMicros: Micros
  admission: { maxInFlight: number | null; whenFull: 'queue' | 'drop' }
  /** The share of the arrivals, 0 to 1, that the generator may drop before the run is INVALID. */
  maxDropped: number
  polling: PollingPolicy
  /** Whether to obey `Retry-After` and the RateLimit fields of an answer. */
  honourRetryAfter: boolean
  retry: RetryPolicy
  /** Counts from the sending of the kickoff. */
  deadlineMicros: Micros
  /**
   * How long consecutive 404, or consecutive 401 and 403, may continue before they end an
   * execution; 0 ends it at the first one.
   */
  notFoundGraceMicros: Micros
  /**
   * The crew asks people, and may hide an execution meanwhile: "not found" after the execution was
   * seen at work means that somebody is being asked.
   */
  human: boolean
  /** The share of ended executions, 0 to 1, polled again to check that a final state is final. */
  confirmShare: number
  /** The time for which executions in flight may continue after the first stop. */
  drainMicros: Micros
  http: HttpPlan
  /** Missing if they are those of the document. */
  paths?: CrewPaths
  /** When the circuit opens, no more kickoffs are sent; null for never. */
  circuit: CircuitPolicy | null
  budget: BudgetPlan
  inputs: InputSource
  checks: readonly Check[]
  thresholds: readonly Threshold[]
  /** What a threshold that the interval leaves undecided makes of the run. */
  undecided: 'inconclusive' | 'pass' | 'fail'
  validity: ValidityPlan
}

/** Bounds on the generator itself. */
export interface ValidityPlan {
  latenessP99Micros: Micros
  /**
   * Lateness may also be as large as this share of the times by which the run is judged; 0 when the
   * scenario sets its own bound.
   */
  latenessShare: number
  utilisation: number
  littleResidual: number
}

/**
 * The target counts as dead when no usable answer came for `afterMicros` and at least `requests`
 * requests. This is real time, as are the limits of HTTP.
 */
export interface CircuitPolicy {
  afterMicros: Micros
  requests: number
}

/** The budget of a whole run; null is unlimited. */
export interface BudgetPlan {
  /** Kickoffs with their retries. */
  kickoffs: number | null
  requests: number | null
  /** Counts from the run's zero; `budgetEnds` computes when kickoffs stop. */
  wallMicros: Micros | null
}

export interface HttpPlan {
  connectTimeoutMicros: Micros
  requestTimeoutMicros: Micros
  /** The limit for the preflight and the first kickoff, which may meet a cold deployment. */
  firstCallTimeoutMicros: Micros
  maxBodyBytes: number
  maxConnections: number
  /** Connections opened before the clock starts. */
  preOpenConnections: number
  /** Idle connections are closed after this time. */
  keepAliveMicros: Micros
  /** Extra request headers with lower-case names. */
  headers: Readonly<Record<string, string>>
}

export type ArrivalPlan =
  | { kind: 'open'; segments: readonly RateSegment[]; process: ArrivalProcess }
  | {
      kind: 'closed'
      clients: number
      forMicros: Micros
      iterations: number | null
      think: Distribution
      rampUpMicros: Micros
    }
  /** Offsets from the run's zero in rising order. */
  | { kind: 'replay'; offsetsMicros: readonly Micros[] }

/**
 * The rate changes linearly from `from` to `to`; constant, ramp, steps and spike are lists of
 * these.
 */
export interface RateSegment {
  from: Rate
  to: Rate
  forMicros: Micros
}

export interface RetryPolicy {
  /** The maximum number of retries of one status request. */
  statusRetries: number
  /**
   * The maximum number of retries of one kickoff: on connect failure, 429 and 503, and in the cases
   * that `unknownKickoffs` adds.
   */
  kickoffRetries: number
  /**
   * What happens to a kickoff that may have started although no id was read: `repeat` sends it
   * again, and may pay for it twice.
   */
  unknownKickoffs: 'leave' | 'repeat'
  backoff: Backoff
  budget: RetryBudgetPolicy
}

/** Bounds the amplification by retries; see `retry-budget.ts`. */
export interface RetryBudgetPolicy {
  /** Retries per first attempt within the window, 0 to 1. */
  ratio: number
  /** Further retries that are allowed in any case. */
  minimum: number
  windowMicros: Micros
}

export interface ArrivalInputs {
  inputs: Readonly<Record<string, unknown>>
  tags: Readonly<Record<string, string>>
  /** Members of the kickoff's body beside `inputs`; missing if the scenario has none. */
  members?: InputRecord
}

/**
 * The inputs of arrival `index`: they depend only on index and seed, not on the caller or the order
 * of calls. The user's code may throw.
 */
export interface InputSource {
  (index: number): ArrivalInputs
  /** A description for people: `3 entries, in order`. */
  readonly description?: string
  /** The source of the inputs, from which they can be made again elsewhere. */
  readonly material?: InputMaterial
}

export interface InputMaterial {
  inputs: InputsOption
  /** Missing if the body has no members beside `inputs`. */
  kickoff?: KickoffOption
  tags: TagsOption
  /** Rows of the file that `inputs` names; empty when it names none. */
  rows: readonly InputRecord[]
}

export interface Check {
  name: string
  /** Called once for a completed execution. The user's code may throw. */
  passes(completed: CompletedExecution): boolean
}

export interface CompletedExecution {
  index: number
  inputs: Readonly<Record<string, unknown>>
  output: string
  tasks: readonly {
    taskId: string
    output: string
    agent: string
    executionTimeSeconds: number | null
  }[]
  executionTimeSeconds: number | null
}

export interface Threshold {
  /** A name in the metric grammar. */
  metric: string
  operator: '<' | '<=' | '>' | '>='
  /** The bound in the metric's own unit: microseconds, a share from 0 to 1, or a plain number. */
  bound: number
  /** The bound as the user wrote it: `< 500ms`. */
  text: string
  /** Stop kickoffs as soon as the threshold can no longer be met. */
  abortEarly: boolean
  /** Whether to judge by the whole 95 % interval, or by the measured value alone. */
  judge: 'interval' | 'value'
  /**
   * `default`: one of the promises that apply to what a scenario does not mention (`promises.ts`).
   */
  source: 'scenario' | 'default'
}
