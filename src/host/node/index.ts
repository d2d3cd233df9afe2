/** The Node host: HTTP/1.1 on connections of its own, one timer, and the process's health. */
import type { Answer, Operation, WholeAnswer } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { Cancel, Host, SendLimits } from '../../engine/host.ts'
import type { SendingBudget } from '../../engine/sending-budget.ts'
import type { IncidentLine, HostVitals, JournalLine } from '../../execution/record/journal-lines.ts'
import type { HttpPlan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { RunClock, NodeTimer, Deadlines } from './clock.ts'
import { PROXY_WANTS_CREDENTIALS, refusedByProxy } from './dial.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeContext } from './exchange.ts'
import type { Failure } from './failures.ts'
import { HeadReader } from './http1/answer-parser.ts'
import { LanePool } from './pool.ts'
import { proxyFor } from './proxy.ts'
import type { ProxyEnvironment, Proxy } from './proxy.ts'
import { createSecurity } from './tls.ts'
import type { TlsOptions } from './tls.ts'
import type { Credential, TokenSource } from './token-source.ts'
import { blank, secretsOf, withoutTokens } from '../secrets.ts'
import { Waker } from '../waker.ts'
import type { HeaderOptions } from '../headers.ts'
import { traceparentOf } from '../telemetry/trace-context.ts'
import { dealt, demandSendable, headersByToken, tracedShare } from '../headers.ts'
import type { EventLoopUtilization } from 'node:perf_hooks'

export { RunClock } from './clock.ts'
export type { TlsOptions } from './tls.ts'
export type { TokenSource } from './token-source.ts'

export interface NodeHostOptions {
  /**
   * Base URL, http or https; request paths are appended to its path. User and password in it are
   * not sent.
   */
  target: string | URL
  /**
   * Bearer tokens, assigned to executions in rotation by index; empty sends none. They never appear
   * in a failure's detail.
   */
  tokens: readonly string[]
  /** Takes the place of the tokens: the header of each request, which may change. */
  tokenSource?: TokenSource
  http: HttpPlan
  /** Writes one journal line; an exception counts as a journal error. */
  emit: (line: JournalLine) => void
  budget: SendingBudget
  /** Instance number for the lines that the host itself writes. Default 0. */
  instance?: number
  /**
   * Memory belongs to the process: if several hosts share one, only one reports it. Default true.
   */
  tellsMemory?: boolean
  tls?: TlsOptions
  /** `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`. Default none. */
  proxies?: ProxyEnvironment
  /** Whether loopback targets are reached through the proxy too. Default false. */
  proxyLoopback?: boolean
  /** Default `crewload`. */
  userAgent?: string
  /** The share of executions that are sent as traces, 0 to 1. Default 0. */
  traces?: number
  /** Receives every answer before the engine does: for live meters. */
  onAnswer?: (operation: Operation, answer: Answer) => void
  /** Of several hosts that run on one clock, which the first of them sets. Default: its own. */
  clock?: RunClock
}

export interface NodeHost extends Host {
  /**
   * Sets the zero of the run's clock `leadMicros` (default 0) from now and starts the health
   * samples; until then `now()` is negative, so that setup work delays no arrival. Call it once,
   * with no request in flight.
   */
  startClock(leadMicros?: Micros): void
  /** Starts the health samples of another host whose clock this is, when that one has set it. */
  joinClock(): void
  /** The same with the zero of a run that another process began, Unix milliseconds. */
  startClockAt(anchorUnixMs: number): void
  /** Wall clock of the run's zero, Unix milliseconds with fraction. */
  readonly anchorUnixMs: number
  /** Ends every connection immediately; requests in flight are answered `cancelled`. */
  close(): Promise<void>
}

/**
 * Opens `http.preOpenConnections` connections (those that fail are left out: the first request will
 * report why) and resolves to the host. Throws UserError for a proxy, header, token or certificate
 * that cannot be used.
 */
export async function createNodeHost(options: NodeHostOptions): Promise<NodeHost> {
  const host = new SocketHost(options)
  await host.preOpen()
  return host
}

/** A target may name an id that no path can hold. */
const UNWRITABLE: Failure = { class: 'other', detail: 'HTTP does not allow this path' }
/** Nobody sees it: the refusal stands. */
const NO_OTHER_TOKEN: Failure = { class: 'other', detail: 'no other token' }

/** No byte of it was sent, and nobody cancelled it. */
function isUnsent(answer: Answer): boolean {
  const isCancelled = answer.kind === 'failure' && answer.class === 'cancelled'
  return answer.timing.sentMicros === null && !isCancelled
}

/** The refusal as if it had come when the wait for another token ended. */
function late(refusal: WholeAnswer, { timing: { doneMicros } }: Answer): Answer {
  const { timing } = refusal
  const sentMicros = (timing.sentMicros ?? timing.doneMicros) + doneMicros - timing.doneMicros
  return { ...refusal, timing: { ...timing, sentMicros, doneMicros } }
}

class SocketHost implements NodeHost {
  readonly #options: NodeHostOptions
  readonly #clock: RunClock
  readonly #waker = new Waker(() => this.#clock.now(), new NodeTimer())
  readonly #deadlines = new Deadlines(() => this.#clock.now())
  readonly #vitals: VitalsSampler
  readonly #route: Pick<AddressOptions, 'target' | 'proxy'>
  readonly #secrets: () => readonly string[]
  /** The one that `#address` sends; null if it sends tokens that stay. */
  #credential: Credential | null
  #address: Address
  readonly #pool: LanePool
  readonly #context: ExchangeContext
  /** Those that wait for a token. */
  readonly #awaiting = new Set<Exchange>()
  readonly #leaveSource: () => void
  #journalErrors = 0
  #isShort = false

  constructor(options: NodeHostOptions) {
    const { http, tokenSource } = options
    const target = new URL(options.target)
    const proxy = proxyFor(target, options.proxies ?? {}, options.proxyLoopback)
    this.#options = options
    this.#clock = options.clock ?? new RunClock()
    this.#route = { target, proxy }
    this.#secrets = secretsOf(http.headers, () => tokenSource?.secrets ?? options.tokens)
    this.#credential = tokenSource?.current ?? null
    this.#address = this.#addressWith(this.#credential)
    const now = (): Micros => this.#clock.now()
    this.#pool = new LanePool(
      {
        route: { target, proxy, security: createSecurity(options.tls ?? {}) },
        lanes: {
          keepAliveMs: Math.max(1, Math.round(http.keepAliveMicros / MICROS_PER_MS)),
          heads: new HeadReader(),
        },
        maxConnections: http.maxConnections,
        connectTimeoutMicros: http.connectTimeoutMicros,
      },
      this.#deadlines,
      now,
    )
    this.#context = {
      now,
      pool: this.#pool,
      deadlines: this.#deadlines,
      redact: (detail) => blank(detail, this.#secrets()),
      proxyRefusal:
        proxy === null || target.protocol !== 'http:'
          ? null
          : refusedByProxy(PROXY_WANTS_CREDENTIALS, proxy),
    }
    this.#vitals = new VitalsSampler(this.#clock, (stepMs) => this.#clockStepped(stepMs))
    this.#leaveSource = tokenSource?.enter() ?? (() => {})
  }

  preOpen(): Promise<void> {
    return this.#pool.preOpen(this.#options.http.preOpenConnections)
  }

  startClock(leadMicros = 0): void {
    this.#clock.restart(leadMicros)
    this.#vitals.start()
  }

  joinClock(): void {
    this.#vitals.start()
  }

  startClockAt(anchorUnixMs: number): void {
    this.#clock.adopt(anchorUnixMs)
    this.#vitals.start()
  }

  get anchorUnixMs(): number {
    return this.#clock.anchorUnixMs
  }

  now(): Micros {
    return this.#clock.now()
  }

  unixMs(): number {
    return this.anchorUnixMs + this.now() / MICROS_PER_MS
  }

  wakeAt(due: Micros, wake: () => void): void {
    this.#waker.wakeAt(due, wake)
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    const deliver = (answer: Answer): void => {
      if (answer.kind === 'failure') this.#tellShortage(answer)
      this.#options.onAnswer?.(request.operation, answer)
      done(answer)
    }
    const { tokenSource } = this.#options
    if (tokenSource !== undefined) return this.#sendRenewed(tokenSource, request, limits, deliver)
    const exchange = new Exchange(this.#context, limits, deliver)
    this.#enter(exchange, request)
    exchange.handedOver()
    return () => exchange.cancel()
  }

  #enter(exchange: Exchange, request: CrewRequest): void {
    const written = this.#address.write(request)
    if (written === null) return exchange.fail(UNWRITABLE)
    exchange.request = written
    this.#pool.enter(exchange)
  }

  /**
   * A request whose token the target refuses is sent once more, if there is another token and the
   * budget allows: nothing was started. Both are one request, with one limit. Its wait for tokens
   * is neither the generator's lateness nor the target's time.
   */
  #sendRenewed(
    source: TokenSource,
    request: CrewRequest,
    limits: SendLimits,
    deliver: (answer: Answer) => void,
  ): Cancel {
    let used = source.current
    const enter = (exchange: Exchange): void => {
      used = source.current
      this.#authorize(used)
      this.#enter(exchange, request)
    }
    const heard = (answer: Answer): void => {
      if (answer.kind === 'answer' && answer.status !== 401) source.accepted(used)
      deliver(answer)
    }
    const again = (refusal: WholeAnswer): Exchange => {
      const done = (answer: Answer): void =>
        heard(isUnsent(answer) ? late(refusal, answer) : answer)
      const second = new Exchange(this.#context, limits, done, refusal.timing.releasedMicros)
      this.#await(source.refused(used), second, (isRenewed) => {
        if (isRenewed && this.budget.spend('request')) enter(second)
        else second.fail(NO_OTHER_TOKEN)
      })
      second.handedOver()
      return second
    }
    let current = new Exchange(this.#context, limits, (answer) => {
      if (answer.kind === 'failure' || answer.status !== 401) heard(answer)
      else current = again(answer)
    })
    const first = current
    const waiting = source.whenUsable()
    if (waiting === null) enter(first)
    else this.#await(waiting, first, () => enter(first))
    first.handedOver()
    return () => current.cancel()
  }

  /** Meanwhile the exchange may be cancelled, and its limit may pass. */
  #await<T>(token: Promise<T>, exchange: Exchange, then: (result: T) => void): void {
    this.#awaiting.add(exchange)
    void token.then((result) => {
      this.#awaiting.delete(exchange)
      if (!exchange.isSettled) then(result)
    })
  }

  /** Rebuilds the headers when the source has another token than the last request had. */
  #authorize(credential: Credential): void {
    if (credential === this.#credential) return
    this.#credential = credential
    this.#address = this.#addressWith(credential)
  }

  #addressWith(credential: Credential | null): Address {
    const { http, tokens, userAgent = 'crewload', traces = 0 } = this.#options
    const every = { ...this.#route, userAgent, traces }
    if (credential === null) return new Address({ ...every, tokens, headers: http.headers })
    const headers = { ...http.headers, [credential.header]: credential.value }
    return new Address({ ...every, tokens: [], headers })
  }

  emit(line: JournalLine): void {
    try {
      this.#options.emit(withoutTokens(line, this.#secrets()))
    } catch {
      this.#journalErrors++
    }
  }

  get budget(): SendingBudget {
    return this.#options.budget
  }

  vitals(): HostVitals {
    const { tellsMemory = true } = this.#options
    const read = this.#vitals.read()
    return {
      ...read,
      peakMemoryBytes: tellsMemory ? read.peakMemoryBytes : null,
      connectionsOpened: this.#pool.opened,
      journalErrors: this.#journalErrors,
    }
  }

  async close(): Promise<void> {
    this.#waker.clear()
    this.#vitals.stop()
    this.#pool.close()
    for (const exchange of this.#awaiting) exchange.cancel()
    this.#leaveSource()
    this.#deadlines.clear()
    await new Promise<void>((closed) => setImmediate(closed))
  }

  #clockStepped(stepMs: number): void {
    this.#tell({ kind: 'clock-step', stepMs })
  }

  /** Reported once: the target is not to blame, and nothing else would say so. */
  #tellShortage(failure: Failure): void {
    if (this.#isShort || failure.isLocal !== true) return
    this.#isShort = true
    this.#tell({ kind: 'note', note: { code: 'machine-short', error: failure.detail } })
  }

  #tell(incident: IncidentLine['incident']): void {
    const { instance = 0 } = this.#options
    this.emit({ type: 'incident', instance, atMicros: this.now(), index: null, incident })
  }
}

/** Where requests go and what all of them carry: base URL, token, headers. */
interface AddressOptions extends HeaderOptions {
  target: URL
  proxy: Proxy | null
  /** The share of executions whose requests say that they belong to a trace. Default 0. */
  traces?: number
}

/** RFC 9112, section 3.2: nothing that would end the request target or the line. */
const REQUEST_TARGET = /^[\x21-\x7e]+$/
const FIELD_VALUE = /^[\t\x20-\x7e]*$/

/**
 * Throws UserError for headers and tokens that cannot be sent; the message does not repeat a token.
 */
class Address {
  /** Before the path of a request: absolute if a proxy forwards it (RFC 9112, section 3.2.2). */
  readonly #prefix: string
  /** The version and the fields that all requests with a token have, up to the next field. */
  readonly #get: readonly string[]
  readonly #post: readonly string[]
  readonly #traces: number

  constructor(options: AddressOptions) {
    demandSendable(options)
    this.#traces = tracedShare(options)
    const { target } = options
    const path = target.pathname.replace(/(?<!\/)\/+$/, '')
    const forwarder = target.protocol === 'http:' ? options.proxy : null
    this.#prefix = forwarder === null ? path : target.origin + path
    const authorization = forwarder?.authorization ?? null
    const forProxy = authorization === null ? {} : { 'proxy-authorization': authorization }
    const fieldsOf = (method: CrewRequest['method']): string[] =>
      headersByToken(options, method).map((headers) =>
        fields({ host: target.host, connection: 'keep-alive', ...headers, ...forProxy }),
      )
    this.#get = fieldsOf('GET')
    this.#post = fieldsOf('POST')
  }

  /**
   * The request as it is written on a connection: ASCII up to the body, which is UTF-8. Null if its
   * path or its correlation id cannot be part of a request.
   */
  write(request: CrewRequest): string | null {
    const { method, path, body, correlation } = request
    if (!REQUEST_TARGET.test(path) || !FIELD_VALUE.test(correlation)) return null
    const shared = dealt(method === 'GET' ? this.#get : this.#post, request) ?? ''
    const begin = `${method} ${this.#prefix}${path} HTTP/1.1\r\n${shared}`
    const traceparent = traceparentOf(request, this.#traces)
    const traced = traceparent === null ? '' : `traceparent: ${traceparent}\r\n`
    const last = `x-correlation-id: ${correlation}\r\n${traced}`
    if (method === 'GET') return `${begin}${last}\r\n`
    const text = body ?? ''
    return `${begin}${last}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
}

function fields(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/**
 * The host's health, sampled once a second: event-loop use, memory, and whether someone set the
 * clock.
 */
const SAMPLE_MS = 1_000
/**
 * A jump of the wall clock against the monotonic one that counts as a step: slewing by NTP is far
 * slower.
 */
const CLOCK_STEP_MS = 50
const SUSTAINED_SAMPLES = 5

/**
 * Event-loop utilisation, 0 to 1: the highest value held for five samples in a row. Keeps five
 * numbers, however long the run.
 */
export class UtilisationMeter {
  readonly #latest: number[] = []
  #held: number | null = null

  add(sample: number): void {
    this.#latest.push(sample)
    if (this.#latest.length > SUSTAINED_SAMPLES) this.#latest.shift()
    if (this.#latest.length === SUSTAINED_SAMPLES) {
      this.#held = Math.max(this.#held ?? 0, Math.min(...this.#latest))
    }
  }

  /** Null until five samples exist: a second of full use at start-up is not sustained. */
  get sustained(): number | null {
    return this.#held
  }
}

class VitalsSampler {
  readonly #clock: RunClock
  readonly #onClockStep: (stepMs: number) => void
  #meter = new UtilisationMeter()
  #start: EventLoopUtilization
  #last: EventLoopUtilization
  #wallOffsetMs = 0
  #peakMemoryBytes = 0
  #clockSteps = 0
  #timer: NodeJS.Timeout | undefined

  constructor(clock: RunClock, onClockStep: (stepMs: number) => void) {
    this.#clock = clock
    this.#onClockStep = onClockStep
    this.#start = performance.eventLoopUtilization()
    this.#last = this.#start
  }

  /** Begins, or begins again without the earlier samples. */
  start(): void {
    this.stop()
    this.#meter = new UtilisationMeter()
    this.#start = performance.eventLoopUtilization()
    this.#last = this.#start
    this.#wallOffsetMs = this.#clock.wallOffsetMs()
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  read(): {
    utilisationSustained: number | null
    utilisationMean: number
    peakMemoryBytes: number
    clockSteps: number
  } {
    this.#checkMemory()
    return {
      utilisationSustained: this.#meter.sustained,
      utilisationMean: performance.eventLoopUtilization(this.#start).utilization,
      peakMemoryBytes: this.#peakMemoryBytes,
      clockSteps: this.#clockSteps,
    }
  }

  #sample(): void {
    const now = performance.eventLoopUtilization()
    this.#meter.add(performance.eventLoopUtilization(now, this.#last).utilization)
    this.#last = now
    this.#checkMemory()
    this.#checkClock()
  }

  /** On Linux it comes from a file, which cannot be opened if the process may open no more. */
  #checkMemory(): void {
    try {
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, process.memoryUsage.rss())
    } catch {
      // Reports the highest of the available samples.
    }
  }

  #checkClock(): void {
    const offsetMs = this.#clock.wallOffsetMs()
    const stepMs = offsetMs - this.#wallOffsetMs
    this.#wallOffsetMs = offsetMs
    if (Math.abs(stepMs) <= CLOCK_STEP_MS) return
    this.#clockSteps++
    this.#onClockStep(stepMs)
  }
}
