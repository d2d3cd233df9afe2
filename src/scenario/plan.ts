/**
 * The plan: what load to put on, checked, with every default filled in and every time divided by
 * the speed.
 */
import type { Distribution } from '../base/distribution.ts'
import type { Micros, Rate } from '../base/units.ts'
import type { ArrivalProcess } from './arrivals/processes/index.ts'
import type { InputRecord, InputsOption, TagsOption } from './define.ts'
import type { PollingPolicy } from './polling/index.ts'

export interface Plan {
  name: string
  description: string
  seed: number
  /**
   * Time-lapse: a second of this run stands for `speed` seconds. All times below are wall times,
   * divided already (HTTP time-outs are not).
   */
  speed: number
  arrivals: ArrivalPlan
  /** Arrivals intended before this point run and do not count. */
  warmUpMicros: Micros
  admission: { maxInFlight: number | null; whenFull: 'queue' | 'drop' }
  /** Share of the arrivals, 0 to 1, that the generator may drop before the run is INVALID. */
  maxDropped: number
  polling: PollingPolicy
  /** Follow `Retry-After` and the RateLimit fields of an answer. */
  honourRetryAfter: boolean
  retry: RetryPolicy
  /** From the kickoff being sent. */
  deadlineMicros: Micros
  /**
   * How long a stretch of 404, or of 401 and 403, may last before it ends an execution; 0 for not
   * at all.
   */
  notFoundGraceMicros: Micros
  /** Share of ended executions, 0 to 1, polled again to see that a final state is final. */
  confirmShare: number
  /** After the first stop, how long executions in flight may go on. */
  drainMicros: Micros
  http: HttpPlan
  /** When it opens, no more kickoffs are sent; null for never. */
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
   * Lateness may be as large as this share of the times that the run is judged by, too; 0 where the
   * scenario sets a bound of its own.
   */
  latenessShare: number
  utilisation: number
  littleResidual: number
}

/**
 * Nothing usable came for `afterMicros`, real time as the limits of HTTP are, in so many requests
 * at least: then the target counts as dead.
 */
export interface CircuitPolicy {
  afterMicros: Micros
  requests: number
}

/** What a whole run may spend; null is unlimited. */
export interface BudgetPlan {
  /** Retries included. */
  kickoffs: number | null
  requests: number | null
  /** From the run's zero: `budgetEnds` says when kickoffs stop. */
  wallMicros: Micros | null
}

export interface HttpPlan {
  connectTimeoutMicros: Micros
  requestTimeoutMicros: Micros
  /** For the preflight and the first kickoff: a cold deployment. */
  firstCallTimeoutMicros: Micros
  maxBodyBytes: number
  maxConnections: number
  /** Opened before the clock starts. */
  preOpenConnections: number
  /** Idle connections are closed after this. */
  keepAliveMicros: Micros
  /** Extra request headers, lower-case names. */
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
  /** Offsets from the run's zero, rising. */
  | { kind: 'replay'; offsetsMicros: readonly Micros[] }

/**
 * The rate runs linearly from `from` to `to`; constant, ramp, steps and spike are lists of these.
 */
export interface RateSegment {
  from: Rate
  to: Rate
  forMicros: Micros
}

export type Jitter = 'none' | 'full' | 'equal' | 'decorrelated'

export interface RetryPolicy {
  /** Attempts beyond the first, for one status request. */
  statusRetries: number
  /**
   * Attempts beyond the first, for one kickoff: on connect failure, 429 and 503, and on what
   * `unknownKickoffs` adds.
   */
  kickoffRetries: number
  /**
   * What becomes of a kickoff that may have started, though no id was read: `repeat` sends it
   * again, and may pay for it twice.
   */
  unknownKickoffs: 'leave' | 'repeat'
  backoff: { initialMicros: Micros; factor: number; maxMicros: Micros; jitter: Jitter }
  budget: RetryBudgetPolicy
}

/** It bounds amplification: `retry-budget.ts` says how. */
export interface RetryBudgetPolicy {
  /** Retries for each first attempt within the window, 0 to 1. */
  ratio: number
  /** So many more in any case. */
  minimum: number
  windowMicros: Micros
}

export interface ArrivalInputs {
  inputs: Readonly<Record<string, unknown>>
  tags: Readonly<Record<string, string>>
}

/**
 * The inputs of arrival `index`: the same for the same index and seed, whoever asks and in what
 * order. May throw: the user's code.
 */
export interface InputSource {
  (index: number): ArrivalInputs
  /** For people: `3 entries, dealt in order`. */
  readonly description?: string
  /** What it was made from, so that it can be made again elsewhere. */
  readonly material?: InputMaterial
}

export interface InputMaterial {
  inputs: InputsOption
  tags: TagsOption
  /** Rows of the file that `inputs` names; empty where it names none. */
  rows: readonly InputRecord[]
}

export interface Check {
  name: string
  /** Called once for a completed execution. May throw: the user's code. */
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
  /** A name of the metric grammar. */
  metric: string
  operator: '<' | '<=' | '>' | '>='
  /** In the metric's own unit: microseconds, a share from 0 to 1, or a plain number. */
  bound: number
  /** As the user wrote the bound: `< 500ms`. */
  text: string
  /** Stop kickoffs as soon as it cannot be met any more. */
  abortEarly: boolean
  /** By its whole 95 % interval, or by the measured value alone. */
  judge: 'interval' | 'value'
  /** `default`: one of the promises that guard what a scenario does not mention (`promises.ts`). */
  source: 'scenario' | 'default'
}
