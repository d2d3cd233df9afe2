/** The profile: how the fake crew behaves, validated, with every default filled in. */
import type { Distribution } from '../../src/base/distribution.ts'
import type { CrewPaths } from '../../src/crew/request.ts'
import type { Dialect } from '../../src/crew/wire.ts'
import type { Fault } from './faults/fault.ts'
import type { HeaderDialect } from './limits/header-dialects/list.ts'
import type { LimitProfile } from './limits/profile.ts'
import type { WakingStatus } from './refusal.ts'
import type { WorkProfile } from './work/profile.ts'
import type { QuotaProfile } from './work/shared/quota.ts'
import type { ScalingProfile } from './work/shared/scaling.ts'
import type { SlowdownProfile } from './work/shared/slowdown.ts'
import type { TokensProfile } from './work/shared/tokens.ts'

/**
 * Times are in microseconds of the crew's own time: `wallProfile` divides them by the speed (HTTP
 * latency stays real).
 */
export interface Profile extends WorkProfile {
  name: string
  /** One second of wall time is `speed` seconds of the crew's time. */
  speed: number
  description: string
  seed: number
  dialect: Dialect
  /** Names of the inputs that `GET /inputs` lists and a kickoff must contain. */
  inputs: readonly string[]
  /** Those of them that a kickoff may lack; missing if there are none. */
  optionalInputs?: readonly string[]
  /** Missing if they are those of the document. */
  paths?: CrewPaths
  /**
   * What progress counts in the dialect `platform`; steps have no known total. Missing: tasks.
   */
  progress?: 'step'
  capacity: CapacityProfile
  http: HttpProfile
  /** The time, in the crew's time, after which ended executions answer 404; null keeps them. */
  retentionMicros: number | null
  tokens: TokenProfile
  limits: LimitsProfile
  /** Empty: the crew behaves correctly. */
  faults: readonly Fault[]
}

export interface CapacityProfile {
  /**
   * Executions that run at once, at first; the rest wait, first come, first served. Null: no limit.
   */
  workers: number | null
  /** Executions that may wait; one more is answered with `overLimit`. Null: no limit. */
  queueLimit: number | null
  overLimit: { status: 429 | 503; retryAfterSeconds: number | null }
  /** Null: no cold start. */
  coldStart: ColdStartProfile | null
  /** What executions share beside workers; each is missing where they do not. */
  quota?: QuotaProfile
  tokens?: TokensProfile
  slowdown?: SlowdownProfile
  /** Missing: the number of workers does not change. */
  scaling?: ScalingProfile
}

/**
 * The crew sleeps after `idleMicros` without work, and is ready `delay` after the request that
 * wakes it.
 */
export interface ColdStartProfile {
  delay: Distribution
  idleMicros: number
  /**
   * Missing: every request is answered at once, and only executions wake the crew and wait for it.
   */
  requests?: WakingRequests
}

/**
 * Requests also wake the crew and keep it awake. While it wakes, they are answered late (when it is
 * awake) or refused.
 */
export type WakingRequests =
  | { kind: 'late' }
  /** `retryAfter`: the header gives the remaining time until the crew is awake. */
  | { kind: 'refused'; status: WakingStatus; retryAfter: boolean }

/** Real wall times, in microseconds: the time-lapse does not shorten the network. */
export interface HttpProfile {
  latency: { inputs: Distribution; kickoff: Distribution; status: Distribution }
  /**
   * Requests served at once; the rest wait in turn, so that latency grows with load. Null: no pool.
   */
  pool: { size: number } | null
}

export interface LimitsProfile {
  bodyBytes: number
  /** The headers that every answer behind a limit carries. */
  headers: HeaderDialect
  /** A request passes all of the limits that count its operation, or none. */
  rules: readonly LimitProfile[]
}

interface TokenProfile {
  /** What a user token may do; an organization token may do everything. */
  user: { inputs: boolean; kickoff: boolean; status: boolean }
}
