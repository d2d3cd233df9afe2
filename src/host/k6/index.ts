/**
 * The k6 host: k6's HTTP client, timers, clock and console under the engine. One VU is one host,
 * with thousands of executions in flight.
 */
import type { Answer } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { Cancel, Host, SendLimits } from '../../engine/host.ts'
import type { InstanceShare } from '../../engine/interface.ts'
import { shareOf } from '../../engine/interface.ts'
import type { HostVitals, JournalLine } from '../../execution/record/journal-lines.ts'
import type { HttpPlan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { SendingBudget } from '../../engine/sending-budget.ts'
import { traceparentOf } from '../telemetry/trace-context.ts'
import type { HeaderOptions } from '../headers.ts'
import { dealt, headersByToken, tracedShare } from '../headers.ts'
import { blank, secretsOf, withoutTokens } from '../secrets.ts'
import { Waker } from '../waker.ts'
import { K6Clock, K6Timer } from './clock.ts'
import { Expiries, K6Exchange, RequestSlots } from './exchange.ts'
import type { K6ExchangeContext } from './exchange.ts'
import type { K6Params, World } from './world.ts'

export interface K6HostOptions {
  /** Base URL. */
  target: string
  /** Bearer tokens, assigned to executions in rotation by index; empty sends none. */
  tokens: readonly string[]
  /** The settings of the whole run: its sockets are divided among the instances. */
  http: HttpPlan
  /** The budget of this instance. */
  budget: SendingBudget
  share: InstanceShare
  userAgent: string
  /** The share of executions whose requests belong to a trace. */
  traces: number
  /** The zero of the run's clock, after the start of k6's test run. */
  zeroMs: number
}

/**
 * What k6 cannot do: it opens connections only when they are needed, keeps idle ones until the
 * target closes them, waits 30 s for one to open (`connectTimeoutMicros` has no effect), reads a
 * body to its end whatever its length, and resends a GET by itself if a kept connection turns out
 * to be closed before anything came back.
 */
export class K6Host implements Host {
  readonly budget: SendingBudget
  readonly #world: World
  readonly #secrets: readonly string[]
  readonly #clock: K6Clock
  readonly #waker: Waker
  readonly #context: K6ExchangeContext
  #connectionsOpened = 0

  constructor(world: World, options: K6HostOptions) {
    const { target, tokens, http, share, userAgent, traces, budget } = options
    this.#world = world
    this.#secrets = secretsOf(http.headers, () => tokens)()
    this.#clock = new K6Clock(world, options.zeroMs)
    const now = (): Micros => this.#clock.now()
    this.#waker = new Waker(now, new K6Timer(world))
    this.budget = budget
    this.#context = {
      world,
      now,
      slots: new RequestSlots(shareOf(http.maxConnections, share)),
      expiries: new Expiries(world, now),
      requestTimeoutMicros: http.requestTimeoutMicros,
      base: target.replace(/(?<!\/)\/+$/, ''),
      paramsFor: paramsOf({ tokens, headers: http.headers, userAgent, traces }),
      redact: (detail) => blank(detail, this.#secrets),
      saw: ({ timing }) => {
        if (timing.newConnection) this.#connectionsOpened++
      },
    }
  }

  now(): Micros {
    return this.#clock.now()
  }

  unixMs(): number {
    return this.#world.unixMs()
  }

  wakeAt(due: Micros, wake: () => void): void {
    this.#waker.wakeAt(due, wake)
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    const exchange = new K6Exchange(this.#context, request, limits, done)
    return () => exchange.cancel()
  }

  emit(line: JournalLine): void {
    this.#world.log(JSON.stringify(withoutTokens(line, this.#secrets)))
  }

  /**
   * k6 reports nothing about its event loop and its memory; an unwritable console shows as missing
   * records.
   */
  vitals(): HostVitals {
    return {
      utilisationSustained: null,
      utilisationMean: null,
      connectionsOpened: this.#connectionsOpened,
      clockSteps: this.#clock.stepsBack,
      journalErrors: 0,
      peakMemoryBytes: null,
    }
  }
}

/**
 * k6 reads the parameters of a request before `asyncRequest` returns: one object serves all, and
 * the same headers serve again and again unless some requests belong to a trace. To create three
 * for each poll took a tenth of the script's time.
 */
function paramsOf(options: HeaderOptions & { traces: number }): K6ExchangeContext['paramsFor'] {
  const traces = tracedShare(options)
  const get = headersByToken(options, 'GET')
  const post = headersByToken(options, 'POST')
  const tags = { name: '' }
  const params: K6Params = { redirects: 0, responseType: 'text', tags, headers: {}, timeout: 0 }
  return (request, timeoutMs) => {
    const headers = dealt(request.method === 'GET' ? get : post, request) ?? {}
    headers['x-correlation-id'] = request.correlation
    const traceparent = traceparentOf(request, traces)
    params.headers = traceparent === null ? headers : { ...headers, traceparent }
    params.timeout = timeoutMs
    tags.name = request.operation
    return params
  }
}
