/** The profile: how the fake crew behaves, checked, with every default filled in. */
import type { Distribution } from '../../src/base/distribution.ts'
import type { Dialect } from '../../src/crew/wire.ts'
import type { Fault } from './faults/fault.ts'
import type { HeaderDialect } from './limits/headers.ts'
import type { LimitProfile } from './limits/profile.ts'

/**
 * Times in microseconds of the crew's own time: `speed` divides them when the model draws (HTTP
 * latency stays real).
 */
export interface Profile {
  name: string
  description: string
  seed: number
  /** A second of wall time is `speed` seconds of the crew's. */
  speed: number
  dialect: Dialect
  /** Names of the inputs that `GET /inputs` lists and a kickoff must carry. */
  inputs: readonly string[]
  tasks: readonly TaskProfile[]
  /**
   * Chance, 0 to 1, that an execution never ends: it stays running in its last task and holds its
   * worker.
   */
  stuckChance: number
  capacity: CapacityProfile
  http: HttpProfile
  /** Ended executions answer 404 after this; null keeps them. In the crew's time. */
  retentionMicros: number | null
  tokens: TokenProfile
  limits: LimitsProfile
  /** None of them: the crew does what it should. */
  faults: readonly Fault[]
}

interface TaskProfile {
  id: string
  agent: string
  /** Microseconds. */
  duration: Distribution
  failure: { chance: number; message: string }
  /** Bytes of the task's output. */
  output: Distribution
}

export interface CapacityProfile {
  /** Executions that run at once; the rest waits, first come, first served. Null: no limit. */
  workers: number | null
  /** Executions that may wait; one more is answered with `overLimit`. Null: no limit. */
  queueLimit: number | null
  overLimit: { status: 429 | 503; retryAfterSeconds: number | null }
  /** Null: never cold. */
  coldStart: ColdStartProfile | null
}

/** The crew sleeps after `idleMicros` without work, and is ready `delay` after what wakes it. */
export interface ColdStartProfile {
  delay: Distribution
  idleMicros: number
  /**
   * Missing: every request is answered at once, and executions alone wake the crew and wait for it.
   */
  requests?: WakingRequests
}

/**
 * Requests wake the crew too, keep it awake, and hear of it while it wakes: they are answered when
 * it is awake, or refused.
 */
export type WakingRequests =
  | { kind: 'late' }
  /** `retryAfter`: the header tells how long the crew still takes. */
  | { kind: 'refused'; status: WakingStatus; retryAfter: boolean }

/** What stands in front of an instance that does not answer yet says one of these. */
export const WAKING_STATUSES = [502, 503, 504] as const
export type WakingStatus = (typeof WAKING_STATUSES)[number]

/** Real wall times, in microseconds: the time-lapse does not shorten the network. */
export interface HttpProfile {
  latency: { inputs: Distribution; kickoff: Distribution; status: Distribution }
  /**
   * Requests served at once; the rest waits its turn, so that latency grows with load. Null: no
   * pool.
   */
  pool: { size: number } | null
}

export interface LimitsProfile {
  bodyBytes: number
  /** What every answer behind a limit tells of it. */
  headers: HeaderDialect
  /** A request passes all of those that count its operation, or none. */
  rules: readonly LimitProfile[]
}

interface TokenProfile {
  /** What a user token may do; an organization token may do everything. */
  user: { inputs: boolean; kickoff: boolean; status: boolean }
}
