/** Limiters that people use in front of Express, behind a simulated network in simulated time. */
import type { RequestHandler } from 'express'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import inject from 'light-my-request'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { vi } from 'vitest'
import type { Random } from '../../../src/base/random.ts'
import type {
  Experiment,
  LimiterAnswer,
} from '../../../src/study/limits/analyse/infer/interface.ts'

export interface Network {
  /** In each direction, uniform from 0. */
  jitterMs: number
  /** This share of the directions takes up to so much longer. */
  stalls: { share: number; mostMs: number }
  random: Random
}

/** The timers of vitest have to be faked, and are moved on. */
export class StrangerWorld {
  readonly #app = express()
  readonly #network: Network
  readonly evidence: LimiterAnswer[] = []
  readonly #zeroMs = Date.now()

  constructor(limiter: RequestHandler, network: Network) {
    this.#network = network
    this.#app.use(limiter)
    this.#app.get('/inputs', (_, response) => {
      response.json({ inputs: ['topic'] })
    })
  }

  get nowMs(): number {
    return Date.now() - this.#zeroMs
  }

  /** Every request of the experiment is sent, whatever the answers to those before it. */
  async conduct({ startMs, sends }: Experiment): Promise<void> {
    const begin = Math.max(this.nowMs, startMs)
    const sent = sends.flatMap(({ afterMs, count }) =>
      Array.from({ length: count }, () => begin + afterMs),
    )
    const arrivals = sent
      .map((sentMs) => ({ sentMs, atMs: sentMs + this.#lagMs() }))
      .sort((a, b) => a.atMs - b.atMs)
    const answers: LimiterAnswer[] = []
    using _ = keptPrototypes()
    for (const { sentMs, atMs } of arrivals) {
      this.#passUntil(atMs)
      const { statusCode, headers } = await inject(this.#app, { method: 'GET', url: '/inputs' })
      answers.push({
        sentMs,
        receivedMs: atMs + this.#lagMs(),
        answer: statusCode === 200 ? 'accepted' : 'refused',
        status: statusCode,
        headers: headers as LimiterAnswer['headers'],
      })
    }
    this.evidence.push(...answers)
    this.#passUntil(Math.max(...answers.map(({ receivedMs }) => receivedMs)))
  }

  #passUntil(ms: number): void {
    vi.advanceTimersByTime(Math.max(0, Math.ceil(ms - this.nowMs)))
  }

  #lagMs(): number {
    const { jitterMs, stalls, random } = this.#network
    const usualMs = random.next() * jitterMs
    return random.next() < stalls.share ? usualMs + random.next() * stalls.mostMs : usualMs
  }
}

/**
 * `inject` makes the requests and answers of all Express apps in this process inherit from its own,
 * which ends with the experiment: the next file may serve Express over sockets.
 */
function keptPrototypes(): Disposable {
  const kept = [express.request, express.response].map((each) => {
    return { each, prototype: Object.getPrototypeOf(each) as object }
  })
  return {
    [Symbol.dispose]: () => {
      for (const { each, prototype } of kept) Object.setPrototypeOf(each, prototype)
    },
  }
}

/** express-rate-limit: a fixed window of each client, from its first request. */
export function expressRateLimit(limit: number, windowMs: number): RequestHandler {
  return rateLimit({
    limit,
    windowMs,
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
  })
}

/** rate-limiter-flexible: the same kind, kept in memory. */
export function rateLimiterFlexible(points: number, seconds: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return (request, response, next) => {
    limiter.consume(request.ip ?? 'nobody').then(
      () => next(),
      () => response.status(429).send('Too Many Requests'),
    )
  }
}
