/**
 * The limits and faults of a profile in front of a real target: one pure model, which a proxy runs.
 */
import { assert } from '../../src/base/assert.ts'
import { demandNone } from '../../src/base/mistakes.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import { bearerToken, operationOf } from './call.ts'
import type { Content, FakeRequest, Held, Reply } from './exchange.ts'
import { WHOLE, jsonContent, withHeaders } from './exchange.ts'
import { needsExecutions } from './faults/definition.ts'
import { isObject } from '../../src/crew/json.ts'
import type { Fault } from './faults/fault.ts'
import { definitionOf } from './faults/kinds/list.ts'
import { TEST_HEADER } from './records/tests.ts'
import type { StruckCall } from './faults/strike.ts'
import type { FrontOptions, HeadersAt } from './front.ts'
import { Front } from './front.ts'
import { kickoffContent } from './kickoff.ts'
import type { HeaderFields } from './limits/headers.ts'
import type { Profile } from './profile.ts'
import { matchRoute } from './route.ts'
import type { KickoffIdCode } from './work/kickoff-id.ts'
import { createKickoffIds } from './work/kickoff-id.ts'

export interface GatewayOptions extends Omit<FrontOptions, 'tokens' | 'random'> {
  /** The seed of the ids, as in a crew; here they name no execution. */
  idSeed: number
}

/**
 * A request that is forwarded to the target, and what happens to the answer on its way back.
 * Exactly one of the three methods must be called, once; none if the client has disconnected.
 */
export interface ForwardedRequest {
  kind: 'forwarded'
  /**
   * Requests the whole answer as text, for `replies`; an answer that is not text or too long passes
   * unchanged.
   */
  reads: boolean
  /** The answer passes unchanged except for these headers. */
  passes(status: number, nowMicros: Micros): HeaderFields
  /** The whole answer is here as text; returns what is sent in its place. */
  replies(content: Content, nowMicros: Micros): Reply
  /** There is no answer; `why` is a phrase within a sentence. */
  fails(why: string, nowMicros: Micros): Reply
}

/**
 * Of the profile, it uses only `limits.rules`, `limits.headers`, `faults`, `dialect`, `speed` and
 * `seed`.
 */
export class Gateway extends Front {
  override readonly scripts = null
  readonly #known = new KnownIds((ordinal) => this.faults.forget(ordinal))
  readonly #strangers: KickoffIdCode

  /** Throws UserError for faults that cannot be applied in front of a target. */
  constructor(profile: Profile, { idSeed, ...times }: GatewayOptions) {
    const random = createRandom(profile.seed)
    super(profile, { tokens: null, random, ...times })
    this.#strangers = createKickoffIds(random.fork('kickoff id', idSeed))
  }

  /** Throws UserError that names what needs executions: scripts, and faults. */
  override check(faults: readonly Fault[]): void {
    const mistakes = faults.flatMap(({ name, what }, index) => {
      const refused = definitionOf(what).proxyProblem?.(what) ?? null
      if (refused === null) return []
      const { problem } = refused
      const path = `faults[${index}].${what.kind}`
      return [{ source: 'proxy', path, found: JSON.stringify(name), problem }]
    })
    const { scripts = [] } = this.profile
    const script = { source: 'proxy', path: 'scripts', problem: needsExecutions().problem }
    demandNone(scripts.length === 0 ? mistakes : [script, ...mistakes])
  }

  /**
   * Returns a reply to a request that the target never sees; a request to forward to the target; or
   * a wait for one of them.
   */
  meet(
    request: FakeRequest,
    nowMicros: Micros,
  ): Reply | ForwardedRequest | Held<Reply | ForwardedRequest> {
    const call = this.receive(request, nowMicros)
    const instead = this.struck(call)
    if (instead !== null) return instead
    const { limits } = this
    const operation = operationOf(call)
    return limits === undefined || operation === null
      ? this.#send(call, () => ({}))
      : this.limited(call, { operation, limits }, (served, headersAt) =>
          this.#send(served, headersAt),
        )
  }

  protected override idOf(ordinal: number): string {
    return this.#known.idOf(ordinal) ?? this.#strangers.idOf(ordinal)
  }

  protected override viewOf(): null {
    return null
  }

  protected override tell(): never {
    assert(false, 'a gateway has no executions to tell of')
  }

  protected override restart(): void {}

  protected override phases(): null {
    return null
  }

  protected override delayMicros(): Micros {
    return 0
  }

  protected override receive(request: FakeRequest, nowMicros: Micros): StruckCall {
    this.settle(nowMicros)
    const route = matchRoute(request.path, this.profile.paths)
    const ordinal =
      route?.operation === 'status' ? this.#known.ordinalOf(route.kickoffId) : undefined
    const token = bearerToken(request.headers['authorization'])
    return {
      request,
      token,
      route,
      ordinal,
      test: request.headers[TEST_HEADER] ?? null,
      nowMicros,
      arrivedMicros: nowMicros,
      strike: null,
      refusedBy: null,
      startedId: null,
      reported: null,
    }
  }

  #send(call: StruckCall, headersAt: HeadersAt): Reply | ForwardedRequest {
    const { request, route, strike, arrivedMicros } = call
    const operation = route?.operation ?? 'other'
    const out = (content: Content, sender: StruckCall, nowMicros: Micros): Reply =>
      this.reply(withHeaders(content, headersAt(nowMicros)), sender, nowMicros)
    if (operation === 'kickoff' && strike?.startsNothing() === true) {
      return out(kickoffContent(strike.kickoffId(0, '')), call, call.nowMicros)
    }
    this.traffic.hold(request, operation, arrivedMicros)
    return {
      kind: 'forwarded',
      reads: strike !== null || (operation === 'kickoff' && !this.faults.quiet),
      passes: (status, nowMicros) => {
        this.traffic.begin(request, operation, status, arrivedMicros)
        const headers = headersAt(nowMicros)
        const passed = { status, headers, delayMicros: 0, delivery: WHOLE }
        this.record(call, passed, nowMicros)
        return headers
      },
      replies: (content, nowMicros) =>
        out(
          operation === 'kickoff' ? this.#learn(content, call, nowMicros) : content,
          call,
          nowMicros,
        ),
      fails: (why, nowMicros) =>
        out(this.writer.refusal({ kind: 'no-target', why }), { ...call, strike: null }, nowMicros),
    }
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
    const shown = strike.kickoffId(ordinal, id)
    return shown === id ? content : jsonContent(status, { ...json, kickoff_id: shown }, headers)
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
