/**
 * The fake crew: one pure model of the whole interface. A server runs it over sockets; virtual time
 * runs it without any.
 */
import { unreachable } from '../../src/base/assert.ts'
import type { Operation } from '../../src/crew/answer.ts'
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type { Dialect } from '../../src/crew/wire.ts'
import type { Random } from '../../src/base/random.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_SECOND } from '../../src/base/units.ts'
import type { Answered, Content, FakeRequest, Reply } from './exchange.ts'
import { Held, jsonContent, withHeaders } from './exchange.ts'
import { FaultSet } from './faults/faults.ts'
import { Followed } from './work/followed.ts'
import type { Followable } from './work/followed.ts'
import type { ServedModel } from './served-model.ts'
import type { Tokens } from './call.ts'
import type { StruckCall } from './faults/strike.ts'
import type { GuardContext } from './guards.ts'
import { operationOf, tokenReader } from './call.ts'
import { passGuards } from './guards.ts'
import { kickoffContent, readKickoffBody } from './kickoff.ts'
import { HttpLatency } from './latency.ts'
import type { LimitSet } from './limits/limits.ts'
import { createLimits, refusedContent } from './limits/limits.ts'
import { metricsText } from './records/metrics.ts'
import { ReplyBuilder } from './reply-builder.ts'
import type { Profile } from './profile.ts'
import type { WallProfile } from './wall-profile.ts'
import { wallProfile } from './wall-profile.ts'
import { RefusalCounts } from './records/refusals.ts'
import { PathReader } from './paths.ts'
import { RequestTraffic } from './records/traffic.ts'
import type { StatusTeller, DialectWriter } from './dialects/dialect.ts'
import { DIALECT_WRITERS } from './dialects/index.ts'
import { WorkerPool } from './work/worker-pool.ts'

export interface CrewOptions {
  tokens: Tokens
  /** Root of every random draw. Default: `createRandom(profile.seed)`. */
  random?: Random
  /**
   * Wall clock at the model's time zero, for the platform dialect's timestamps. Unix milliseconds;
   * default 0.
   */
  anchorUnixMs?: number
  /**
   * Kickoff ids follow from it and the seed. A different value gives ids that no other crew with
   * this seed has used. Default 0.
   */
  idSeed?: number
  /**
   * When the crew starts, on the model's clock. The times of the profile's faults count from here.
   * Default 0.
   */
  startMicros?: Micros
}

/** The name under which refusals by a waking crew are recorded, beside the names of limits. */
const COLD_START = 'cold start'

export function createCrew(profile: Profile, options: CrewOptions): Crew {
  return new Crew(profile, options)
}

/** Answers every request; never throws. */
export class Crew implements ServedModel {
  readonly profile: Profile
  readonly #wall: WallProfile
  readonly faults: FaultSet
  readonly refusals = new RefusalCounts()
  readonly #guarded: GuardContext
  readonly #writer: DialectWriter
  readonly #followable: Followable
  readonly #statusOf: StatusTeller
  readonly #pool: WorkerPool
  readonly #paths: PathReader
  readonly #latency: HttpLatency
  readonly #traffic = new RequestTraffic()
  readonly #replies: ReplyBuilder
  readonly #tokenOf = tokenReader()
  readonly #inputs: Content
  readonly #limits: LimitSet | undefined
  /** Requests that have no poll number of an execution to be counted by, by operation. */
  readonly #requests: Record<Operation, number> = { inputs: 0, kickoff: 0, status: 0 }

  constructor(
    profile: Profile,
    { tokens, random, anchorUnixMs = 0, idSeed = 0, startMicros = 0 }: CrewOptions,
  ) {
    const root = random ?? createRandom(profile.seed)
    this.profile = profile
    this.#wall = wallProfile(profile)
    this.#guarded = { profile, tokens }
    this.#writer = DIALECT_WRITERS[profile.dialect]
    const idOf = (ordinal: number): string => this.#pool.ids.idOf(ordinal)
    this.#statusOf = this.#writer.statuses({ profile, anchorUnixMs, idOf })
    this.#pool = new WorkerPool(this.#wall, root, idSeed, (ordinal) => this.faults.forget(ordinal))
    this.#paths = new PathReader(this.#pool.ids, profile)
    this.#latency = new HttpLatency(profile.http, root.fork('http latency'))
    this.#limits = createLimits(this.#wall, anchorUnixMs)
    const { dialect, speed } = profile
    this.faults = new FaultSet(
      {
        dialect,
        tokens,
        anchorUnixMs,
        idOf,
        truth: {
          view: (ordinal, nowMicros) => this.#pool.known(ordinal, nowMicros),
          tell: this.#statusOf,
        },
        refuse: (refusal) => this.#writer.refusal(refusal),
      },
      { random: root.fork('faults'), speed },
      (atMicros, loses) => this.#pool.restart(atMicros, loses),
    )
    this.faults.add(profile.faults, startMicros)
    this.#replies = new ReplyBuilder(this.#traffic, this.faults, idOf)
    this.#inputs = jsonContent(200, { inputs: profile.inputs })
    this.#followable = this.#asFollowable()
  }

  /**
   * The time at which an answer was sent affects later answers. Where it does not, `finished` may
   * be called ahead with a future time.
   */
  get heedsEnds(): boolean {
    return this.#limits !== undefined
  }

  #asFollowable(): Followable {
    return {
      pool: this.#pool,
      latency: this.#latency,
      traffic: this.#traffic,
      statusOf: this.#statusOf,
      tellsTime: this.#writer.tellsTime,
      isFollowable: () => this.isFollowable,
    }
  }

  /** Executions accepted so far. */
  get count(): number {
    return this.#pool.count
  }

  /**
   * Whether all status requests for an execution are answered alike: the crew has no limits and no
   * faults, and neither holds back nor refuses requests while it wakes.
   */
  get isFollowable(): boolean {
    return (
      this.#limits === undefined &&
      this.faults.none &&
      this.profile.capacity.coldStart?.requests === undefined
    )
  }

  /** A whole crew can apply every kind of fault. */
  check(): void {}

  answer(request: FakeRequest, nowMicros: Micros): Answered {
    const call = this.#receive(request, nowMicros)
    if (!this.faults.quiet) {
      call.strike = this.faults.strike(call)
      const instead = call.strike?.instead() ?? null
      if (instead !== null) return this.#reply(instead, call)
    }
    return this.#waking(call) ?? this.#awake(call, nowMicros)
  }

  /**
   * The answer to a request that arrives while the crew is not awake. It comes from whatever stands
   * in front of the crew, before tokens are checked.
   */
  #waking(call: StruckCall): Answered | null {
    const { request, nowMicros, strike } = call
    const { requests } = this.profile.capacity.coldStart ?? {}
    const operation = operationOf(call)
    if (requests === undefined || operation === null) return null
    const waitMicros = this.#pool.wake(nowMicros) - nowMicros
    if (waitMicros === 0) return null
    if (requests.kind === 'refused') {
      const { status, retryAfter } = requests
      const retryAfterSeconds = retryAfter ? Math.ceil(waitMicros / MICROS_PER_SECOND) : null
      this.refusals.note(call, { operation, limit: COLD_START, status })
      return this.#reply(this.#writer.refusal({ kind: 'waking', status, retryAfterSeconds }), call)
    }
    this.#traffic.hold(request, operation, nowMicros)
    return new Held(waitMicros, (laterMicros) =>
      this.#awake({ ...this.#receive(request, laterMicros), strike }, nowMicros),
    )
  }

  #awake(call: StruckCall, arrivedMicros: Micros): Answered {
    const passed = passGuards(call, this.#guarded)
    switch (passed.kind) {
      case 'pass':
        return this.#limits === undefined
          ? this.#reply(this.#operate(call, passed.operation), call, arrivedMicros)
          : this.#limited(call, passed.operation, this.#limits, arrivedMicros)
      case 'answered':
        return this.#reply(passed.content, call, arrivedMicros)
      case 'refused':
        return this.#reply(this.#writer.refusal(passed.refusal), call, arrivedMicros)
      default:
        return unreachable(passed)
    }
  }

  /**
   * The execution that this status request asks for, which a client may send again and again; null
   * if there is none, or the request is refused, or the crew is not followable.
   */
  follow(request: FakeRequest, nowMicros: Micros): Followed | null {
    if (!this.isFollowable) return null
    const call = this.#receive(request, nowMicros)
    if (call.ordinal === undefined || request.method !== 'GET') return null
    const passed = passGuards(call, this.#guarded)
    if (passed.kind !== 'pass' || passed.operation !== 'status') return null
    return new Followed(this.#followable, call.ordinal)
  }

  finished(request: FakeRequest, nowMicros: Micros): void {
    this.#traffic.end(request, nowMicros)
    this.#limits?.finished(request)
  }

  /** The true state of every execution as of `nowMicros`, in order of acceptance. */
  *ledger(nowMicros: Micros): Generator<LedgerRow> {
    this.#settle(nowMicros)
    const { count } = this
    // A reader may take a while to consume the rows, and the first ones may be dropped meanwhile.
    for (let ordinal = 0; ordinal < count; ordinal++) {
      ordinal = Math.max(ordinal, this.#pool.first)
      const row = this.#pool.row(ordinal, nowMicros)
      const faults = this.faults.marks.of(ordinal)
      yield faults === undefined ? row : { ...row, faults }
    }
  }

  metrics(nowMicros: Micros): string {
    this.#settle(nowMicros)
    return metricsText({
      traffic: this.#traffic,
      phases: this.#pool.census(nowMicros),
      refused: this.#limits?.refused,
      touched: this.faults.touched(),
      dropped: { faultMarks: this.faults.marks.dropped, refusals: this.refusals.dropped },
    })
  }

  /** Restarts come first: an execution that they lose does not end. */
  #settle(nowMicros: Micros): void {
    this.faults.settle(nowMicros)
    this.#pool.settle(nowMicros)
  }

  #receive(request: FakeRequest, nowMicros: Micros): StruckCall {
    this.#settle(nowMicros)
    const { route, issued } = this.#paths.read(request.path)
    const isKnown = issued !== undefined && this.#pool.isKnown(issued, nowMicros)
    return {
      request,
      token: this.#tokenOf(request.headers['authorization']),
      route,
      ordinal: isKnown ? issued : undefined,
      nowMicros,
      strike: null,
    }
  }

  /** A request that was held back is handled when its time comes, as if it had arrived then. */
  #limited(
    call: StruckCall,
    operation: Operation,
    limits: LimitSet,
    arrivedMicros: Micros,
  ): Reply | Held {
    const { request, token = '', nowMicros } = call
    const verdict = limits.meet(request, { operation, token }, nowMicros)
    if (verdict.kind === 'refused') {
      this.refusals.note(call, { operation, ...verdict })
      const refusal = this.#writer.refusal({ kind: 'rate-limited', status: verdict.status })
      const delayMicros = verdict.afterMicros ?? this.#delayMicros(call)
      const content = refusedContent(refusal, verdict)
      return this.#replies.reply(content, call, delayMicros, arrivedMicros)
    }
    const reply = (served: StruckCall): Reply => {
      const headers = verdict.headers(served.nowMicros)
      return this.#reply(
        withHeaders(this.#operate(served, operation), headers),
        served,
        arrivedMicros,
      )
    }
    if (verdict.holdMicros === 0) return reply(call)
    this.#traffic.hold(request, operation, arrivedMicros)
    const { strike } = call
    return new Held(verdict.holdMicros, (laterMicros) =>
      reply({ ...this.#receive(request, laterMicros), strike }),
    )
  }

  #operate(call: StruckCall, operation: Operation): Content {
    switch (operation) {
      case 'inputs':
        return this.#inputs
      case 'kickoff':
        return this.#kickoff(call)
      case 'status':
        return this.#status(call)
      default:
        return unreachable(operation)
    }
  }

  #kickoff(call: StruckCall): Content {
    const { request, nowMicros, strike } = call
    const kickoff = readKickoffBody(request, this.profile)
    if (kickoff.kind !== 'kickoff') return this.#writer.refusal(kickoff)
    if (strike?.startsNothing() === true) return kickoffContent(strike.kickoffId(0, ''))
    const correlation = request.headers['x-correlation-id'] ?? null
    const ordinal = this.#pool.admit(kickoff.body, correlation, nowMicros, strike)
    if (ordinal === null) {
      const { overLimit } = this.#wall.capacity
      this.refusals.note(call, { operation: 'kickoff', limit: null, status: overLimit.status })
      return this.#writer.refusal({ kind: 'over-limit', ...overLimit })
    }
    const id = this.#pool.ids.idOf(ordinal)
    if (strike === null) return kickoffContent(id)
    strike.ordinal = ordinal
    return kickoffContent(strike.kickoffId(ordinal, id))
  }

  #status({ route, ordinal, nowMicros, strike }: StruckCall): Content {
    if (ordinal === undefined) {
      const kickoffId = route?.kickoffId ?? ''
      return this.#writer.refusal({ kind: 'no-such-execution', kickoffId })
    }
    const view = this.#pool.view(ordinal, nowMicros)
    return this.#statusOf(strike === null ? view : strike.view(view), nowMicros)
  }

  #reply(content: Content, call: StruckCall, arrivedMicros = call.nowMicros): Reply {
    return this.#replies.reply(content, call, this.#delayMicros(call), arrivedMicros)
  }

  /** A path outside the interface adds no latency. */
  #delayMicros({ route, ordinal, nowMicros }: StruckCall): Micros {
    const operation = route?.operation ?? null
    if (operation === null) return 0
    const number =
      ordinal === undefined ? this.#requests[operation]++ : this.#pool.countPoll(ordinal)
    return this.#latency.delay(operation, ordinal, number, nowMicros)
  }
}

/**
 * The answer when the model itself failed: a bug of ours, reported in the interface's own format.
 */
export function internalError(dialect: Dialect): Content {
  return DIALECT_WRITERS[dialect].refusal({ kind: 'internal' })
}
