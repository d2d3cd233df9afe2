/**
 * Time in Node: a timer for wakes, deadlines, and the clock of a run, which counts integer
 * microseconds from its zero on the monotonic clock and knows the wall clock of that zero.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Timer } from '../waker.ts'

/** The wall clock, whole Unix milliseconds. */
export function unixMs(): number {
  return Date.now()
}

export class RunClock {
  #anchorUnixMs = 0
  #zeroMs = 0

  constructor() {
    this.restart()
  }

  now(): Micros {
    return Math.floor((performance.now() - this.#zeroMs) * MICROS_PER_MS)
  }

  /** Wall clock of the zero, Unix milliseconds with fraction. */
  get anchorUnixMs(): number {
    return this.#anchorUnixMs
  }

  /** Makes the time of its return, or `leadMicros` later, the zero. */
  restart(leadMicros: Micros = 0): void {
    const wallAheadMs = measureWallAhead()
    this.#zeroMs = performance.now() + leadMicros / MICROS_PER_MS
    this.#anchorUnixMs = this.#zeroMs + wallAheadMs
  }

  /**
   * Continues with the zero of a run that another process began, by the wall clock alone: within
   * some 10 us if nobody has set the wall clock since, otherwise off by as much as it was set.
   */
  adopt(anchorUnixMs: number): void {
    this.#zeroMs = anchorUnixMs - measureWallAhead()
    this.#anchorUnixMs = anchorUnixMs
  }

  /**
   * How far the wall clock is from its expected value by the monotonic clock; it jumps when someone
   * sets the clock.
   */
  wallOffsetMs(): number {
    return unixMs() - (this.#anchorUnixMs + this.now() / MICROS_PER_MS)
  }
}

/**
 * `Date.now()` ticks once a millisecond: waiting for a tick, at most 2 ms, also gives the fraction.
 */
const TICK_WAIT_MS = 2

/** Unix milliseconds minus those of `performance.now()`, at the same time. */
function measureWallAhead(): number {
  const first = unixMs()
  const giveUpMs = performance.now() + TICK_WAIT_MS
  while (unixMs() === first && performance.now() < giveUpMs);
  return unixMs() - performance.now()
}

/**
 * A `setTimeout` is late by a millisecond or more, so it is set to end slightly early, and the rest
 * is spent in turns of the event loop. Measured on Node 20 with Poisson wakes, 100 and 1,000 a
 * second: late by p50 0.3-0.4 ms, p99 0.9-1.0 ms at 2 % and 9 % of a core; a bare timer p50 0.6-0.7
 * ms, p99 1.2 ms at 1 % and 5 %; spinning for the whole last millisecond 5 % and 41 %.
 */
const ROUND_THE_LOOP_MICROS = 300
/**
 * A wake that is nearer is one of many: it gets a bare timer, so that one wake serves all that are
 * due until then. With 10,000 a second, turns of the loop would take all the time between them.
 */
const CROWDED_MICROS = 2_000

export class NodeTimer implements Timer {
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #isCrowded = false

  set(restMicros: Micros, fire: () => void, again: boolean): void {
    if (!again) this.#isCrowded = restMicros > 0 && restMicros < CROWDED_MICROS
    if (restMicros <= (this.#isCrowded ? 0 : ROUND_THE_LOOP_MICROS)) {
      this.#immediate = setImmediate(fire)
    } else {
      this.#timer = setTimeout(fire, sleepMs(restMicros, this.#isCrowded))
    }
  }

  clear(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
  }
}

/** The longest delay that `setTimeout` accepts; a longer sleep is divided. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1

function sleepMs(restMicros: Micros, isCrowded: boolean): number {
  const spunMicros = isCrowded ? 0 : ROUND_THE_LOOP_MICROS
  const ms = Math.floor((restMicros + MICROS_PER_MS - spunMicros) / MICROS_PER_MS)
  return Math.min(Math.max(1, ms), LONGEST_SLEEP_MS)
}

export interface Expiring {
  /** Called at most once, and never after `remove`. */
  expire(): void
}

/** A deadline fires at the end of its slot: late by up to this, never early. */
const SLOT_MICROS = 5 * MICROS_PER_MS

/** Deadlines of requests and dials: a coarse timing wheel with one timer for all of them. */
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
