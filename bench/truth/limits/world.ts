/** A limiter of the fake crew behind a simulated network, on which experiments are carried out. */
import { LimitSet } from '../../../fake-crew/model/limits/limits.ts'
import type { FakeRequest } from '../../../fake-crew/model/exchange.ts'
import type { LimitProfile } from '../../../fake-crew/model/limits/profile.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { DueHeap } from '../../../src/base/collections/heap.ts'
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type {
  Experiment,
  LimiterAnswer,
} from '../../../src/study/limits/analyse/infer/interface.ts'

export interface WorldOptions {
  seed: number
  limits: readonly LimitProfile[]
  headers?: Profile['limits']['headers']
  anchorUnixMs: number
  /** The jitter in each direction, uniform from 0. */
  jitterMs: number
  /**
   * The share of the directions, drawn at random, that take up to `mostMs` longer. Default: none.
   */
  stalls?: { share: number; mostMs: number }
  /**
   * The share of the moments at which requests are sent that are followed, within
   * `PAUSE_BEGINS_MS`, by a pause of the target and the client, of up to `mostMs`, uniform.
   * Default: none.
   */
  pauses?: { share: number; mostMs: number }
  /**
   * Whether the target serves one request at a time, limiter included: a request reaches the
   * limiter when those before it have been served. Default false.
   */
  isSerial?: boolean
  /** `inFlight`: the number of requests that the target is processing, including this one. */
  serviceMs: (inFlight: number, random: Random) => number
  /** A failure that replaces serving a request that the limits admitted. */
  failure?: (inFlight: number, random: Random) => number | null
}

const PAUSE_BEGINS_MS = 3

interface Underway {
  sentMs: number
  request: FakeRequest
}

const ASKER = { operation: 'status', token: 'a', address: '127.0.0.1' } as const

function requestOf(): FakeRequest {
  return { method: 'GET', path: '/status/1', headers: {}, body: null, address: '127.0.0.1' }
}

export class World {
  readonly #options: WorldOptions
  readonly #limits: LimitSet
  readonly #random: Random
  readonly #events = new DueHeap<() => void>()
  readonly evidence: LimiterAnswer[] = []
  #nowMs = 0
  #inFlight = 0
  #busyUntilMs = -Infinity
  #pause = { fromMs: -Infinity, toMs: -Infinity }
  /** The answers of the running experiment so far. */
  #heard = { accepted: 0, refused: 0, failed: 0 }

  constructor(options: WorldOptions) {
    this.#options = options
    this.#random = createRandom(options.seed).fork('world')
    const limits = { rules: options.limits, headers: options.headers ?? 'none' }
    this.#limits = new LimitSet({ limits }, options.anchorUnixMs)
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Carries out the experiment until the last answer has come. */
  conduct({ startMs, sends, until }: Experiment): void {
    const start = Math.max(this.#nowMs, startMs)
    this.#heard = { accepted: 0, refused: 0, failed: 0 }
    for (const { afterMs, count } of sends) {
      this.#at(start + afterMs, () => {
        if (until !== null && this.#heard[until] > 0) return
        this.#mayPause()
        for (let i = 0; i < count; i++) this.#send()
      })
    }
    while (this.#events.size > 0) {
      this.#nowMs = Math.max(this.#nowMs, this.#events.nextDue)
      this.#events.pop()!()
    }
  }

  /** Sends `count` requests of another client with the same token now; nobody sees the answers. */
  stranger(count: number): void {
    for (let i = 0; i < count; i++) this.#limits.meet(requestOf(), ASKER, this.#micros())
  }

  /** Sends a request of that client at a later time of the experiment. */
  strangerAt(ms: number): void {
    this.#at(ms, () => this.stranger(1))
  }

  #at(ms: number, event: () => void): void {
    this.#events.push(ms, event)
  }

  #mayPause(): void {
    const { pauses } = this.#options
    if (pauses === undefined || this.#random.next() >= pauses.share) return
    const fromMs = this.#nowMs + this.#random.next() * PAUSE_BEGINS_MS
    this.#pause = { fromMs, toMs: fromMs + this.#random.next() * pauses.mostMs }
  }

  /**
   * Returns the time at which an event happens that was due at `ms`: during a pause it waits for
   * the end of the pause.
   */
  #afterPause(ms: number): number {
    const { fromMs, toMs } = this.#pause
    return ms > fromMs && ms < toMs ? toMs : ms
  }

  #send(): void {
    const underway = { sentMs: this.#nowMs, request: requestOf() }
    this.#at(this.#afterPause(this.#nowMs + this.#lag()), () => this.#arrive(underway))
  }

  #lag(): number {
    const { jitterMs, stalls } = this.#options
    const usualMs = this.#random.next() * jitterMs
    if (stalls === undefined || this.#random.next() >= stalls.share) return usualMs
    return usualMs + this.#random.next() * stalls.mostMs
  }

  #micros(): number {
    return Math.round(this.#nowMs * 1_000)
  }

  #arrive(underway: Underway): void {
    if (this.#options.isSerial === true && this.#busyUntilMs > this.#nowMs) {
      this.#at(this.#busyUntilMs, () => this.#arrive(underway))
      return
    }
    const verdict = this.#limits.meet(underway.request, ASKER, this.#micros())
    if (verdict.kind === 'refused') {
      this.#leave(underway, verdict.status, verdict.headers)
      return
    }
    this.#inFlight++
    const failed = this.#options.failure?.(this.#inFlight, this.#random) ?? null
    const serviceMs = this.#options.serviceMs(this.#inFlight, this.#random)
    this.#busyUntilMs = this.#nowMs + serviceMs
    this.#at(this.#nowMs + verdict.holdMicros / 1_000 + serviceMs, () => {
      this.#inFlight--
      this.#leave(underway, failed ?? 200, verdict.headers(this.#micros()))
    })
  }

  #leave({ sentMs, request }: Underway, status: number, headers: LimiterAnswer['headers']): void {
    this.#limits.finished(request)
    const date = new Date(this.#options.anchorUnixMs + this.#nowMs).toUTCString()
    const answer = status === 200 ? 'accepted' : status === 500 ? 'failed' : 'refused'
    this.#at(this.#afterPause(this.#nowMs + this.#lag()), () => {
      this.#heard[answer]++
      const dated = Object.keys(headers).length === 0 ? headers : { ...headers, date }
      this.evidence.push({ sentMs, receivedMs: this.#nowMs, answer, status, headers: dated })
    })
  }
}
