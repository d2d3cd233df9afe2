/**
 * The limits and faults of a profile in front of a real target: one pure model, which a proxy runs.
 */
import type { Operation } from '../../../src/crew/answer.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Content, FakeRequest, Reply } from '../exchange.ts'
import { Held, jsonContent, withHeaders } from '../exchange.ts'
import { isObject } from '../faults/effect.ts'
import { FaultSet } from '../faults/faults.ts'
import type { ServedModel } from '../served-model.ts'
import type { StruckCall } from '../faults/strike.ts'
import { bearerToken, operationOf } from '../call.ts'
import { kickoffContent } from '../kickoff.ts'
import { createKickoffIds } from '../work/kickoff-id.ts'
import type { HeaderFields } from '../limits/headers.ts'
import type { LimitSet } from '../limits/limits.ts'
import { wallProfile } from '../wall-profile.ts'
import { createLimits, refusedContent } from '../limits/limits.ts'
import { metricsText } from '../records/metrics.ts'
import { ReplyBuilder } from '../reply-builder.ts'
import type { Profile } from '../profile.ts'
import { RefusalCounts } from '../records/refusals.ts'
import { matchRoute } from '../route.ts'
import { RequestTraffic } from '../records/traffic.ts'
import type { DialectWriter } from '../dialects/dialect.ts'
import { DIALECT_WRITERS } from '../dialects/index.ts'
import { ForwardedRequest } from './forwarded.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import type { Fault } from '../faults/fault.ts'
import { definitionOf } from '../faults/kinds/list.ts'

/** Throws UserError that names every fault that cannot. */
function checkFit(faults: readonly Fault[]): void {
  const mistakes = faults.flatMap(({ name, what }, index) => {
    const problem = definitionOf(what).proxyProblem(what)
    if (problem === null) return []
    const path = `faults[${index}].${what.kind}`
    return [{ source: 'proxy', path, found: JSON.stringify(name), problem }]
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
}

export interface GatewayOptions {
  /** Wall clock at the model's time zero. Unix milliseconds. */
  anchorUnixMs: number
  /** The seed of the ids, as in a crew; here they name no execution. */
  idSeed: number
  /** When it starts, on the model's clock: the times of the profile's faults count from here. */
  startMicros: Micros
}

/** The headers of the limits that a request has met, as of a time. */
type HeadersAt = (nowMicros: Micros) => HeaderFields

/**
 * Of the profile, it uses only `limits.rules`, `limits.headers`, `faults`, `dialect`, `speed` and
 * `seed`.
 */
export class Gateway implements ServedModel {
  readonly profile: Profile
  readonly faults: FaultSet
  readonly refusals = new RefusalCounts()
  readonly #writer: DialectWriter
  readonly #limits: LimitSet | undefined
  readonly #known = new KnownIds((ordinal) => this.faults.forget(ordinal))
  readonly #traffic = new RequestTraffic()
  readonly #replies: ReplyBuilder

  /** Throws UserError for faults that cannot be applied in front of a target. */
  constructor(profile: Profile, { anchorUnixMs, idSeed, startMicros }: GatewayOptions) {
    const { dialect, speed } = profile
    const root = createRandom(profile.seed)
    const strangers = createKickoffIds(root.fork('kickoff id', idSeed))
    const idOf = (ordinal: number): string => this.#known.idOf(ordinal) ?? strangers.idOf(ordinal)
    this.profile = profile
    this.#writer = DIALECT_WRITERS[dialect]
    this.#limits = createLimits(wallProfile(profile), anchorUnixMs)
    this.faults = new FaultSet(
      {
        dialect,
        tokens: { organization: '', user: '' },
        anchorUnixMs,
        idOf,
        truth: null,
        refuse: (refusal) => this.#writer.refusal(refusal),
      },
      { random: root.fork('faults'), speed },
      () => {},
    )
    this.check(profile.faults)
    this.faults.add(profile.faults, startMicros)
    this.#replies = new ReplyBuilder(this.#traffic, this.faults, idOf)
  }

  check(faults: Profile['faults']): void {
    checkFit(faults)
  }

  /**
   * Returns a reply to a request that the target never sees; a request to forward to the target; or
   * a wait for one of them.
   */
  meet(
    request: FakeRequest,
    nowMicros: Micros,
  ): Reply | ForwardedRequest | Held<Reply | ForwardedRequest> {
    const call = this.#receive(request, nowMicros)
    if (!this.faults.quiet) {
      call.strike = this.faults.strike(call)
      const instead = call.strike?.instead() ?? null
      if (instead !== null) return this.#replies.reply(instead, call, 0, nowMicros)
    }
    const operation = operationOf(call)
    return this.#limits === undefined || operation === null
      ? this.#send(call, () => ({}), nowMicros)
      : this.#limited(call, operation, this.#limits)
  }

  finished(request: FakeRequest, nowMicros: Micros): void {
    this.#traffic.end(request, nowMicros)
    this.#limits?.finished(request)
  }

  metrics(nowMicros: Micros): string {
    this.faults.settle(nowMicros)
    return metricsText({
      traffic: this.#traffic,
      phases: null,
      refused: this.#limits?.refused,
      touched: this.faults.touched(),
      dropped: { faultMarks: this.faults.marks.dropped, refusals: this.refusals.dropped },
    })
  }

  #receive(request: FakeRequest, nowMicros: Micros): StruckCall {
    this.faults.settle(nowMicros)
    const route = matchRoute(request.path, this.profile.paths)
    const ordinal =
      route?.operation === 'status' ? this.#known.ordinalOf(route.kickoffId) : undefined
    const token = bearerToken(request.headers['authorization'])
    return { request, token, route, ordinal, nowMicros, strike: null }
  }

  #limited(
    call: StruckCall,
    operation: Operation,
    limits: LimitSet,
  ): Reply | ForwardedRequest | Held<Reply | ForwardedRequest> {
    const { request, token = '', nowMicros, strike } = call
    const verdict = limits.meet(request, { operation, token }, nowMicros)
    if (verdict.kind === 'refused') {
      this.refusals.note(call, { operation, ...verdict })
      const refusal = this.#writer.refusal({ kind: 'rate-limited', status: verdict.status })
      return this.#replies.reply(refusedContent(refusal, verdict), call, 0, nowMicros)
    }
    const headersAt: HeadersAt = (micros) => verdict.headers(micros)
    if (verdict.holdMicros === 0) return this.#send(call, headersAt, nowMicros)
    this.#traffic.hold(request, operation, nowMicros)
    return new Held(verdict.holdMicros, (laterMicros) =>
      this.#send({ ...this.#receive(request, laterMicros), strike }, headersAt, nowMicros),
    )
  }

  #send(call: StruckCall, headersAt: HeadersAt, arrivedMicros: Micros): Reply | ForwardedRequest {
    const { request, route, strike } = call
    const operation = route?.operation ?? 'other'
    const out = (content: Content, sender: StruckCall, nowMicros: Micros): Reply =>
      this.#replies.reply(withHeaders(content, headersAt(nowMicros)), sender, 0, arrivedMicros)
    if (operation === 'kickoff' && strike?.startsNothing() === true) {
      return out(kickoffContent(strike.kickoffId(0, '')), call, call.nowMicros)
    }
    this.#traffic.hold(request, operation, arrivedMicros)
    const reads = strike !== null || (operation === 'kickoff' && !this.faults.quiet)
    return new ForwardedRequest(reads, {
      passes: (status, nowMicros) => {
        this.#traffic.begin(request, operation, status, arrivedMicros)
        return headersAt(nowMicros)
      },
      replies: (content, nowMicros) =>
        out(
          operation === 'kickoff' ? this.#learn(content, call, nowMicros) : content,
          call,
          nowMicros,
        ),
      fails: (why, nowMicros) =>
        out(this.#writer.refusal({ kind: 'no-target', why }), { ...call, strike: null }, nowMicros),
    })
  }

  /**
   * A kickoff was answered: its execution is known from now on, and may be reported under another
   * id.
   */
  #learn(content: Content, { strike }: StruckCall, nowMicros: Micros): Content {
    const { status, headers, json } = content
    const id = isObject(json) ? json['kickoff_id'] : undefined
    if (!isObject(json) || typeof id !== 'string' || status < 200 || status > 299) return content
    const ordinal = this.#known.add(id)
    if (strike === null) return content
    strike.ordinal = ordinal
    strike.acceptedMicros = nowMicros
    const told = strike.kickoffId(ordinal, id)
    return told === id ? content : jsonContent(status, { ...json, kickoff_id: told }, headers)
  }
}

/** The number of ids kept. Older ids are treated as if they had never been seen. */
const IDS_KEPT = 100_000

class KnownIds {
  readonly #ordinals = new Map<string, number>()
  readonly #ids = new Map<number, string>()
  readonly #forgotten: (ordinal: number) => void
  #count = 0

  /** `forgotten` is called with each number whose id is dropped. */
  constructor(forgotten: (ordinal: number) => void) {
    this.#forgotten = forgotten
  }

  /** Adds an id, and returns its number, counted from 0. */
  add(id: string): number {
    const known = this.#ordinals.get(id)
    if (known !== undefined) return known
    const ordinal = this.#count++
    this.#ordinals.set(id, ordinal)
    this.#ids.set(ordinal, id)
    this.#forget(ordinal - IDS_KEPT)
    return ordinal
  }

  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id)
  }

  idOf(ordinal: number): string | undefined {
    return this.#ids.get(ordinal)
  }

  #forget(ordinal: number): void {
    const id = this.#ids.get(ordinal)
    if (id === undefined) return
    this.#ids.delete(ordinal)
    this.#ordinals.delete(id)
    this.#forgotten(ordinal)
  }
}
