/**
 * One request and its answer through `http.asyncRequest`: whatever k6 returns becomes exactly one
 * Answer.
 */
import type { Answer, FailedRequest, FailureClass } from '../../crew/answer.ts'
import { CONNECT_FAILURES, detailFrom } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { SendLimits } from '../../engine/host.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import { isLonger, withoutByteOrderMark } from '../../base/utf8.ts'
import { assert } from '../../base/assert.ts'
import { Agenda } from '../../base/collections/agenda.ts'
import type { Sleeper } from '../../base/collections/agenda.ts'
import { Waker } from '../waker.ts'
import { K6Timer } from './clock.ts'
import type { K6Params, K6Response, World } from './world.ts'
import { messageOf } from '../../base/text.ts'

/** The context that all exchanges of one host share. */
export interface K6ExchangeContext {
  world: World
  now: () => Micros
  slots: RequestSlots
  expiries: Expiries
  /** The time that a request may take if nothing cuts it short. */
  requestTimeoutMicros: Micros
  /** Base URL without a trailing slash. */
  base: string
  /** The parameters of a request for k6, besides its address and body. */
  paramsFor: (request: CrewRequest, timeoutMs: number) => K6Params
  /** Removes tokens from a detail. */
  redact: (detail: string) => string
  /** Receives every answer except cancelled ones. */
  saw: (answer: Answer) => void
}

/**
 * k6 logs a warning for each request that it gives up, and a run may end with a thousand polls cut
 * short by deadlines. Those are ended here, and their answers, which mostly arrive a moment later,
 * are dropped. This is how much longer k6 waits for them.
 */
const LATE_ANSWER_MS = 2_000

export class K6Exchange implements Sleeper {
  /** When it is ended; Infinity while nothing but k6 limits its time. */
  wakeMicros: Micros = Infinity
  readonly #context: K6ExchangeContext
  readonly #request: CrewRequest
  readonly #limits: SendLimits
  readonly #done: (answer: Answer) => void
  readonly #releasedMicros: Micros
  /** Null while it waits for a free connection. */
  #passedMicros: Micros | null = null
  #settled = false

  constructor(
    context: K6ExchangeContext,
    request: CrewRequest,
    limits: SendLimits,
    done: (answer: Answer) => void,
  ) {
    this.#context = context
    this.#request = request
    this.#limits = limits
    this.#done = done
    this.#releasedMicros = context.now()
    if (!context.slots.acquire(this)) this.#limit()
  }

  /** The gate lets it pass: k6 sends it, and opens a connection if none is free. */
  pass(): void {
    const { world, base, paramsFor, now, expiries, requestTimeoutMicros } = this.#context
    const { timeoutMicros } = this.#limits
    // The clock has just been read where the gate was open.
    const passedMicros = this.wakeMicros === Infinity ? this.#releasedMicros : now()
    this.#passedMicros = passedMicros
    const isCut = timeoutMicros < requestTimeoutMicros
    if (isCut) this.#limit()
    else expiries.remove(this)
    const leftMicros = this.#releasedMicros + timeoutMicros - passedMicros
    const leftMs = Math.max(1, leftMicros / MICROS_PER_MS)
    const request = this.#request
    const params = paramsFor(request, isCut ? leftMs + LATE_ANSWER_MS : leftMs)
    const answered = world.request(request.method, base + request.path, request.body, params)
    void answered.then(
      (response) => this.#answered(response, passedMicros),
      (reason: unknown) => this.#failed(rejectionOf(reason), passedMicros, false),
    )
  }

  /**
   * k6 cannot cancel a request: its answer is dropped when it arrives, and its connection counts as
   * in use until then.
   */
  cancel(): boolean {
    const sentMicros = this.#passedMicros
    if (this.#settled) return sentMicros !== null
    if (sentMicros === null) this.#context.slots.withdraw(this)
    const answer = this.#failure({ class: 'cancelled', detail: 'cancelled' }, sentMicros)
    this.#close()
    void Promise.resolve().then(() => this.#done(answer))
    return sentMicros !== null
  }

  /** Its time is up. */
  expire(): void {
    const isWaiting = this.#passedMicros === null
    if (isWaiting) this.#context.slots.withdraw(this)
    const problem = isWaiting ? 'still waiting for a free connection' : 'no answer'
    const detail = `${problem} after ${this.#limits.timeoutMicros / MICROS_PER_MS} ms`
    this.#settle(this.#failure({ class: 'timeout', detail }, this.#passedMicros))
  }

  #limit(): void {
    this.#context.expiries.add(this, this.#releasedMicros + this.#limits.timeoutMicros)
  }

  #answered(response: K6Response, passedMicros: Micros): void {
    const { status, timings } = response
    const { maxBytes } = this.#limits
    const sentMicros = passedMicros + Math.round(timings.blocked * MICROS_PER_MS)
    const fresh = timings.connecting > 0
    if (status === 0) {
      const failure = failureOf(response, this.#context.base.startsWith('https:'))
      return this.#failed(failure, sentMicros, fresh)
    }
    this.#context.slots.release()
    // k6 gives null for an empty body.
    const body = withoutByteOrderMark(response.body ?? '')
    // k6 has already read it all by then.
    if (isLonger(body, maxBytes)) {
      const tooLarge = { class: 'too-large', detail: `body over ${maxBytes} bytes` } as const
      return this.#settle({ ...this.#failure(tooLarge, sentMicros, fresh), status })
    }
    const headers = lowerCased(response.headers)
    const timing = this.#timing(sentMicros, fresh)
    this.#settle({ kind: 'answer', status, headers, body, timing })
  }

  #failed(failure: K6Failure, sentMicros: Micros, fresh: boolean): void {
    this.#context.slots.release()
    this.#settle(this.#failure(failure, failure.written ? sentMicros : null, fresh))
  }

  /** One that was never sent has no time at which it was. */
  #failure(
    { class: name, detail }: Pick<FailedRequest, 'class' | 'detail'>,
    sentMicros: Micros | null,
    fresh = false,
  ): FailedRequest {
    return {
      kind: 'failure',
      class: name,
      detail: this.#context.redact(detail),
      written: sentMicros !== null,
      status: null,
      timing: this.#timing(sentMicros, fresh),
    }
  }

  /**
   * A request counts as sent when k6 had a connection, by its own measurement of the wait, and as
   * done when the event loop processes the answer, as under Node: the time before which an
   * execution is known to have ended must never be too early.
   */
  #timing(sentMicros: Micros | null, newConnection: boolean): Answer['timing'] {
    const doneMicros = this.#context.now()
    const sent = sentMicros === null ? null : Math.min(sentMicros, doneMicros)
    return { releasedMicros: this.#releasedMicros, sentMicros: sent, doneMicros, newConnection }
  }

  #settle(answer: Answer): void {
    if (this.#settled) return
    this.#close()
    this.#context.saw(answer)
    this.#done(answer)
  }

  #close(): void {
    this.#settled = true
    this.#context.expiries.remove(this)
  }
}

/**
 * Names of fields in lower case, by their names as k6 writes them. A target has a few; one that
 * makes up names must not fill the memory.
 */
const LOWER_NAMES = new Map<string, string>()
const MOST_NAMES = 1_000

/**
 * k6 has already joined repeated fields by `, `. Indexed, because k6's engine creates an object for
 * each step of a `for ... of`.
 */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {}
  const names = Object.keys(headers)
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    lower[LOWER_NAMES.get(name) ?? newName(name)] = headers[name] ?? ''
  }
  return lower
}

function newName(name: string): string {
  const lower = name.toLowerCase()
  if (LOWER_NAMES.size < MOST_NAMES) LOWER_NAMES.set(name, lower)
  return lower
}

/** The requests that may be on their way at a time, and those that wait. */
export class RequestSlots {
  readonly #places: number
  readonly #queue = new Set<K6Exchange>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Lets it pass immediately, or when its turn comes: returns false if it has to wait. */
  acquire(request: K6Exchange): boolean {
    if (this.#taken >= this.#places) {
      this.#queue.add(request)
      return false
    }
    this.#taken++
    request.pass()
    return true
  }

  /** Removes one that no longer waits. */
  withdraw(request: K6Exchange): void {
    this.#queue.delete(request)
  }

  /** A request that passed is done: the longest-waiting one passes next. */
  release(): void {
    assert(this.#taken > 0, 'more requests came back than were sent')
    this.#taken--
    if (this.#queue.size === 0) return
    const [next] = this.#queue
    this.#queue.delete(next!)
    this.acquire(next!)
  }
}

/** Ends requests when their time is up. One timer of k6 serves all: one each would cost more. */
export class Expiries {
  readonly #now: () => Micros
  readonly #pending = new Set<K6Exchange>()
  readonly #agenda = new Agenda<K6Exchange>(this.#pending)
  readonly #waker: Waker
  readonly #wake: () => void

  constructor(world: World, now: () => Micros) {
    this.#now = now
    this.#waker = new Waker(now, new K6Timer(world))
    // k6's engine panics at an arrow function that initialises a field.
    this.#wake = () => this.#expireDue()
  }

  add(request: K6Exchange, atMicros: Micros): void {
    this.#pending.add(request)
    this.#agenda.wake(request, atMicros)
    this.#waker.wakeAt(this.#agenda.nextDueMicros, this.#wake)
  }

  /** k6 ends no iteration while a timer is set. */
  remove(request: K6Exchange): void {
    request.wakeMicros = Infinity
    if (this.#pending.delete(request) && this.#pending.size === 0) this.#waker.clear()
  }

  #expireDue(): void {
    while (this.#agenda.nextDueMicros <= this.#now()) this.#agenda.pop()?.expire()
    if (this.#pending.size > 0) this.#waker.wakeAt(this.#agenda.nextDueMicros, this.#wake)
  }
}

/** `written`: a byte of the request may have reached the target. */
type K6Failure = Pick<FailedRequest, 'class' | 'detail' | 'written'>

/**
 * Codes of `lib/netext/httpext/error_codes.go` in k6 that have a single meaning; the others cover
 * many cases, and their message decides. They are the same from k6 1.8 to 2.3.
 */
const CLASS_OF_CODE = new Map<number, FailureClass>([
  [1050, 'timeout'],
  [1100, 'dns'],
  [1101, 'dns'],
  [1201, 'closed'],
  [1211, 'connect-timeout'],
  [1212, 'refused'],
  [1220, 'reset'],
  [1300, 'tls'],
  [1301, 'tls'],
  [1310, 'tls'],
  [1311, 'tls'],
  [1701, 'malformed-http'],
])

/** Messages of Go's `net/http` and of the system; the first match counts. */
const CLASS_OF_WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/too many open files|cannot assign requested address|no buffer space/, 'other'],
  [/context canceled/, 'cancelled'],
  [/unexpected EOF/, 'truncated'],
  [/malformed|bad Content-Length|too many 1xx|headers exceeded/i, 'malformed-http'],
  [/transfer encoding|invalid header|chunk/i, 'malformed-http'],
  [/\bEOF\b|server closed|broken pipe|GoAway/, 'closed'],
  [/reset by peer|stream error/, 'reset'],
]

/** `secure`: the target uses TLS, whose handshake fails with many different messages. */
function failureOf(response: K6Response, secure: boolean): K6Failure {
  const detail = detailFrom(response.error === '' ? `error ${response.error_code}` : response.error)
  const named = CLASS_OF_CODE.get(response.error_code) ?? classOfWords(response.error)
  const connected = wasConnected(response)
  const name = connected ? (named ?? 'other') : withoutConnection(named, response, secure)
  return { class: name, detail, written: connected && !CONNECT_FAILURES.has(name) }
}

/**
 * A request that k6 refused to send, or gave up together with the whole run. It may have been
 * written.
 */
function rejectionOf(reason: unknown): K6Failure {
  const words = messageOf(reason)
  return { class: classOfWords(words) ?? 'other', detail: detailFrom(words), written: true }
}

/** k6 knows the address of the other end as soon as it has a connection for the request. */
function wasConnected({ remote_ip: address, timings }: K6Response): boolean {
  return address !== '' || timings.sending > 0 || timings.waiting > 0
}

/** Of a connection that was still being opened. */
const BROKEN = new Set<FailureClass>(['reset', 'closed', 'truncated', 'malformed-http'])

function withoutConnection(
  named: FailureClass | undefined,
  { error_code: code, error }: K6Response,
  secure: boolean,
): FailureClass {
  if (named === 'timeout') return 'connect-timeout'
  if (named === undefined) {
    if (secure && /\btls\b|x509|certificate/.test(error)) return 'tls'
    return code === 1020 ? 'other' : 'unreachable'
  }
  if (!BROKEN.has(named)) return named
  return secure && !error.startsWith('dial') ? 'tls' : 'unreachable'
}

function classOfWords(words: string): FailureClass | undefined {
  return CLASS_OF_WORDS.find(([pattern]) => pattern.test(words))?.[1]
}
