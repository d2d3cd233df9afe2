/**
 * The run's clock: integer microseconds since the run's zero on the monotonic clock, and the wall
 * clock of that zero.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

/**
 * A run's zero for all threads of this process: `hrtime` is the same in all of them, whereas
 * `performance.now()` counts from the start of each.
 */
export interface SharedZero {
  hrtimeNanos: bigint
  /** Unix milliseconds with fraction. */
  anchorUnixMs: number
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

  get zero(): SharedZero {
    const hrtimeNanos = BigInt(Math.round((this.#zeroMs + hrtimeAheadMs()) * NANOS_PER_MS))
    return { hrtimeNanos, anchorUnixMs: this.#anchorUnixMs }
  }

  adopt({ hrtimeNanos, anchorUnixMs }: SharedZero): void {
    this.#zeroMs = Number(hrtimeNanos) / NANOS_PER_MS - hrtimeAheadMs()
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
 * The zero of a run that another process began, by the wall clock alone: within some 10 us if
 * nobody has set the wall clock since, otherwise off by as much as it was set.
 */
export function zeroAt(anchorUnixMs: number): SharedZero {
  const zeroMs = anchorUnixMs - measureWallAhead()
  const hrtimeNanos = BigInt(Math.round((zeroMs + hrtimeAheadMs()) * NANOS_PER_MS))
  return { hrtimeNanos, anchorUnixMs }
}

const NANOS_PER_MS = 1_000_000
const READINGS = 5

/**
 * Milliseconds of `hrtime` minus those of `performance.now()`: the closest of a few pairs, accurate
 * to a microsecond.
 */
function hrtimeAheadMs(): number {
  let closestMs = Infinity
  let aheadMs = 0
  for (let i = 0; i < READINGS; i++) {
    const before = performance.now()
    const hrtimeMs = Number(process.hrtime.bigint()) / NANOS_PER_MS
    const apartMs = performance.now() - before
    if (apartMs >= closestMs) continue
    closestMs = apartMs
    aheadMs = hrtimeMs - (before + apartMs / 2)
  }
  return aheadMs
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
