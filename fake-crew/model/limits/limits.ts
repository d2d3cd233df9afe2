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
import { limitHeaders } from './headers.ts'
import type { Asker, LimitedRequest } from './rule-quotas.ts'
import { RuleQuotas } from './rule-quotas.ts'
import { algorithmOf } from './algorithms/list.ts'
import type { LimitStatus, RetryAfterForm } from './profile.ts'
import { unreachable } from '../../../src/base/assert.ts'

/**
 * Retry-After as limiters write it: correct as seconds or as a date, or wrong in ways seen in the
 * field.
 */
const MS_PER_SECOND = 1_000

/** Undefined for no header. `nowUnixMs`: the wall clock, Unix milliseconds. */
export function retryAfter(
  form: RetryAfterForm,
  waitMicros: Micros,
  nowUnixMs: number,
): string | undefined {
  const seconds = waitMicros / MICROS_PER_SECOND
  switch (form) {
    case 'seconds':
      return String(Math.ceil(seconds))
    case 'date':
      return httpDate(nowUnixMs + waitMicros / MICROS_PER_MS)
    case 'none':
      return undefined
    /** The standard does not allow this form: it is the result of `msBeforeNext / 1000`. */
    case 'fractional':
      return (Math.ceil(waitMicros / MICROS_PER_MS) / MS_PER_SECOND).toFixed(3)
    /** Half the true time: a client that obeys it is refused again. */
    case 'early':
      return String(Math.floor(seconds / 2))
    case 'unreadable':
      return 'soon'
    default:
      return unreachable(form)
  }
}

/** A date that is not before `unixMs`: rounded up to a whole second. */
function httpDate(unixMs: number): string {
  return new Date(Math.ceil(unixMs / MS_PER_SECOND) * MS_PER_SECOND).toUTCString()
}

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
    const told = met.map((limited) => ({
      name: limited.profile.name,
      windowMicros: limited.windowMicros,
      quota: limited.quota(nowMicros),
    }))
    return limitHeaders(this.#headers, told, this.#unixMs(nowMicros))
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
