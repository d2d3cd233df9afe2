/**
 * The fake crew: one pure model of the whole interface. A server runs it over sockets; virtual time
 * runs it without any.
 */
import { unreachable } from '../../src/base/assert.ts'
import type { Operation } from '../../src/crew/answer.ts'
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type { Random } from '../../src/base/random.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_SECOND } from '../../src/base/units.ts'
import type { Answered, Content, FakeRequest } from './exchange.ts'
import { jsonContent, withHeaders } from './exchange.ts'
import type { RestartLoses } from './work/executions.ts'
import type { StruckCall } from './faults/strike.ts'
import { Front } from './front.ts'
import { Followed } from './followed.ts'
import type { Followable } from './followed.ts'
import type { Call, Tokens } from './call.ts'
import { operationOf, tokenReader } from './call.ts'
import { inputsOf, kickoffContent, readKickoffBody, readResumeBody } from './kickoff.ts'
import { HttpLatency } from './latency.ts'
import type { Profile } from './profile.ts'
import { DEFAULT_WEBHOOKS } from './push/profile.ts'
import type { Push } from './push/pushes.ts'
import { Pushes } from './push/pushes.ts'
import type { Refusal } from './refusal.ts'
import type { RequestJournal } from './records/journal.ts'
import { TEST_HEADER, TestedExecutions } from './records/tests.ts'
import { PathReader, pathOf } from './route.ts'
import type { StatusTeller } from './dialects/dialect.ts'
import type { ExecutionView } from './work/execution-view.ts'
import type { CountedPhase } from './work/phase-counts.ts'
import { turnOf } from './work/shared/discipline.ts'
import type { ExecutionScript } from './scripts.ts'
import { ScriptSet } from './script-set.ts'
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
  /** Records every request. Default: none are recorded. */
  journal?: RequestJournal
  /** Called when pushes may be due sooner than `nextPushMicros` said. Default: nothing. */
  pushesSooner?: () => void
}

/** With as many, all are dropped. */
const STRANGERS_KEPT = 1_000

/** The names under which refusals are recorded that are not by a limit. */
const COLD_START = 'cold start'
const FULL_QUEUE = 'queue'

export function createCrew(profile: Profile, options: CrewOptions): Crew {
  return new Crew(profile, options)
}

/** Answers every request; never throws. */
export class Crew extends Front {
  override readonly scripts: ScriptSet
  readonly #tokens: Tokens
  readonly #tests = new TestedExecutions()
  readonly #followable: Followable
  readonly #statusOf: StatusTeller
  readonly #pool: WorkerPool
  readonly #paths: PathReader
  readonly #pushes: Pushes
  readonly #latency: HttpLatency
  readonly #tokenOf = tokenReader()
  readonly #inputs: Content
  /** Requests that have no poll number of an execution to be counted by, by operation. */
  readonly #requests: Record<Operation, number> = {
    inputs: 0,
    kickoff: 0,
    status: 0,
    resume: 0,
  }
  /** Ids of no execution that were resumed all the same: the latest. */
  readonly #resumedStrangers = new Set<string>()

  constructor(
    profile: Profile,
    {
      tokens,
      random = createRandom(profile.seed),
      anchorUnixMs = 0,
      idSeed = 0,
      startMicros = 0,
      journal,
      pushesSooner = () => {},
    }: CrewOptions,
  ) {
    super(profile, { tokens, random, anchorUnixMs, startMicros, journal })
    this.#tokens = tokens
    this.scripts = new ScriptSet(this.wall, this.wall.scripts ?? [], profile.speed)
    this.#pool = new WorkerPool(
      this.wall,
      random,
      idSeed,
      (ordinal) => this.faults.forget(ordinal),
      (ordinal) => this.#pushes.stir(ordinal),
    )
    const { webhooks = DEFAULT_WEBHOOKS, tasks } = this.wall
    this.#pushes = new Pushes({
      profile: { webhooks, tasks },
      random: random.fork('pushes'),
      pool: this.#pool,
      anchorUnixMs,
      sooner: pushesSooner,
    })
    this.#statusOf = this.writer.statuses({
      profile,
      anchorUnixMs,
      idOf: (ordinal) => this.idOf(ordinal),
    })
    this.#paths = new PathReader(this.#pool.ids, profile)
    this.#latency = new HttpLatency(profile.http, random.fork('http latency'))
    this.#inputs = jsonContent(200, { inputs: profile.inputs })
    this.#followable = {
      pool: this.#pool,
      latency: this.#latency,
      traffic: this.traffic,
      statusOf: this.#statusOf,
      tellsTime: this.writer.tellsTime,
      isFollowable: () => this.isFollowable,
    }
  }

  /**
   * The time at which an answer was sent affects later answers. Where it does not, `finished` may
   * be called ahead with a future time.
   */
  get heedsEnds(): boolean {
    return this.limits !== undefined
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
      this.limits === undefined &&
      this.faults.none &&
      this.scripts.none &&
      this.profile.capacity.coldStart?.requests === undefined
    )
  }

  /** A whole crew can apply every kind of fault. */
  override check(): void {}

  answer(request: FakeRequest, nowMicros: Micros): Answered {
    const call = this.receive(request, nowMicros)
    return this.struck(call) ?? this.#waking(call) ?? this.#awake(call)
  }

  /**
   * The answer to a request that arrives while the crew is not awake. It comes from whatever stands
   * in front of the crew, before tokens are checked.
   */
  #waking(call: StruckCall): Answered | null {
    const { nowMicros } = call
    const { requests } = this.profile.capacity.coldStart ?? {}
    const operation = operationOf(call)
    if (requests === undefined || operation === null) return null
    const waitMicros = this.#pool.wake(nowMicros) - nowMicros
    if (waitMicros === 0) return null
    if (requests.kind === 'refused') {
      const { status, retryAfter } = requests
      const retryAfterSeconds = retryAfter ? Math.ceil(waitMicros / MICROS_PER_SECOND) : null
      this.noteRefusal(call, operation, { by: COLD_START, status })
      return this.reply(this.writer.refusal({ kind: 'waking', status, retryAfterSeconds }), call)
    }
    return this.held(call, operation, waitMicros, (awake) => this.#awake(awake))
  }

  #awake(call: StruckCall): Answered {
    const { limits } = this
    const passed = this.#guarded(call)
    switch (passed.kind) {
      case 'pass': {
        const { operation } = passed
        if (limits === undefined) {
          return this.reply(this.#operate(call, operation), call)
        }
        return this.limited(call, { operation, limits }, (served, headersAt) => {
          const headers = headersAt(served.nowMicros)
          const content = withHeaders(this.#operate(served, operation), headers)
          return this.reply(content, served)
        })
      }
      case 'answered':
        return this.reply(passed.content, call)
      case 'refused':
        return this.reply(this.writer.refusal(passed.refusal), call)
      default:
        return unreachable(passed)
    }
  }

  /**
   * 401 comes before anything else: no order is documented, and an unauthenticated client should
   * learn nothing. Limiters come later, so that only requests that would be performed are counted.
   */
  #guarded({ request, token, route }: Call): Guarded {
    const tokens = this.#tokens
    const isOrganization = token === tokens.organization
    if (token === undefined || (!isOrganization && token !== tokens.user)) {
      const presented = request.headers['authorization'] !== undefined
      return refused({ kind: 'unauthenticated', presented })
    }
    if (route === undefined) return refused({ kind: 'no-such-path', path: pathOf(request.path) })
    const { operation, methods } = route
    const { method } = request
    if (!methods.includes(method)) {
      return refused({ kind: 'method-not-allowed', method, allow: methods.join(', ') })
    }
    // The server as a whole (`*`) allows nothing else.
    if (method === 'OPTIONS' || operation === null) {
      const headers = { allow: methods.join(', ') }
      return { kind: 'answered', content: { status: 204, headers, body: null } }
    }
    if (isOrganization || this.profile.tokens.user[operation]) return { kind: 'pass', operation }
    return refused({ kind: 'forbidden', operation })
  }

  /**
   * The execution that this status request asks for, which a client may send again and again; null
   * if there is none, or the request is refused, or the crew is not followable.
   */
  follow(request: FakeRequest, nowMicros: Micros): Followed | null {
    if (!this.isFollowable) return null
    const call = this.receive(request, nowMicros)
    if (call.ordinal === undefined || request.method !== 'GET') return null
    const passed = this.#guarded(call)
    if (passed.kind !== 'pass' || passed.operation !== 'status') return null
    return new Followed(this.#followable, call.ordinal)
  }

  /** The true state of every execution as of `nowMicros`, in order of acceptance. */
  *ledger(nowMicros: Micros): Generator<LedgerRow> {
    this.settle(nowMicros)
    const { count } = this
    // A reader may take a while to consume the rows, and the first ones may be dropped meanwhile.
    for (let ordinal = 0; ordinal < count; ordinal++) {
      ordinal = Math.max(ordinal, this.#pool.first)
      const row = this.#pool.row(ordinal, nowMicros)
      const faults = this.faults.marks.of(ordinal)
      const test = this.#tests.of(ordinal)
      const pushes = this.#pushes.rows(ordinal)
      yield {
        ...row,
        ...(test === null ? {} : { test }),
        ...(pushes === undefined ? {} : { pushes }),
        ...(faults === undefined ? {} : { faults }),
      }
    }
  }

  /** When the next push is due, or can be decided; Infinity for never. */
  get nextPushMicros(): Micros {
    return this.#pushes.nextMicros
  }

  /** The pushes to be sent now; the host says with `pushed` how each was answered. */
  duePushes(nowMicros: Micros): Push[] {
    this.settle(nowMicros)
    return this.#pushes.take(nowMicros)
  }

  /** `status`: null if no answer came. */
  pushed(push: Push, status: number | null, nowMicros: Micros): void {
    this.#pushes.answered(push, status, nowMicros)
  }

  override forgetTest(test: string, nowMicros: Micros): void {
    super.forgetTest(test, nowMicros)
    this.scripts.clear(undefined, test)
    this.#tests.forget(test)
  }

  /** Restarts come first: an execution that they lose does not end. */
  protected override settle(nowMicros: Micros): void {
    super.settle(nowMicros)
    this.#pool.settle(nowMicros)
    this.#pushes.dropBefore(this.#pool.first)
  }

  protected override idOf(ordinal: number): string {
    return this.#pool.ids.idOf(ordinal)
  }

  protected override viewOf(ordinal: number, nowMicros: Micros): ExecutionView | null {
    return this.#pool.known(ordinal, nowMicros)
  }

  protected override tell(view: ExecutionView, nowMicros: Micros): Content {
    return this.#statusOf(view, nowMicros)
  }

  protected override restart(atMicros: Micros, loses: RestartLoses): void {
    this.#pool.restart(atMicros, loses)
  }

  protected override phases(nowMicros: Micros): Readonly<Record<CountedPhase, number>> {
    return this.#pool.census(nowMicros)
  }

  protected override receive(request: FakeRequest, nowMicros: Micros): StruckCall {
    this.settle(nowMicros)
    const { route, issued } = this.#paths.read(request.path)
    const isKnown = issued !== undefined && this.#pool.isKnown(issued, nowMicros)
    return {
      request,
      token: this.#tokenOf(request.headers['authorization']),
      route,
      ordinal: isKnown ? issued : undefined,
      test: request.headers[TEST_HEADER] ?? (isKnown ? this.#tests.of(issued) : null),
      nowMicros,
      arrivedMicros: nowMicros,
      strike: null,
      refusedBy: null,
      startedId: null,
      reported: null,
    }
  }

  #operate(call: StruckCall, operation: Operation): Content {
    switch (operation) {
      case 'inputs':
        return this.#inputs
      case 'kickoff':
        return this.#kickoff(call)
      case 'status':
        return this.#status(call)
      case 'resume':
        return this.#resume(call)
      default:
        return unreachable(operation)
    }
  }

  #kickoff(call: StruckCall): Content {
    const { request, nowMicros } = call
    const kickoff = readKickoffBody(request, this.profile)
    if (kickoff.kind !== 'kickoff') return this.writer.refusal(kickoff)
    if (call.strike?.startsNothing() === true) return kickoffContent(call.strike.kickoffId(0, ''))
    const correlation = request.headers['x-correlation-id'] ?? null
    const { body } = kickoff
    const script = this.#scriptFor(call, { body, correlation })
    const { queue } = this.wall.capacity
    const turn =
      queue === undefined ? null : turnOf(queue, this.#ownerOf(call), request.headers, body)
    const ordinal = this.#pool.admit({ body, correlation, turn }, nowMicros, call.strike, script)
    if (ordinal === null) {
      const { overLimit } = this.wall.capacity
      this.noteRefusal(call, 'kickoff', { by: FULL_QUEUE, status: overLimit.status })
      return this.writer.refusal({ kind: 'over-limit', ...overLimit })
    }
    this.#tests.add(ordinal, call.test)
    this.#pushes.watch(ordinal, body, nowMicros)
    if (script?.faults !== undefined) this.faults.addOwn(call, ordinal, script.faults)
    const id = this.idOf(ordinal)
    call.startedId = id
    const { strike } = call
    if (strike !== null) strike.ordinal = ordinal
    const content = kickoffContent(strike === null ? id : strike.kickoffId(ordinal, id))
    return withWait(content, script?.retryAfter?.kickoff)
  }

  #scriptFor(
    call: StruckCall,
    { body, correlation }: { body: string; correlation: string | null },
  ): ExecutionScript | null {
    if (this.scripts.none) return null
    const kickoff = {
      inputs: inputsOf(body),
      token: this.#ownerOf(call),
      correlation,
      ordinal: this.count,
    } as const
    const { test } = call
    return this.scripts.for(kickoff, test, this.#tests.count(test))
  }

  /** Of a call that was let in. */
  #ownerOf({ token }: StruckCall): 'organization' | 'user' {
    return token === this.#tokens.organization ? 'organization' : 'user'
  }

  #status(call: StruckCall): Content {
    const { route, ordinal, nowMicros, strike } = call
    if (ordinal === undefined) {
      const kickoffId = route?.kickoffId ?? ''
      const resumed = this.#resumedStrangers.has(kickoffId)
      return this.writer.refusal({ kind: 'no-such-execution', kickoffId, resumed })
    }
    this.#pool.polled(ordinal, nowMicros)
    const view = this.#pool.view(ordinal, nowMicros)
    const shown = strike === null ? view : strike.view(view)
    const content = this.#statusOf(shown, nowMicros)
    call.reported = shown.phase
    const wait = this.#pool.scriptOf(ordinal)?.retryAfter?.status
    return view.endedMicros === Infinity ? withWait(content, wait) : content
  }

  /**
   * Live deployments answer 200 whether or not anybody was asked, and an unknown id then ends as
   * failed. No document says what the documented dialect does: 404, as of a status.
   */
  #resume(call: StruckCall): Content {
    const { dialect } = this.profile
    const form = dialect === 'platform-2026-10' ? 'live' : 'documented'
    const resume = readResumeBody(call.request, { ...this.profile, form })
    if (resume.kind !== 'resume') return this.writer.refusal(resume)
    const { kickoffId, taskId, approved, body } = resume
    const { nowMicros } = call
    call.startedId = kickoffId
    const ordinal = this.#pool.ids.ordinalOf(kickoffId)
    if (ordinal === undefined || !this.#pool.isKnown(ordinal, nowMicros)) {
      if (dialect === 'interface') {
        return this.writer.refusal({ kind: 'no-such-execution', kickoffId })
      }
      if (this.#resumedStrangers.size === STRANGERS_KEPT) this.#resumedStrangers.clear()
      this.#resumedStrangers.add(kickoffId)
    } else if (this.#pool.askedTask(ordinal, nowMicros) === taskId) {
      this.#pushes.resumed(ordinal, body, nowMicros)
      this.#pool.resume(ordinal, approved, nowMicros)
    }
    return jsonContent(200, { message: 'Execution resumed' })
  }

  /** A path outside the interface adds no latency. */
  protected override delayMicros({ route, ordinal, nowMicros }: StruckCall): Micros {
    const operation = route?.operation ?? null
    if (operation === null) return 0
    const number =
      ordinal === undefined ? this.#requests[operation]++ : this.#pool.countPoll(ordinal)
    return this.#latency.delay(operation, ordinal, number, nowMicros)
  }
}

/** `waitMicros`: undefined for no `Retry-After`. */
function withWait(content: Content, waitMicros: Micros | undefined): Content {
  if (waitMicros === undefined) return content
  return withHeaders(content, { 'retry-after': String(waitMicros / MICROS_PER_SECOND) })
}

/** What is not allowed is answered in place of the operation. */
type Guarded =
  | { kind: 'pass'; operation: Operation }
  | { kind: 'answered'; content: Content }
  | { kind: 'refused'; refusal: Refusal }

function refused(refusal: Refusal): Guarded {
  return { kind: 'refused', refusal }
}
