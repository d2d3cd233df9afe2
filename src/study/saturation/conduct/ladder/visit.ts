/** Makes one visit of a rung: autocannon with its connections for a time, counted by ourselves. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { performance } from 'node:perf_hooks'
import type { TLSSocket } from 'node:tls'
import type { Client, Instance, Options } from 'autocannon'
import type { VisitCounts } from '../../analyse/visit.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../../base/units.ts'
import { followConnection, UnverifiedTarget } from './connection.ts'
import { SLICE_MICROS } from '../../analyse/visit.ts'
import type { Sample } from '../../../../result/statistics/sample.ts'
import { isSuccess } from '../../../../crew/read.ts'
import type { TlsOptions } from '../../../../host/node/tls.ts'
import { tlsMaterial } from '../../../../host/node/tls.ts'
import type { AnswerCode } from '../../../../crew/observation.ts'

/** The one request that is sent repeatedly. */
export interface SaturatingRequest {
  url: URL
  method: 'GET' | 'POST'
  body: string | null
  /** One set of headers per token, assigned to connections in turn; at least one. */
  headers: readonly Readonly<Record<string, string>>[]
  tls: TlsOptions
}

export interface VisitOptions {
  request: SaturatingRequest
  connections: number
  /** The hard limit of requests, at least 10 per connection; null for none. */
  amount: number | null
  warmUpMicros: Micros
  durationMicros: Micros
  /** The time-out of one request, at least 1 s. */
  timeoutMicros: Micros
  /** Ends the visit immediately. */
  signal: AbortSignal
  latency: LatencyCounter
}

/** The time that autocannon takes to notice that it was stopped. */
const STOP_WITHIN_MS = 50
/** The share of a visit's budget that the warm-up may use. */
export const WARM_UP_SHARE = 0.1

/**
 * Makes one visit. Only autocannon's closed loop of connections is used: no rate (it sends
 * bursts), no workers (they multiply the rate), no pipelining; its own statistics are not read. It
 * divides `amount` among its connections before it starts, which makes the budget hard. The window
 * closes when the first connection has spent its part, since from then on there are fewer of them.
 */
export async function visitRung(options: VisitOptions): Promise<VisitCounts> {
  const { connections, amount, latency, signal } = options
  let sent = 0
  let endedBy: VisitCounts['endedBy'] = 'time'
  const spent = amount === null ? 'time' : 'budget'
  let timer: NodeJS.Timeout | undefined
  let instance: Instance | undefined
  const onTheirWay: (() => Micros | null)[] = []
  const end = (by: VisitCounts['endedBy']): void => {
    if (window.isClosed) return
    endedBy = by
    window.close(onTheirWay.map((since) => since()))
    clearTimeout(timer)
    instance?.stop()
  }
  const window = new RungWindow({
    connections,
    latency,
    now,
    warmUpMicros: options.warmUpMicros,
    warmUpRequests: amount === null ? null : Math.ceil(amount * WARM_UP_SHARE),
    utilisation: utilisationMeter(),
    stolen: stolenMeter(),
    onOpen: () => endAt(now() + options.durationMicros),
  })
  /** A timer may fire early, which must not shorten the shortest window that counts. */
  const endAt = (dueMicros: Micros): void => {
    const leftMicros = dueMicros - now()
    if (leftMicros <= 0) end('time')
    else timer = setTimeout(() => endAt(dueMicros), leftMicros / MICROS_PER_MS)
  }
  const abort = (): void => end('stopped')
  await new Promise<void>((resolve, reject) => {
    const clients = clientSetup(options.request, (client, index) => {
      onTheirWay[index] = followConnection(client, now, {
        sent: () => sent++,
        ended: (how, tookMicros) => window.ended(index, how, tookMicros),
        reopened: () => window.reopened(),
        // autocannon also reports this when its own duration, which is longer than ours, is over.
        done: () => end(spent),
      })
    })
    instance = autocannon({ ...settings(options), setupClient: clients }, (error: unknown) =>
      error instanceof Error ? reject(error) : resolve(),
    )
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
  end(spent)
  signal.removeEventListener('abort', abort)
  return { connections, ...window.counts(), endedBy, sent }
}

/**
 * `ignoreCoordinatedOmission` cannot be set: without a rate autocannon rejects the option, and
 * corrects nothing.
 */
function settings(options: VisitOptions): Options {
  const { request, amount } = options
  return {
    url: request.url.href,
    method: request.method,
    headers: { ...request.headers[0] },
    connections: options.connections,
    pipelining: 1,
    timeout: options.timeoutMicros / MICROS_PER_SECOND,
    sampleInt: STOP_WITHIN_MS,
    ...(request.body === null ? {} : { body: request.body }),
    ...(amount === null ? { duration: longestSeconds(options) } : { amount }),
    tlsOptions: tlsMaterial(request.tls),
  }
}

/** Our own timer ends the visit; autocannon's is longer, in case its window never opens. */
function longestSeconds({ warmUpMicros, durationMicros, timeoutMicros }: VisitOptions): number {
  return Math.ceil((warmUpMicros + durationMicros + 2 * timeoutMicros) / MICROS_PER_SECOND)
}

function clientSetup(
  { url, headers, tls }: SaturatingRequest,
  follow: (client: Client, index: number) => void,
): (client: Client) => void {
  let index = 0
  return (client) => {
    if (headers.length > 1) client.setHeaders({ ...headers[index % headers.length] })
    if (url.protocol === 'https:' && tls.insecure !== true) holdUntilVerified(client)
    passOverInterim(client)
    follow(client, index++)
  }
}

function now(): Micros {
  return performance.now() * MICROS_PER_MS
}

/** Event-loop utilisation, 0 to 1, since the last call. */
function utilisationMeter(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const current = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(current, last)
    last = current
    return utilization
  }
}

type Handler = (...given: unknown[]) => unknown

/** The parts of http-parser-js that autocannon's client sets and calls. */
interface Parser {
  constructor: { kOnHeadersComplete: number; kOnMessageComplete: number }
  [event: number]: Handler
}

const SWITCHING_PROTOCOLS = 101

/**
 * Makes autocannon pass over interim answers: it takes a `100 Continue` for the answer itself, and
 * the answer for that to the next request (RFC 9110, section 15.2).
 *
 * To be called in `setupClient`, before the client sets its handlers.
 */
function passOverInterim(client: object): void {
  const { parser } = client as { parser: Parser }
  const { kOnHeadersComplete, kOnMessageComplete } = parser.constructor
  let isInterim = false
  wrap(parser, kOnHeadersComplete, (handler) => (head) => {
    const { statusCode } = head as { statusCode: number }
    isInterim = statusCode < 200 && statusCode !== SWITCHING_PROTOCOLS
    return isInterim ? undefined : handler(head)
  })
  wrap(parser, kOnMessageComplete, (handler) => () => (isInterim ? undefined : handler()))
}

/** The handler that will be set for an event is called through `around`. */
function wrap(parser: Parser, event: number, around: (handler: Handler) => Handler): void {
  let wrapped: Handler | undefined
  Object.defineProperty(parser, event, {
    get: () => wrapped,
    set: (handler: Handler) => {
      wrapped = around(handler)
    },
  })
}

/**
 * Makes autocannon verify certificates, which it never does by itself: it accepts any server and
 * sends the token immediately.
 *
 * To be called in `setupClient`, before the client connects. Every socket that the client opens
 * holds back what is written to it until Node's own check against the authorities in
 * `tlsOptions.ca` has accepted its certificate; otherwise it ends with an UnverifiedTarget.
 */
function holdUntilVerified(client: object): void {
  let socket: TLSSocket | undefined
  Object.defineProperty(client, 'conn', {
    get: () => socket,
    set: (opened: TLSSocket) => {
      socket = opened
      opened.cork()
      opened.once('secureConnect', () => {
        if (opened.authorized) opened.uncork()
        else opened.destroy(new UnverifiedTarget(String(opened.authorizationError)))
      })
    },
  })
}

/** Service times of one visit, in microseconds. */
export interface LatencyCounter extends Sample {
  record(micros: Micros): void
  destroy(): void
}

interface WindowOptions {
  connections: number
  warmUpMicros: Micros
  /** The warm-up ends after this many requests too, however short it was; null without a budget. */
  warmUpRequests: number | null
  latency: LatencyCounter
  now: () => Micros
  /** The share of the time in which this process was busy since the last call. */
  utilisation: () => number
  /** The share of the wanted CPU time that was stolen since the last call; null if unknown. */
  stolen: () => number | null
  onOpen: () => void
}

/**
 * The warm-up ends when its time or its requests are over, but not before every connection has had
 * its first answer or failure: handshakes are not part of a ceiling.
 */
class RungWindow {
  readonly #options: WindowOptions
  readonly #beganMicros: Micros
  readonly #awaited: Set<number>
  #warmUpEnded = 0
  #openedMicros: Micros | null = null
  #closedMicros: Micros | null = null
  #utilisation: number | null = null
  #stolen: number | null = null
  #errors: Record<string, number> = {}
  #busyMicros = 0
  #slices: number[] = []
  #reconnects = 0

  constructor(options: WindowOptions) {
    this.#options = options
    this.#beganMicros = options.now()
    this.#awaited = new Set(Array.from({ length: options.connections }, (_, index) => index))
  }

  ended(connection: number, end: AnswerCode, tookMicros: Micros): void {
    if (this.#closedMicros !== null) return
    if (this.#openedMicros === null) this.#warm(connection)
    else this.#count(end, tookMicros, this.#options.now() - this.#openedMicros)
  }

  reopened(): void {
    if (this.#openedMicros !== null && this.#closedMicros === null) this.#reconnects++
  }

  /**
   * Only the first call counts. `sinceMicros`: for each connection, when its request in flight
   * began; null when there is none.
   */
  close(sinceMicros: readonly (Micros | null)[]): void {
    if (this.#closedMicros !== null) return
    const closed = this.#options.now()
    this.#closedMicros = closed
    if (this.#openedMicros === null) return
    this.#utilisation = this.#options.utilisation()
    this.#stolen = this.#options.stolen()
    for (const since of sinceMicros) {
      if (since !== null) this.#busyMicros += closed - Math.max(since, this.#openedMicros)
    }
  }

  get isClosed(): boolean {
    return this.#closedMicros !== null
  }

  counts(): Omit<VisitCounts, 'connections' | 'endedBy' | 'sent'> {
    const windowMicros =
      this.#openedMicros === null || this.#closedMicros === null
        ? 0
        : this.#closedMicros - this.#openedMicros
    const slices = Math.floor(windowMicros / SLICE_MICROS)
    return {
      windowMicros,
      latency: this.#options.latency,
      errors: this.#errors,
      busyMicros: this.#busyMicros,
      slices: Array.from({ length: slices }, (_, at) => this.#slices[at] ?? 0),
      utilisation: this.#utilisation,
      stolen: this.#stolen,
      reconnects: this.#reconnects,
    }
  }

  #warm(connection: number): void {
    const { now, warmUpMicros, warmUpRequests, utilisation, stolen, onOpen } = this.#options
    this.#awaited.delete(connection)
    this.#warmUpEnded++
    const spent = warmUpRequests !== null && this.#warmUpEnded >= warmUpRequests
    if (this.#awaited.size > 0 || (!spent && now() - this.#beganMicros < warmUpMicros)) return
    this.#openedMicros = now()
    utilisation()
    stolen()
    onOpen()
  }

  #count(end: AnswerCode, tookMicros: Micros, atMicros: Micros): void {
    this.#busyMicros += Math.min(tookMicros, atMicros)
    if (typeof end === 'number' && isSuccess(end)) {
      const slice = Math.floor(atMicros / SLICE_MICROS)
      this.#slices[slice] = (this.#slices[slice] ?? 0) + 1
      this.#options.latency.record(tookMicros)
    } else {
      this.#errors[end] = (this.#errors[end] ?? 0) + 1
    }
  }
}

/** In clock ticks of all cores since the machine started. */
export interface CpuTimes {
  /** What was asked for: everything but idleness and waiting for a disk. */
  wanted: number
  stolen: number
}

/**
 * From the text of `/proc/stat` (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq,
 * steal; the guests that follow are part of user and nice. Null if it does not contain all of them.
 */
export function cpuTimesOf(stat: string): CpuTimes | null {
  const [, ticks = ''] = /^cpu +(\d+(?: \d+){7})/m.exec(stat) ?? []
  const times = ticks.split(' ').map(Number)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = times
  const wanted = user + nice + system + irq + softirq + stolen
  return wanted === 0 ? null : { wanted, stolen }
}

/**
 * The share of the wanted CPU time that was stolen since the last call; null where the system does
 * not say.
 */
export function stolenMeter(read: () => CpuTimes | null = readTimes): () => number | null {
  let last = read()
  return () => {
    const [before, now] = [last, read()]
    last = now
    if (before === null || now === null) return null
    const wanted = now.wanted - before.wanted
    return wanted <= 0 ? 0 : Math.max(0, now.stolen - before.stolen) / wanted
  }
}

/** Only Linux has the file. */
function readTimes(): CpuTimes | null {
  try {
    return cpuTimesOf(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return null
  }
}
