/** k6's timer for wakes. A timer that is set keeps the VU's iteration from ending. */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Timer } from '../waker.ts'
import type { World } from './world.ts'

/** The longest that one timer sleeps; a longer sleep is divided. */
const LONGEST_SLEEP_MS = 24 * 3_600_000

export class K6Timer implements Timer {
  readonly #world: World
  #timer: number | null = null
  #fire: (() => void) | null = null
  readonly #fired: () => void

  constructor(world: World) {
    this.#world = world
    this.#fired = () => {
      this.#timer = null
      this.#fire?.()
    }
  }

  set(restMicros: Micros, fire: () => void): void {
    const restMs = Math.max(0, restMicros / MICROS_PER_MS)
    this.#fire = fire
    this.#timer = this.#world.setTimeout(this.#fired, Math.min(restMs, LONGEST_SLEEP_MS))
  }

  clear(): void {
    if (this.#timer !== null) this.#world.clearTimeout(this.#timer)
    this.#timer = null
  }
}
