/**
 * The run's clock: integer microseconds since the run's zero on the monotonic clock, and the wall
 * clock of that zero.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

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
    return Date.now() - (this.#anchorUnixMs + this.now() / MICROS_PER_MS)
  }
}

/**
 * `Date.now()` ticks once a millisecond: waiting for a tick, at most 2 ms, also gives the fraction.
 */
const TICK_WAIT_MS = 2

/** Unix milliseconds minus those of `performance.now()`, at the same time. */
function measureWallAhead(): number {
  const first = Date.now()
  const giveUpMs = performance.now() + TICK_WAIT_MS
  while (Date.now() === first && performance.now() < giveUpMs);
  return Date.now() - performance.now()
}
