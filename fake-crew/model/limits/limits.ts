/**
 * All limits of a profile in front of one request: they admit it, hold it back or refuse it, and
 * report their state.
 */
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { Content, FakeRequest } from '../exchange.ts'
import { withHeaders } from '../exchange.ts'
import type { WallProfile } from '../wall-profile.ts'
import type { HeaderDialect, HeaderFields } from './headers.ts'
import { limitHeaders, retryAfter } from './headers.ts'
import type { Algorithm, AlgorithmQuota } from './definition.ts'
import { algorithmOf } from './algorithms/list.ts'
import type { LimitProfile, LimitStatus } from './profile.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import { pathOf } from '../route.ts'

export type LimitReply =
  /** The request is served after `holdMicros` of wall time. `headers` are as of the given time. */
  | { kind: 'admitted'; holdMicros: Micros; headers(nowMicros: Micros): HeaderFields }
  | ({ kind: 'refused' } & RefusedByLimit)

export interface RefusedByLimit {
  /** The name of the limit that refuses for longest. */
  limit: string
  status: LimitStatus
  headers: HeaderFields
  /** Null for the dialect's own words. */
  body: string | null
  /** Wall time until it is sent; null for as long as the operation takes. */
  afterMicros: Micros | null
}

interface Limited {
  limits: Pick<WallProfile['limits'], 'rules' | 'headers'>
}

/** Undefined for a profile without limits. */
export function createLimits(profile: Limited, anchorUnixMs: number): LimitSet | undefined {
  return profile.limits.rules.length === 0 ? undefined : new LimitSet(profile, anchorUnixMs)
}

export class LimitSet {
  readonly #limits: readonly RuleQuotas[]
  readonly #headers: HeaderDialect
  readonly #anchorUnixMs: number
  readonly #refused = new Map<string, number>()
  /** Limits that need to know when an answer has been sent. */
  readonly #waiting = new Map<FakeRequest, readonly LimitedRequest[]>()

  /** `anchorUnixMs`: wall clock at the model's time zero, Unix milliseconds. */
  constructor({ limits }: Limited, anchorUnixMs: number) {
    this.#limits = limits.rules.map(
      (rule) => new RuleQuotas(rule, algorithmOf(rule.algorithm, { anchorUnixMs })),
    )
    this.#headers = limits.headers
    this.#anchorUnixMs = anchorUnixMs
    for (const { name } of limits.rules) this.#refused.set(name, 0)
  }

  /** Requests refused so far, by the limit that refused for longest. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused
  }

  /**
   * All limits admit a request, or none does; `asked.operation` is what it asks for. Times are wall
   * times.
   */
  meet(
    request: FakeRequest,
    asked: Pick<Asker, 'operation' | 'token'>,
    nowMicros: Micros,
  ): LimitReply {
    const { path, address } = request
    const asker: Asker = { operation: asked.operation, token: asked.token, path, address }
    const met = this.#met(asker, nowMicros)
    const refusing = met.filter((limited) => limited.quota(nowMicros).remaining === 0)
    const admitted = refusing.length === 0
    const holdMicros = Math.max(0, ...met.map((limited) => limited.holdMicros(nowMicros)))
    const waiting = met.filter((limited) => limited.settle(admitted, nowMicros))
    if (waiting.length > 0) this.#waiting.set(request, waiting)
    if (!admitted) return this.#refuse(refusing, met, nowMicros)
    const headers = (micros: Micros) =>
      this.#tell(micros === nowMicros ? met : this.#met(asker, micros), micros)
    return { kind: 'admitted', holdMicros, headers }
  }

  /**
   * The answer has been sent, or the client has disconnected. A second call for the same request
   * does nothing.
   */
  finished(request: FakeRequest): void {
    const waiting = this.#waiting.get(request)
    if (waiting === undefined) return
    this.#waiting.delete(request)
    for (const limited of waiting) limited.release()
  }

  #met(asker: Asker, nowMicros: Micros): LimitedRequest[] {
    return this.#limits
      .filter(({ profile }) => profile.operations.includes(asker.operation))
      .map((limit) => limit.meet(asker, nowMicros))
  }

  /**
   * The limit that refuses for longest determines the answer; its Retry-After covers all limits
   * that the request has met.
   */
  #refuse(
    refusing: readonly LimitedRequest[],
    met: readonly LimitedRequest[],
    nowMicros: Micros,
  ): LimitReply {
    const { name, refusal } = refusing.reduce((longest, limited) =>
      waitOf(limited, nowMicros) > waitOf(longest, nowMicros) ? limited : longest,
    ).profile
    this.#refused.set(name, this.#refused.get(name)! + 1)
    const waitMicros = Math.max(...met.map((limited) => waitOf(limited, nowMicros)))
    const after = Number.isFinite(waitMicros)
      ? retryAfter(refusal.retryAfter, waitMicros, this.#unixMs(nowMicros))
      : undefined
    const headers = this.#tell(met, nowMicros)
    return {
      kind: 'refused',
      limit: name,
      status: refusal.status,
      headers: after === undefined ? headers : { ...headers, 'retry-after': after },
      afterMicros: refusal.afterMicros ?? null,
      body: refusal.body?.replaceAll('{seconds}', secondsText(waitMicros)) ?? null,
    }
  }

  #tell(met: readonly LimitedRequest[], nowMicros: Micros): HeaderFields {
    const limits = met.map((limited) => ({
      name: limited.profile.name,
      windowMicros: limited.windowMicros,
      quota: limited.quota(nowMicros),
    }))
    return limitHeaders(this.#headers, limits, this.#unixMs(nowMicros))
  }

  #unixMs(nowMicros: Micros): number {
    return this.#anchorUnixMs + nowMicros / MICROS_PER_MS
  }
}

/** Time alone may admit nothing: such a limiter has no number to write. */
function secondsText(waitMicros: Micros): string {
  return Number.isFinite(waitMicros) ? String(Math.ceil(waitMicros / MICROS_PER_SECOND)) : ''
}

/** Infinity if time alone admits nothing. */
function waitOf(limited: LimitedRequest, nowMicros: Micros): Micros {
  const { remaining, moreMicros } = limited.quota(nowMicros)
  return remaining > 0 ? 0 : (moreMicros ?? Infinity)
}

/**
 * The client that asks, and what it asks for: they decide which quota a request uses.
 */
export interface Asker {
  operation: Operation
  path: string
  token: string
  address: string
}

/**
 * This many states may accumulate before a sweep; each sweep sets the next bound to twice the
 * number still needed.
 */
const LEAST_SWEEP = 64

export class RuleQuotas {
  readonly profile: LimitProfile
  readonly #penalty: Penalty
  readonly #states = new Map<string, PenaltyState>()
  #sweepAt = LEAST_SWEEP

  constructor(profile: LimitProfile, algorithm: Algorithm<unknown>) {
    this.profile = profile
    this.#penalty = new Penalty(algorithm, profile)
  }

  /** Number of quotas in memory. */
  get size(): number {
    return this.#states.size
  }

  meet(asker: Asker, nowMicros: Micros): LimitedRequest {
    const state = this.#stateOf(this.#key(asker), nowMicros)
    return new LimitedRequest(this.profile, this.#penalty, state)
  }

  #key({ operation, path, token, address }: Asker): string {
    const { per, quota } = this.profile
    const whom = per === 'token' ? token : per === 'address' ? address : ''
    if (quota === 'shared') return whom
    return `${quota === 'each' ? operation : pathOf(path)} ${whom}`
  }

  #stateOf(key: string, nowMicros: Micros): PenaltyState {
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= this.#sweepAt) this.#forgetWhole(nowMicros)
    const state = this.#penalty.fresh()
    this.#states.set(key, state)
    return state
  }

  #forgetWhole(nowMicros: Micros): void {
    for (const [key, state] of this.#states) {
      const { fullMicros } = this.#penalty.quota(state, nowMicros)
      if (fullMicros === 0) this.#states.delete(key)
    }
    this.#sweepAt = Math.max(LEAST_SWEEP, 2 * this.#states.size)
  }
}

/** One request at one limit. Times are wall times since the model's zero. */
export class LimitedRequest {
  readonly profile: LimitProfile
  readonly #penalty: Penalty
  readonly #state: PenaltyState

  constructor(profile: LimitProfile, penalty: Penalty, state: PenaltyState) {
    this.profile = profile
    this.#penalty = penalty
    this.#state = state
  }

  /** The window, as `Algorithm` defines it. */
  get windowMicros(): Micros | null {
    return this.#penalty.algorithm.windowMicros
  }

  quota(nowMicros: Micros): AlgorithmQuota {
    return this.#penalty.quota(this.#state, nowMicros)
  }

  holdMicros(nowMicros: Micros): Micros {
    const { algorithm } = this.#penalty
    return Math.ceil(algorithm.holdMicros?.(this.#state.counted, nowMicros) ?? 0)
  }

  /**
   * The request has passed all limits, or one has refused it. Returns whether this limit needs to
   * know when its answer has been sent.
   */
  settle(admitted: boolean, nowMicros: Micros): boolean {
    if (!admitted) return this.#penalty.refuse(this.#state, nowMicros) && this.#hasRelease
    this.#penalty.admit(this.#state, nowMicros)
    return this.#hasRelease
  }

  release(): void {
    this.#penalty.algorithm.release?.(this.#state.counted)
  }

  get #hasRelease(): boolean {
    return this.#penalty.algorithm.release !== undefined
  }
}

export interface PenaltyState {
  readonly counted: unknown
  blockedUntilMicros: Micros
}

/**
 * The cost of a refusal: nothing, a count like any other request, or a time in which everything is
 * refused.
 */
export class Penalty {
  readonly algorithm: Algorithm<unknown>
  readonly #options: Pick<LimitProfile, 'rejected' | 'blockMicros'>

  constructor(
    algorithm: Algorithm<unknown>,
    options: Pick<LimitProfile, 'rejected' | 'blockMicros'>,
  ) {
    this.algorithm = algorithm
    this.#options = options
  }

  fresh(): PenaltyState {
    return { counted: this.algorithm.fresh(), blockedUntilMicros: -Infinity }
  }

  quota({ counted, blockedUntilMicros }: PenaltyState, nowMicros: Micros): AlgorithmQuota {
    const quota = this.algorithm.quota(counted, nowMicros)
    const blockedMicros = blockedUntilMicros - nowMicros
    if (blockedMicros <= 0) return quota
    const { limit, remaining, moreMicros, fullMicros } = quota
    return {
      limit,
      remaining: 0,
      moreMicros: remaining > 0 ? blockedMicros : noSooner(moreMicros, blockedMicros),
      fullMicros: noSooner(fullMicros, blockedMicros),
    }
  }

  /** A request was admitted. */
  admit({ counted }: PenaltyState, nowMicros: Micros): void {
    this.algorithm.count(counted, nowMicros)
  }

  /**
   * A request was refused, by this limit or another. Returns whether the algorithm has counted it.
   */
  refuse(state: PenaltyState, nowMicros: Micros): boolean {
    const { rejected, blockMicros } = this.#options
    const counts = rejected === 'counted'
    const blocked = nowMicros < state.blockedUntilMicros
    if (blocked ? counts : this.quota(state, nowMicros).remaining === 0) {
      state.blockedUntilMicros = nowMicros + blockMicros
    }
    if (!counts || blocked) return false
    this.algorithm.count(state.counted, nowMicros)
    return true
  }
}

function noSooner(micros: Micros | null, leastMicros: Micros): Micros | null {
  return micros === null ? null : Math.max(micros, leastMicros)
}

/** By the first character of a body, what it is; anything else is plain text. */
const TYPES: Readonly<Record<string, string>> = {
  '{': 'application/json',
  '[': 'application/json',
  '<': 'text/html',
}

/**
 * The answer to a request that limits refuse, in the words of the dialect (`own`) or of the
 * profile.
 */
export function refusedContent(own: Content, { status, headers, body }: RefusedByLimit): Content {
  if (body === null) return withHeaders(own, headers)
  const type = TYPES[body[0] ?? ''] ?? 'text/plain; charset=utf-8'
  return { status, headers: { 'content-type': type, ...headers }, body }
}
