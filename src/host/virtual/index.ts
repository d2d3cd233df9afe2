/**
 * The virtual host: the engine's environment in virtual time, with the fake crew's model at the
 * other end of a simulated network.
 */
import type { Crew, CrewOptions } from '../../../fake-crew/model/crew.ts'
import { createCrew } from '../../../fake-crew/model/crew.ts'
import type { Followed } from '../../../fake-crew/model/followed.ts'
import type { Fault } from '../../../fake-crew/model/faults/fault.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type { Answer, Operation } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { FaultMark, FaultSpells, LedgerRow } from '../../crew/ledger.ts'
import type { Cancel, Host, SendLimits } from '../../engine/host.ts'
import type { HostVitals, JournalLine } from '../../execution/record/journal-lines.ts'
import type { Random } from '../../base/random.ts'
import type { HttpPlan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { SendingBudget } from '../../engine/sending-budget.ts'
import { ConnectionPool } from './connections.ts'
import { NetworkDraws } from './network.ts'
import { VirtualExchange } from './exchange.ts'
import type { ExchangeWorld } from './exchange.ts'
import type { Network } from './network.ts'
import type { VirtualWebhooks } from './pushes.ts'
import { PushCarrier } from './pushes.ts'
import { EventQueue } from './timeline.ts'
import type { Content, FakeRequest } from '../../../fake-crew/model/exchange.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { HeaderOptions } from '../headers.ts'
import { dealt, demandSendable, headersByToken } from '../headers.ts'

export { DEFAULT_NETWORK_NAME, describeNetwork, networkNamed, networkWords } from './network.ts'
export type { Network } from './network.ts'
export { VIRTUAL_WEBHOOKS } from './pushes.ts'

/**
 * The wall clock at which every virtual run begins, 2000-01-01T00:00:00Z in Unix milliseconds: the
 * same for all, so that the same seed gives the same bytes, and too long ago to be mistaken for a
 * real run's.
 */
const VIRTUAL_ANCHOR_UNIX_MS = Date.UTC(2000, 0, 1)

export interface VirtualHostOptions {
  /** How the crew behaves; its own seed is the root of the crew's draws. */
  profile: Profile
  /** The tokens that the crew accepts. */
  crewTokens: CrewOptions['tokens']
  /**
   * The tokens that the client sends: bearer tokens, assigned to executions in rotation by index;
   * empty sends none.
   */
  tokens: readonly string[]
  http: HttpPlan
  network: Network
  /** Root of the network's draws. */
  random: Random
  /** Writes one journal line; an exception counts as a journal error. */
  emit: (line: JournalLine) => void
  budget: SendingBudget
  /** Added to those of the profile: their times count from the run's zero. */
  faults?: readonly Fault[]
  /** How the run receives pushes. Default: not at all. */
  webhooks?: VirtualWebhooks
  /** Default `crewload`. */
  userAgent?: string
  /** Receives every answer before the engine does: for live meters. */
  onAnswer?: (operation: Operation, answer: Answer) => void
  /** The crew that several hosts load at once, without pushes. Default: one of its own. */
  crew?: VirtualCrew
}

/** A crew, and the time in which it works. */
export interface VirtualCrew {
  timeline: EventQueue
  model: Crew
}

export function createVirtualCrew(
  { profile, crewTokens }: Pick<VirtualHostOptions, 'profile' | 'crewTokens'>,
  pushesSooner: () => void = () => {},
): VirtualCrew {
  const anchorUnixMs = VIRTUAL_ANCHOR_UNIX_MS
  const model = createCrew(profile, { tokens: crewTokens, anchorUnixMs, pushesSooner })
  return { timeline: new EventQueue(), model }
}

/**
 * Nothing happens except within `advance`: there is one order of events, and a seed gives one run.
 */
export interface VirtualHost extends Host {
  /** Sets the zero of the run's clock to now; call it once, with no request in flight. */
  startClock(): void
  /** Wall clock of the run's zero, Unix milliseconds with fraction. */
  readonly anchorUnixMs: number
  /**
   * Processes at most `events` events, in order, none of them later than `spanMicros` (default:
   * unlimited) after the first; returns false if no event is left, or the run's last line is
   * written.
   */
  advance(events: number, spanMicros?: Micros): boolean
  /** After the last line: lets so much time pass, in which pushes may still come. */
  linger(micros: Micros): void
  /** The crew's ledger, on its own clock: the run's is that plus `crewOffsetMicros`, exactly. */
  ledger(): Generator<LedgerRow>
  readonly crewOffsetMicros: Micros
  faultSpells(): FaultSpells[]
  /** The latest fault marks, in order of time; `droppedFaultMarks` preceded them. */
  faultMarks(): readonly FaultMark[]
  readonly droppedFaultMarks: number
}

/** Connections are pre-opened when it returns, except those that could not be. */
export function createVirtualHost(options: VirtualHostOptions): VirtualHost {
  const host = new SimulatingHost(options)
  host.preOpen()
  return host
}

/** The data that the host keeps with a status request. */
class KeptRequest {
  readonly crew: Crew
  readonly followed: Followed

  constructor(crew: Crew, followed: Followed) {
    this.crew = crew
    this.followed = followed
  }
}

class SimulatingHost implements VirtualHost {
  readonly #options: VirtualHostOptions
  readonly #timeline: EventQueue
  readonly #wakeAt: ReturnType<EventQueue['sleeper']>
  readonly #crew: Crew
  readonly #connections: ConnectionPool
  readonly #world: ExchangeWorld
  readonly #pushes: PushCarrier
  #zeroMicros: Micros = 0
  #journalErrors = 0
  #finished = false

  constructor(options: VirtualHostOptions) {
    const { tokens, http, network } = options
    this.#options = options
    const { timeline, model } =
      options.crew ?? createVirtualCrew(options, () => this.#pushes.follow())
    this.#timeline = timeline
    this.#wakeAt = timeline.sleeper()
    this.#crew = model
    const draws = new NetworkDraws(network, options.random.fork('network'))
    this.#connections = new ConnectionPool(http, timeline, draws, () =>
      this.#crew.faults.connectionState(timeline.now),
    )
    this.#pushes = new PushCarrier({
      timeline,
      crew: this.#crew,
      draws,
      webhooks: options.webhooks ?? null,
      onRunClock: (atMicros) => atMicros - this.#zeroMicros,
      emit: (line) => this.emit(line),
    })
    const { userAgent = 'crewload' } = options
    const client = new VirtualClient({ tokens, headers: http.headers, userAgent })
    const server = new VirtualServer(VIRTUAL_ANCHOR_UNIX_MS)
    this.#world = {
      timeline,
      crew: this.#crew,
      connections: this.#connections,
      draws,
      serverTimeIncluded: network.serverTime === 'included',
      fakeRequest: (request, idleMicros) => client.fakeRequest(request, idleMicros),
      followed: (request) => this.#followed(request, client),
      headers: (reply) => server.headers(reply, timeline.now),
      onRunClock: (atMicros) => atMicros - this.#zeroMicros,
    }
  }

  /**
   * What is followed does not depend on the connection, and is found once for a request that
   * repeats.
   */
  #followed(request: CrewRequest, client: VirtualClient): Followed | null {
    const { kept } = request
    if (kept instanceof KeptRequest && kept.crew === this.#crew) return kept.followed
    if (!this.#crew.isFollowable) return null
    const fake = client.fakeRequest(request, undefined)
    const followed = this.#crew.follow(fake, this.#timeline.now)
    if (followed !== null) request.kept = new KeptRequest(this.#crew, followed)
    return followed
  }

  preOpen(): void {
    this.#connections.preOpen(this.#options.http.preOpenConnections)
    while (this.#timeline.step());
  }

  startClock(): void {
    const { now } = this.#timeline
    this.#zeroMicros = now
    this.#crew.faults.add(this.#options.faults ?? [], now)
  }

  get anchorUnixMs(): number {
    return VIRTUAL_ANCHOR_UNIX_MS + this.#zeroMicros / 1_000
  }

  unixMs(): number {
    return this.anchorUnixMs + this.now() / 1_000
  }

  get crewOffsetMicros(): Micros {
    return -this.#zeroMicros
  }

  advance(events: number, spanMicros: Micros = Infinity): boolean {
    const timeline = this.#timeline
    const latestMicros = timeline.nextDue + spanMicros
    for (let i = 0; i < events; i++) {
      if (this.#finished) return false
      if (timeline.nextDue > latestMicros) return true
      if (!timeline.step()) return false
    }
    return true
  }

  linger(micros: Micros): void {
    const untilMicros = this.#timeline.now + micros
    while (this.#timeline.nextDue <= untilMicros) this.#timeline.step()
  }

  ledger(): Generator<LedgerRow> {
    return this.#crew.ledger(this.#timeline.now)
  }

  faultSpells(): FaultSpells[] {
    return this.#crew.faults.spells(this.#timeline.now)
  }

  faultMarks(): readonly FaultMark[] {
    return this.#crew.faults.marks.all()
  }

  get droppedFaultMarks(): number {
    return this.#crew.faults.marks.dropped
  }

  now(): Micros {
    return this.#timeline.now - this.#zeroMicros
  }

  wakeAt(due: Micros, wake: () => void): void {
    this.#wakeAt(due + this.#zeroMicros, wake)
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    const { onAnswer } = this.#options
    const deliver =
      onAnswer === undefined
        ? done
        : (answer: Answer): void => {
            onAnswer(request.operation, answer)
            done(answer)
          }
    const exchange = new VirtualExchange(this.#world, request, limits, deliver)
    exchange.start()
    return () => exchange.cancel()
  }

  emit(line: JournalLine): void {
    this.#finished ||= line.type === 'finished'
    try {
      this.#options.emit(line)
    } catch {
      this.#journalErrors++
    }
  }

  get budget(): SendingBudget {
    return this.#options.budget
  }

  /** Virtual time has no event loop that could be busy and no clock that could be set. */
  vitals(): HostVitals {
    return {
      utilisationSustained: null,
      utilisationMean: null,
      connectionsOpened: this.#connections.opened,
      clockSteps: 0,
      journalErrors: this.#journalErrors,
      peakMemoryBytes: null,
    }
  }
}

/**
 * Requests and answers as HTTP would carry them: what the client adds to requests, and the server
 * to answers.
 */
type RequestHeaders = Readonly<Record<string, string>>

const LOOPBACK = '127.0.0.1'

/** The client's side: the headers that every request carries. */
class VirtualClient {
  readonly #get: readonly RequestHeaders[]
  readonly #post: readonly RequestHeaders[]

  /** Throws UserError for headers and tokens that cannot be sent. */
  constructor(options: HeaderOptions) {
    demandSendable(options)
    this.#get = headersByToken(options, 'GET').map(withCorrelation)
    this.#post = headersByToken(options, 'POST').map(withCorrelation)
  }

  /** `idleMicros`: of its connection, before the request. */
  fakeRequest(request: CrewRequest, idleMicros: Micros | undefined): FakeRequest {
    const { method, path, body, correlation } = request
    const template = dealt(method === 'GET' ? this.#get : this.#post, request)
    const headers = { ...template, 'x-correlation-id': correlation }
    return { method, path, headers, body, address: LOOPBACK, idleMicros, underway: null }
  }
}

/** A field to be overwritten: copying an object is forty times as fast as adding a field to one. */
function withCorrelation(headers: Record<string, string>): RequestHeaders {
  return Object.assign(headers, { 'x-correlation-id': '' })
}

/** The server's side: adds HTTP's `date` (RFC 9110, section 6.6.1), on the crew's wall clock. */
class VirtualServer {
  readonly #anchorUnixMs: number
  #second = -1
  #date = ''
  /** Most replies share one headers object: it is dated once a second. */
  #dated = new Map<RequestHeaders, RequestHeaders>()

  constructor(anchorUnixMs: number) {
    this.#anchorUnixMs = anchorUnixMs
  }

  headers({ headers }: Content, nowMicros: Micros): RequestHeaders {
    const second = Math.floor(nowMicros / MICROS_PER_SECOND)
    if (second !== this.#second) this.#begin(second)
    const before = this.#dated.get(headers)
    if (before !== undefined) return before
    const dated = { date: this.#date, ...headers }
    this.#dated.set(headers, dated)
    return dated
  }

  #begin(second: number): void {
    this.#second = second
    const unixMs = this.#anchorUnixMs + (second * MICROS_PER_SECOND) / MICROS_PER_MS
    this.#date = new Date(unixMs).toUTCString()
    this.#dated = new Map()
  }
}
