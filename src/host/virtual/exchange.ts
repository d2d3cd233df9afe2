/**
 * One request and its answer over the simulated network, in three steps: the way to the crew, its
 * answer, and the way back.
 */
import { unreachable } from '../../base/assert.ts'
import type { Crew } from '../../../fake-crew/model/crew.ts'
import type {
  Answered,
  Content,
  FakeRequest,
  Reply,
  Delivery,
} from '../../../fake-crew/model/exchange.ts'
import { Held } from '../../../fake-crew/model/exchange.ts'
import type { Followed } from '../../../fake-crew/model/followed.ts'
import type { Answer, FailureClass, Timing, WholeAnswer } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { SendLimits } from '../../engine/host.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { utf8Length } from '../../base/utf8.ts'
import type { Connection, ConnectionPool, WaitingExchange } from './connections.ts'
import type { NetworkDraws, Trip } from './network.ts'
import type { Happening, EventQueue } from './timeline.ts'

/** How a reply reaches the client, depending on how the crew delivers it. */
interface AnswerArrival {
  /**
   * The time from the first byte that is sent, or would be, to the last; Infinity for an answer
   * without end.
   */
  lastsMicros: Micros
  /** The head arrives, and with it the status. */
  hasHead: boolean
  /** Null for a complete answer. */
  failure: { class: FailureClass; detail: string } | null
  /** The connection can carry another request. */
  reusable: boolean
}

const WHOLE: AnswerArrival = { lastsMicros: 0, hasHead: true, failure: null, reusable: true }

/** A restart of the crew cuts the connection before the answer is complete. */
const CUT: AnswerArrival = {
  lastsMicros: 0,
  hasHead: false,
  failure: { class: 'reset', detail: 'connection reset' },
  reusable: false,
}

function arrivalOf(delivery: Delivery): AnswerArrival {
  switch (delivery.kind) {
    case 'whole':
      return WHOLE
    case 'whole-then-reset':
      return { ...WHOLE, reusable: false }
    case 'drip':
      return { ...WHOLE, lastsMicros: delivery.overMicros }
    case 'nothing':
    case 'part':
      return broken(delivery)
    default:
      return unreachable(delivery)
  }
}

function broken(delivery: Extract<Delivery, { kind: 'nothing' | 'part' }>): AnswerArrival {
  const { kind, ending } = delivery
  const hasHead = kind === 'part'
  const at = { hasHead, reusable: false }
  switch (ending) {
    case 'reset':
      return { ...at, lastsMicros: 0, failure: { class: 'reset', detail: 'connection reset' } }
    case 'close': {
      const name = hasHead ? 'truncated' : 'closed'
      return { ...at, lastsMicros: 0, failure: { class: name, detail: 'other side closed' } }
    }
    case 'open':
      return { ...at, lastsMicros: Infinity, failure: null }
    default:
      return unreachable(ending)
  }
}

/** The context that all exchanges of one host share. */
export interface ExchangeWorld {
  readonly timeline: EventQueue
  readonly crew: Crew
  readonly connections: ConnectionPool
  readonly draws: NetworkDraws
  /** The round trip includes the server's time: the model's own latency is left out. */
  readonly serverTimeIncluded: boolean
  /**
   * `idleMicros`: time since the previous answer on the same connection; undefined for the first
   * request on it.
   */
  fakeRequest(request: CrewRequest, idleMicros: Micros | undefined): FakeRequest
  /** The execution that this status request asks for; null if the answer must be computed again. */
  followed(request: CrewRequest): Followed | null
  /** The headers as the client sees them, with HTTP's own fields added. */
  headers(reply: Content): Readonly<Record<string, string>>
  /** Converts a time of the timeline to the run's clock. */
  onRunClock(atMicros: Micros): Micros
}

/** The steps for which the queue wakes this exchange. */
type ExchangeStep =
  /** The crew sees the request. */
  | 'arrives'
  /** The crew has held it back long enough. */
  | 'served'
  /** The answer leaves the crew. */
  | 'leaves'
  /** The answer's last byte has arrived, or the client learns that the connection is gone. */
  | 'returns'

/**
 * Time must advance: a round trip takes at least this long, or a loop without pauses would run
 * forever at one time.
 */
const LEAST_MICROS = 1

export class VirtualExchange implements WaitingExchange, Happening {
  dialling = false
  readonly #world: ExchangeWorld
  readonly #request: CrewRequest
  readonly #limits: SendLimits
  readonly #done: (answer: Answer) => void
  readonly #releasedMicros: Micros
  readonly #deadlineMicros: Micros
  #connection: Connection | null = null
  #newConnection = false
  #idleMicros: Micros | undefined
  #sentMicros: Micros | null = null
  #step: ExchangeStep = 'arrives'
  #trip: Trip | null = null
  #asked: FakeRequest | null = null
  #heldReply: Held<Answered> | null = null
  #reply: Content | null = null
  #arrival: AnswerArrival | null = null
  /** When the head of the answer arrives. */
  #headMicros: Micros = Infinity
  /** When the crew learns that the client has disconnected. */
  #goneMicros: Micros = Infinity
  #watched = false
  #settled = false

  constructor(
    world: ExchangeWorld,
    request: CrewRequest,
    limits: SendLimits,
    done: (answer: Answer) => void,
  ) {
    this.#world = world
    this.#request = request
    this.#limits = limits
    this.#done = done
    this.#releasedMicros = world.timeline.now
    this.#deadlineMicros = this.#releasedMicros + limits.timeoutMicros
  }

  start(): void {
    if (!this.#world.connections.enter(this)) this.#watchDeadline()
  }

  /** The request is written; what happens to it on its way is determined here. */
  assign(connection: Connection): void {
    const { timeline, draws } = this.#world
    const sentMicros = timeline.now
    this.#connection = connection
    this.#newConnection = connection.written++ === 0
    if (!this.#newConnection) this.#idleMicros = sentMicros - connection.idleSinceMicros
    this.#sentMicros = sentMicros
    this.#trip = draws.trip(this.#request, sentMicros)
    const arrivesMicros = sentMicros + this.#trip.thereMicros
    timeline.at(arrivesMicros, this)
    if (arrivesMicros > this.#deadlineMicros) this.#watchDeadline()
  }

  happen(): void {
    switch (this.#step) {
      case 'arrives':
        return this.#arrive()
      case 'served':
        return this.#serve()
      case 'leaves':
        return this.#leave(this.#world.timeline.now)
      case 'returns':
        return this.#return()
      default:
        unreachable(this.#step)
    }
  }

  /**
   * Cancelled by the engine: the crew learns of it later, and what is in transit to the crew still
   * arrives.
   */
  cancel(): boolean {
    const isSent = this.#sentMicros !== null
    if (this.#settled) return isSent
    this.#settled = true
    const { timeline } = this.#world
    timeline.at(timeline.now, { happen: () => this.#tellFailure('cancelled', 'cancelled') })
    this.#letGo()
    return isSent
  }

  fail(name: FailureClass, detail: string): void {
    if (this.#settled) return
    this.#settled = true
    this.#letGo()
    this.#tellFailure(name, detail)
  }

  #arrive(): void {
    const { timeline, crew } = this.#world
    if (crew.faults.connectionState(timeline.now).cutMicros > this.#sentMicros!)
      this.#trip!.lost = 'there'
    if (this.#trip!.lost === 'there') return this.#goBack(timeline.now)
    const followed =
      this.#request.operation === 'status' ? this.#world.followed(this.#request) : null
    const content = followed === null ? null : followed.answer(timeline.now)
    if (content !== null) return this.#tell(content, followed!.delayMicros(content, timeline.now))
    this.#asked = this.#world.fakeRequest(this.#request, this.#idleMicros)
    this.#goOn(crew.answer(this.#asked, timeline.now))
  }

  /** A whole answer of a crew without faults, limits and restarts. */
  #tell(content: Content, takesMicros: Micros): void {
    const { timeline, serverTimeIncluded } = this.#world
    const leavesMicros = timeline.now + (serverTimeIncluded ? 0 : takesMicros)
    this.#reply = content
    this.#arrival = WHOLE
    if (this.#trip!.lost === 'no') this.#headMicros = leavesMicros + this.#trip!.backMicros
    this.#goBack(leavesMicros)
  }

  #goOn(answered: Answered): void {
    if (answered instanceof Held) this.#hold(answered)
    else this.#perform(answered)
  }

  /**
   * This is a rule of the crew, not time of its server: it counts whatever the round trip includes.
   */
  #hold(heldReply: Held<Answered>): void {
    const { timeline } = this.#world
    if (this.#isCutWithin(heldReply.holdMicros)) return
    const servedMicros = timeline.now + heldReply.holdMicros
    this.#heldReply = heldReply
    this.#step = 'served'
    timeline.at(servedMicros, this)
    this.#watchIfLate(servedMicros + this.#trip!.backMicros)
  }

  #serve(): void {
    const { now } = this.#world.timeline
    if (now >= this.#goneMicros) return
    this.#goOn(this.#heldReply!.reply(now))
  }

  #perform(reply: Reply): void {
    const { timeline, serverTimeIncluded } = this.#world
    const delayMicros = serverTimeIncluded ? (reply.addedMicros ?? 0) : reply.delayMicros
    this.#reply = reply
    this.#arrival = arrivalOf(reply.delivery)
    const lastsMicros = delayMicros + this.#arrival.lastsMicros
    if (this.#isCutWithin(lastsMicros)) return
    if (this.#arrival.hasHead && this.#trip!.lost === 'no') {
      this.#headMicros = timeline.now + delayMicros + this.#trip!.backMicros
    }
    this.#prepare(lastsMicros)
  }

  /** The crew restarts within this time: nothing else comes of this exchange. */
  #isCutWithin(micros: Micros): boolean {
    const { timeline, crew } = this.#world
    const cutInMicros = crew.faults.connectionState(timeline.now).nextCutMicros - timeline.now
    if (cutInMicros >= micros) return false
    this.#arrival = CUT
    this.#prepare(cutInMicros)
    return true
  }

  /** The crew stops waiting for a disconnected client when it learns of the disconnection. */
  #prepare(delayMicros: Micros): void {
    const { timeline, crew } = this.#world
    const leavesMicros = Math.min(timeline.now + delayMicros, this.#goneMicros)
    if (leavesMicros <= timeline.now) return this.#leave(timeline.now)
    if (leavesMicros !== Infinity) {
      if (!crew.heedsEnds && !this.#settled) return this.#leave(leavesMicros)
      timeline.at(leavesMicros, this)
    }
    this.#step = 'leaves'
    this.#watchIfLate(leavesMicros + this.#trip!.backMicros)
  }

  /** Now, or at a future time if nothing before it can depend on it. */
  #leave(atMicros: Micros): void {
    this.#world.crew.finished(this.#asked!, atMicros)
    this.#goBack(atMicros)
  }

  #goBack(leftMicros: Micros): void {
    if (this.#settled) return
    const { timeline } = this.#world
    const least = this.#releasedMicros + LEAST_MICROS
    const returnsMicros = Math.max(leftMicros + this.#trip!.backMicros, least)
    this.#step = 'returns'
    timeline.at(returnsMicros, this)
    this.#watchIfLate(returnsMicros)
  }

  #return(): void {
    if (this.#settled) return
    if (this.#trip!.lost !== 'no') return this.fail('reset', 'connection reset')
    const { failure, reusable } = this.#arrival!
    if (failure !== null) return this.fail(failure.class, failure.detail)
    const reply = this.#reply!
    const { maxBytes } = this.#limits
    if (isLonger(reply, maxBytes)) {
      return this.fail('too-large', `body over ${maxBytes} bytes`)
    }
    this.#settled = true
    if (reusable) this.#world.connections.release(this.#connection!)
    else this.#world.connections.discard()
    this.#done(new ReplyAnswer(reply, this.#world.headers(reply), this.#timing()))
  }

  #watchIfLate(doneMicros: Micros): void {
    if (doneMicros > this.#deadlineMicros && !this.#settled) this.#watchDeadline()
  }

  #watchDeadline(): void {
    if (this.#watched) return
    this.#watched = true
    this.#world.timeline.at(this.#deadlineMicros, { happen: () => this.#expire() })
  }

  #expire(): void {
    const limitMs = this.#limits.timeoutMicros / MICROS_PER_MS
    if (this.#sentMicros !== null) this.fail('timeout', `no answer after ${limitMs} ms`)
    else if (this.dialling) this.fail('connect-timeout', `no connection after ${limitMs} ms`)
    else this.fail('timeout', `still waiting for a free connection after ${limitMs} ms`)
  }

  /** Closes the connection in use, which the crew learns of; or leaves the queue. */
  #letGo(): void {
    const { timeline, connections, crew } = this.#world
    if (this.#connection === null) return connections.leave(this)
    connections.discard()
    this.#goneMicros = timeline.now + this.#trip!.thereMicros
    if (this.#step !== 'leaves' && this.#step !== 'served') return
    const asked = this.#asked!
    timeline.at(this.#goneMicros, { happen: () => crew.finished(asked, timeline.now) })
  }

  #tellFailure(name: FailureClass, detail: string): void {
    this.#done({
      kind: 'failure',
      class: name,
      detail,
      written: this.#sentMicros !== null,
      status: this.#world.timeline.now >= this.#headMicros ? this.#reply!.status : null,
      timing: this.#timing(),
    })
  }

  #timing(): Timing {
    const world = this.#world
    return {
      releasedMicros: world.onRunClock(this.#releasedMicros),
      sentMicros: this.#sentMicros === null ? null : world.onRunClock(this.#sentMicros),
      doneMicros: world.onRunClock(world.timeline.now),
      newConnection: this.#newConnection,
    }
  }
}

/**
 * Whether the reply is longer than `maxBytes` in UTF-8. A body that is certainly short enough is
 * not measured.
 */
function isLonger(reply: Content, maxBytes: number): boolean {
  if (reply.json !== undefined && mostJsonBytes(reply.json) <= maxBytes) return false
  return reply.body !== null && utf8Length(reply.body) > maxBytes
}

/** `-1.7976931348623157e+308`, and the comma after it. */
const LONGEST_NUMBER = 25
/** `\u001f`: the longest form of one UTF-16 unit; in UTF-8 it is three bytes. */
const LONGEST_UNIT = 6
/** Quotes, colon and comma, or brackets. */
const AROUND = 4

/**
 * At most the bytes of `JSON.stringify(value)` in UTF-8; the actual text is at least a sixth of it,
 * apart from its numbers.
 */
function mostJsonBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * LONGEST_UNIT + AROUND
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER
  let bytes = AROUND
  for (const key in value) {
    bytes += key.length * LONGEST_UNIT + AROUND
    bytes += mostJsonBytes((value as Record<string, unknown>)[key])
  }
  return bytes
}

/**
 * The reply as the client receives it; no text is built for a value that readers accept directly.
 */
class ReplyAnswer implements WholeAnswer {
  readonly kind = 'answer'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
  readonly timing: Timing
  readonly #reply: Content

  constructor(reply: Content, headers: Readonly<Record<string, string>>, timing: Timing) {
    this.#reply = reply
    this.status = reply.status
    this.headers = headers
    this.json = reply.json
    this.timing = timing
  }

  get body(): string {
    return this.#reply.body ?? ''
  }
}
