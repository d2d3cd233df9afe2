/** Asks the process that started k6, now and then, whether to stop: k6 tells a script of no signal. */
import type { Engine } from '../../engine/engine.ts'
import type { World } from './world.ts'

/** What is answered: nothing, or how to stop and why. */
export type Order = { stop: null } | { stop: 'drain' | 'now'; reason: string }

export const ASK_EVERY_MS = 500
const ANSWER_LIMIT_MS = 5_000
/** In a row; then whoever started k6 is gone, and nobody would see the end. */
const MOST_FAILURES = 6

export class ControlLine {
  readonly #world: World
  readonly #url: string
  readonly #engine: Pick<Engine, 'stop'>
  #timer: number | null = null
  #failures = 0
  readonly #pauseMs: () => number
  #closed = false

  /** `pauseMs` tells how long to wait before each question. Default: half a second. */
  constructor(
    world: World,
    url: string,
    engine: Pick<Engine, 'stop'>,
    pauseMs: () => number = () => ASK_EVERY_MS,
  ) {
    this.#world = world
    this.#url = url
    this.#engine = engine
    this.#pauseMs = pauseMs
  }

  open(): void {
    this.#timer = this.#world.setTimeout(() => this.#ask(), this.#pauseMs())
  }

  /** What was asked may still be answered: it is not heard. */
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

  #heard(answer: string | null): void {
    if (this.#closed) return
    if (answer === null) this.#failures++
    else {
      this.#failures = 0
      const order = JSON.parse(answer) as Order
      if (order.stop !== null) this.#engine.stop(order.stop, order.reason)
    }
    if (this.#failures < MOST_FAILURES) this.open()
    else this.#engine.stop('drain', 'crewload ended before k6 did')
  }
}
