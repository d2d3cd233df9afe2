/**
 * Deadlines of requests and dials: a coarse timing wheel with one timer for all of them.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

export interface Expiring {
  /** Called at most once, and never after `remove`. */
  expire(): void
}

/** A deadline fires at the end of its slot: late by up to this, never early. */
const SLOT_MICROS = 5 * MICROS_PER_MS
const LONGEST_SLEEP_MS = 2 ** 31 - 1

export class Deadlines {
  readonly #now: () => Micros
  readonly #slots = new Map<number, Set<Expiring>>()
  #armedFor = Infinity
  #timer: NodeJS.Timeout | undefined
  readonly #fire = (): void => this.#fired()

  constructor(now: () => Micros) {
    this.#now = now
  }

  /** Returns the slot, which `remove` needs. */
  add(due: Micros, expiring: Expiring): number {
    const slot = Math.ceil(due / SLOT_MICROS)
    const sharing = this.#slots.get(slot)
    if (sharing === undefined) this.#slots.set(slot, new Set([expiring]))
    else sharing.add(expiring)
    if (slot < this.#armedFor) this.#arm(slot)
    return slot
  }

  remove(slot: number, expiring: Expiring): void {
    const sharing = this.#slots.get(slot)
    if (sharing?.delete(expiring) === true && sharing.size === 0) this.#slots.delete(slot)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#slots.clear()
    this.#armedFor = Infinity
  }

  /**
   * The timer does not keep the process alive: anything that waits for a deadline has a socket that
   * does.
   */
  #arm(slot: number): void {
    clearTimeout(this.#timer)
    this.#armedFor = slot
    const sleepMs = Math.ceil((slot * SLOT_MICROS - this.#now()) / MICROS_PER_MS)
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(1, sleepMs), LONGEST_SLEEP_MS)).unref()
  }

  #fired(): void {
    this.#armedFor = Infinity
    const reached = Math.floor(this.#now() / SLOT_MICROS)
    for (const [slot, sharing] of this.#slots) {
      if (slot > reached) continue
      this.#slots.delete(slot)
      for (const expiring of sharing) expiring.expire()
    }
    let next = Infinity
    for (const slot of this.#slots.keys()) next = Math.min(next, slot)
    if (next < this.#armedFor) this.#arm(next)
  }
}
