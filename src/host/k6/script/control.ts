/**
 * Asks the process that started k6, at intervals, whether to stop: k6 passes no signal to a script.
 */
import type { Engine } from '../../../engine/engine.ts'
import type { World } from '../world.ts'

/** The answer: nothing, or how to stop and why. */
export type Order = { stop: null } | { stop: 'drain' | 'now'; reason: string }

/**
 * The minimum pause between two requests of one VU, and the maximum requests per second of all VUs
 * together.
 */
const ASK_EVERY_MS = 100
const ASK_A_SECOND = 200
const ANSWER_LIMIT_MS = 5_000
/**
 * After this many consecutive failures, the process that started k6 is considered gone, and with it
 * everybody who would read the result.
 */
const MOST_FAILURES = 6

/**
 * How long each of this many VUs waits before it asks again: all of them learn of a stop within
 * that time. 0.1 s up to 20 VUs, 5 s with 1,000.
 */
export function askEveryMs(vus: number): number {
  return Math.max(ASK_EVERY_MS, (vus * 1_000) / ASK_A_SECOND)
}

export class ControlLine {
  readonly #world: World
  readonly #url: string
  readonly #engine: Pick<Engine, 'stop'>
  readonly #pauseMs: number
  #begin: (() => void) | null = null
  #timer: number | null = null
  #failures = 0
  #closed = false

  /** `pauseMs` passes between an answer and the next request. */
  constructor(world: World, url: string, engine: Pick<Engine, 'stop'>, pauseMs: number) {
    this.#world = world
    this.#url = url
    this.#engine = engine
    this.#pauseMs = pauseMs
  }

  /**
   * The first request is sent immediately. `begin` is called when it is answered or never will be,
   * after the engine was told to stop if it should.
   */
  open(begin: () => void): void {
    this.#begin = begin
    this.#ask()
  }

  /** An outstanding answer is ignored. */
  close(): void {
    this.#closed = true
    if (this.#timer !== null) this.#world.clearTimeout(this.#timer)
    this.#timer = null
  }

  #ask(): void {
    this.#timer = null
    const params = {
      timeout: ANSWER_LIMIT_MS,
      responseType: 'text',
      tags: { name: 'control' },
    } as const
    void this.#world.request('GET', this.#url, null, params).then(
      ({ status, body }) => this.#heard(status === 200 ? body : null),
      () => this.#heard(null),
    )
  }

  #askLater(): void {
    this.#timer = this.#world.setTimeout(() => this.#ask(), this.#pauseMs)
  }

  #heard(answer: string | null): void {
    if (this.#closed) return
    this.#failures = answer === null ? this.#failures + 1 : 0
    const order = answer === null ? this.#silence() : (JSON.parse(answer) as Order)
    if (this.#failures < MOST_FAILURES) this.#askLater()
    if (order === null) return
    if (order.stop !== null) this.#engine.stop(order.stop, order.reason)
    this.#begin?.()
    this.#begin = null
  }

  /** Null while an answer may still come. */
  #silence(): Order | null {
    if (this.#failures < MOST_FAILURES) return null
    return { stop: 'drain', reason: 'crewload ended before k6 did' }
  }
}
