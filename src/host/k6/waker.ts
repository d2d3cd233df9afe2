/** One outstanding wake on an absolute schedule, by k6's timers. */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { World } from './world.ts'

/** The longest that one timer sleeps; a longer sleep is divided. */
const LONGEST_SLEEP_MS = 24 * 3_600_000

export class K6Waker {
  readonly #world: World
  readonly #now: () => Micros
  #due: Micros = Infinity
  #wake: (() => void) | null = null
  #armedFor: Micros = Infinity
  #timer: number | null = null
  readonly #fire: () => void

  constructor(world: World, now: () => Micros) {
    this.#world = world
    this.#now = now
    this.#fire = () => this.#fired()
  }

  /**
   * Calls `wake` at or after `due`, never from within this call; replaces the previous wake.
   * Infinity clears it.
   */
  wakeAt(due: Micros, wake: () => void): void {
    this.#due = due
    this.#wake = wake
    if (due === Infinity) this.clear()
    else if (due < this.#armedFor) this.#arm()
  }

  /** An active timer keeps the VU's iteration from ending. */
  clear(): void {
    this.#due = Infinity
    this.#wake = null
    this.#disarm()
  }

  /**
   * A timer that is set for an earlier time stays: it fires, finds nothing due and is set again.
   */
  #arm(): void {
    this.#disarm()
    this.#armedFor = this.#due
    const restMs = (this.#due - this.#now()) / MICROS_PER_MS
    this.#timer = this.#world.setTimeout(
      this.#fire,
      Math.min(Math.max(0, restMs), LONGEST_SLEEP_MS),
    )
  }

  #disarm(): void {
    if (this.#timer !== null) this.#world.clearTimeout(this.#timer)
    this.#timer = null
    this.#armedFor = Infinity
  }

  #fired(): void {
    this.#timer = null
    this.#armedFor = Infinity
    if (this.#wake === null) return
    if (this.#now() < this.#due) return this.#arm()
    const wake = this.#wake
    this.#due = Infinity
    this.#wake = null
    wake()
  }
}
