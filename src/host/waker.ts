/** One outstanding wake on an absolute schedule, over the timer of a host. */
import type { Micros } from '../base/units.ts'

/** A timer of which at most one wake is set at a time. */
export interface Timer {
  /**
   * Calls `fire` once, from a later turn of the event loop: after `restMicros`, or earlier. With 0
   * or less, as soon as possible. `again`: it fired too early, and this is the remaining time.
   */
  set(restMicros: Micros, fire: () => void, again: boolean): void
  /** Stops the timer. It may have fired already. */
  clear(): void
}

export class Waker {
  readonly #now: () => Micros
  readonly #timer: Timer
  #due: Micros = Infinity
  #wake: (() => void) | null = null
  #armedFor: Micros = Infinity
  readonly #fire: () => void

  constructor(now: () => Micros, timer: Timer) {
    this.#now = now
    this.#timer = timer
    // k6's engine panics at an arrow function that initialises a field.
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
    else if (due < this.#armedFor) this.#arm(false)
  }

  clear(): void {
    this.#due = Infinity
    this.#wake = null
    this.#disarm()
  }

  /**
   * A timer that is set for an earlier time stays: it fires, finds nothing due and is set again.
   */
  #arm(again: boolean): void {
    this.#disarm()
    this.#armedFor = this.#due
    this.#timer.set(this.#due - this.#now(), this.#fire, again)
  }

  #disarm(): void {
    if (this.#armedFor === Infinity) return
    this.#timer.clear()
    this.#armedFor = Infinity
  }

  #fired(): void {
    this.#armedFor = Infinity
    if (this.#wake === null) return
    if (this.#now() < this.#due) return this.#arm(true)
    const wake = this.#wake
    this.#due = Infinity
    this.#wake = null
    wake()
  }
}
