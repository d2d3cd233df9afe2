/**
 * What a fake crew and its proxy have in common: faults, limits, and what is recorded of requests,
 * in front of executions or of a target.
 */
import type { Operation } from '../../src/crew/answer.ts'
import type { DialectName } from '../../src/crew/wire.ts'
import type { Random } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import { utf8Length } from '../../src/base/utf8.ts'
import type { Tokens, Call } from './call.ts'
import type { DialectWriter } from './dialects/dialect.ts'
import { interfaceWriter } from './dialects/interface.ts'
import { platformWriter } from './dialects/platform.ts'
import type { Content, FakeRequest, Reply } from './exchange.ts'
import { ContentReply, Held, WHOLE } from './exchange.ts'
import type { RestartLoses } from './work/executions.ts'
import type { Fault } from './faults/fault.ts'
import { FaultSet } from './faults/faults.ts'
import type { StruckCall } from './faults/strike.ts'
import type { HeaderFields } from './limits/headers.ts'
import type { LimitSet } from './limits/limits.ts'
import { createLimits, refusedContent } from './limits/limits.ts'
import type { Profile } from './profile.ts'
import type { RequestJournal } from './records/journal.ts'
import { metricsText } from './records/metrics.ts'
import { RequestTraffic } from './records/traffic.ts'
import type { WallProfile } from './wall-profile.ts'
import { wallProfile } from './wall-profile.ts'
import type { ExecutionView } from './work/execution-view.ts'
import type { ScriptSet } from './script-set.ts'
import type { CountedPhase } from './work/phase-counts.ts'
import type { RefusalMark } from '../../src/crew/ledger.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import { LatestItems } from '../../src/base/collections/latest-items.ts'

const DIALECT_WRITERS: Readonly<Record<DialectName, DialectWriter>> = {
  interface: interfaceWriter,
  platform: platformWriter,
  'platform-2026-10': platformWriter,
}

export interface FrontOptions {
  /** Null: the target knows which tokens are valid. */
  tokens: Tokens | null
  /** Root of every random draw. */
  random: Random
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
  /** When it starts, on the model's clock: the times of the profile's faults count from here. */
  startMicros: Micros
  /** Records every request. Default: none are recorded. */
  journal?: RequestJournal | undefined
}

/** The headers of the limits that a request has met, as of a time. */
export type HeadersAt = (nowMicros: Micros) => HeaderFields

/**
 * Times are microseconds on the host's clock since the model's time zero, and must not decrease
 * from one request to the next.
 */
export abstract class Front {
  readonly profile: Profile
  /** The profile's faults at first; they can be added and cleared at any time. */
  readonly faults: FaultSet
  /** Null if the executions are those of a target. */
  abstract readonly scripts: ScriptSet | null
  readonly refusals = new RefusalCounts()
  readonly journal: RequestJournal | undefined
  readonly #tokens: Tokens | null
  protected readonly wall: WallProfile
  protected readonly writer: DialectWriter
  protected readonly limits: LimitSet | undefined
  protected readonly traffic = new RequestTraffic()

  constructor(
    profile: Profile,
    { tokens, random, anchorUnixMs, startMicros, journal }: FrontOptions,
  ) {
    const { dialect, speed } = profile
    this.profile = profile
    this.journal = journal
    this.#tokens = tokens
    this.wall = wallProfile(profile)
    this.writer = DIALECT_WRITERS[dialect]
    this.limits = createLimits(this.wall, anchorUnixMs)
    this.faults = new FaultSet(
      {
        dialect,
        tokens,
        anchorUnixMs,
        idOf: (ordinal) => this.idOf(ordinal),
        view: (ordinal, nowMicros) => this.viewOf(ordinal, nowMicros),
        tell: (view, nowMicros) => this.tell(view, nowMicros),
        refuse: (refusal) => this.writer.refusal(refusal),
      },
      { random: random.fork('faults'), speed },
      (atMicros, loses) => this.restart(atMicros, loses),
    )
    this.check(profile.faults)
    this.faults.add(profile.faults, startMicros)
  }

  /** Throws UserError for faults that cannot be added here. */
  abstract check(faults: readonly Fault[]): void

  /** Every ordinal has an id, including ordinals that no execution has. */
  protected abstract idOf(ordinal: number): string
  /** Null for an execution that is forgotten, or that a real target has. */
  protected abstract viewOf(ordinal: number, nowMicros: Micros): ExecutionView | null
  /** The status answer about an execution. */
  protected abstract tell(view: ExecutionView, nowMicros: Micros): Content
  protected abstract restart(atMicros: Micros, loses: RestartLoses): void
  protected abstract receive(request: FakeRequest, nowMicros: Micros): StruckCall
  /** How long the answer takes without any fault. */
  protected abstract delayMicros(call: StruckCall): Micros
  /** Null if the executions are those of a target. */
  protected abstract phases(nowMicros: Micros): Readonly<Record<CountedPhase, number>> | null

  /** The reply to this request (the same object) has been sent, or its client has disconnected. */
  finished(request: FakeRequest, nowMicros: Micros): void {
    this.traffic.end(request, nowMicros)
    this.limits?.finished(request)
  }

  /** Ends the faults of a test, and forgets its requests. */
  forgetTest(test: string, nowMicros: Micros): void {
    this.faults.clear(nowMicros, undefined, test)
    this.journal?.forget(test)
  }

  /** Metrics in the Prometheus text format. */
  metrics(nowMicros: Micros): string {
    this.settle(nowMicros)
    return metricsText({
      traffic: this.traffic,
      phases: this.phases(nowMicros),
      refused: this.limits?.refused,
      touched: this.faults.touched(),
      dropped: {
        faults: this.faults.marks.dropped,
        refusals: this.refusals.dropped,
        ...(this.journal === undefined ? {} : { requests: this.journal.dropped }),
      },
    })
  }

  protected settle(nowMicros: Micros): void {
    this.faults.settle(nowMicros)
  }

  /** Lets the faults strike; returns the answer of one that answers in place of the operation. */
  protected struck(call: StruckCall): Reply | null {
    if (this.faults.quiet) return null
    call.strike = this.faults.strike(call)
    const instead = call.strike?.instead() ?? null
    return instead === null ? null : this.reply(instead, call)
  }

  /** The limits refuse a request, hold it back, or let it be served. */
  protected limited<Served>(
    call: StruckCall,
    { operation, limits }: { operation: Operation; limits: LimitSet },
    serve: (served: StruckCall, headersAt: HeadersAt) => Served,
  ): Served | Reply | Held<Served> {
    const { request, token = '', nowMicros } = call
    const verdict = limits.meet(request, { operation, token }, nowMicros)
    if (verdict.kind === 'refused') {
      this.noteRefusal(call, operation, { by: verdict.limit, status: verdict.status })
      const refusal = this.writer.refusal({ kind: 'rate-limited', status: verdict.status })
      const delayMicros = verdict.afterMicros ?? this.delayMicros(call)
      return this.reply(refusedContent(refusal, verdict), call, nowMicros, delayMicros)
    }
    const headersAt: HeadersAt = (micros) => verdict.headers(micros)
    if (verdict.holdMicros === 0) return serve(call, headersAt)
    return this.held(call, operation, verdict.holdMicros, (served) => serve(served, headersAt))
  }

  /** A request that waits is handled when its time comes, as if it had arrived then. */
  protected held<Served>(
    call: StruckCall,
    operation: Operation,
    holdMicros: Micros,
    serve: (served: StruckCall) => Served,
  ): Held<Served> {
    const { request, strike, arrivedMicros } = call
    this.traffic.hold(request, operation, arrivedMicros)
    return new Held(holdMicros, (laterMicros) =>
      serve({ ...this.receive(request, laterMicros), strike, arrivedMicros }),
    )
  }

  /** Applies faults and HEAD to an answer as of `nowMicros`, and records what is sent. */
  protected reply(
    content: Content,
    call: StruckCall,
    nowMicros = call.nowMicros,
    delayMicros = this.delayMicros(call),
  ): Reply {
    const { request, route, strike, arrivedMicros } = call
    const shown = strike === null ? content : strike.content(content)
    this.traffic.begin(request, route?.operation ?? 'other', shown.status, arrivedMicros)
    const sent = request.method === 'HEAD' ? withoutBody(shown) : shown
    if (strike === null) {
      const reply = new ContentReply(sent, delayMicros, WHOLE)
      if (this.journal !== undefined) this.record(call, reply, nowMicros)
      return reply
    }
    const reply = strike.reply(sent, delayMicros)
    const { ordinal } = strike
    this.faults.mark(strike, call, ordinal === undefined ? null : this.idOf(ordinal))
    this.record(call, reply, nowMicros)
    return reply
  }

  /** `by`: the name of a limit, or another cause of refusal. */
  protected noteRefusal(
    call: StruckCall,
    operation: Operation,
    { by, status }: { by: string; status: number },
  ): void {
    this.refusals.note(call, { operation, refused_by: by, status })
    call.refusedBy = by
  }

  protected record(
    call: StruckCall,
    { status, headers, delayMicros, delivery }: Omit<Reply, 'body'>,
    nowMicros: Micros,
  ): void {
    this.journal?.add(
      call,
      {
        status: delivery.kind === 'nothing' ? null : status,
        headers,
        startedId: call.startedId,
        answeredMicros: nowMicros + delayMicros,
      },
      this.#tokens,
    )
  }
}

/** The answer to HEAD: the headers of GET, including its length (RFC 9110, section 9.3.2). */
function withoutBody({ status, headers, body }: Content): Content {
  if (body === null) return { status, headers, body }
  const length = String(utf8Length(body))
  return { status, headers: { ...headers, 'content-length': length }, body: null }
}

/**
 * The answer when the model itself failed: a bug of ours, reported in the interface's own format.
 */
export function internalError(dialect: DialectName): Content {
  return DIALECT_WRITERS[dialect].refusal({ kind: 'internal' })
}

/** All of them are counted in the metrics. */
const REFUSALS_KEPT = 100_000

class RefusalCounts {
  readonly #marks = new LatestItems<RefusalMark>(REFUSALS_KEPT)

  note(
    { request, route, nowMicros }: Call,
    refused: Pick<RefusalMark, 'operation' | 'refused_by' | 'status'>,
  ): void {
    this.#marks.add({
      ...refused,
      at_ms: nowMicros / MICROS_PER_MS,
      correlation: request.headers['x-correlation-id'] ?? null,
      kickoff_id: route === undefined || route.kickoffId === '' ? null : route.kickoffId,
    })
  }

  /** Refusals that are no longer kept. */
  get dropped(): number {
    return this.#marks.dropped
  }

  all(): readonly RefusalMark[] {
    return this.#marks.all()
  }
}
