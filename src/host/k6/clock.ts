/** The run's clock inside k6: integer microseconds since a zero that all VUs of the process share. */
import { MICROS_PER_MS } from '../../units.ts'
import type { Micros } from '../../units.ts'
import type { World } from './world.ts'

export interface Anchor {
  /** Wall clock of the zero, Unix milliseconds with fraction. */
  unixMs: number
  /** How far that may be off. */
  errorMicros: Micros
}

/** `Date.now()` ticks once a millisecond: a tick comes within this, unless the machine is elsewhere. */
const TICK_WAIT_MS = 3
const WITHOUT_TICK_MS = 1

/** Smaller steps back are time told twice, which a slewed clock does too. */
const STEP_MS = 50

export class K6Clock {
  readonly #world: World
  #zeroMs: number
  #latestMs = -Infinity
  /** How often the wall clock, which k6 counts by, was set back. A step forward shows as lateness. */
  stepsBack = 0

  /** The zero lies `zeroMs` after the start of k6's test run. */
  constructor(world: World, zeroMs: number) {
    this.#world = world
    this.#zeroMs = zeroMs
  }

  /** Never falls: after a step back it goes on from where it was. */
  now(): Micros {
    const elapsedMs = this.#world.elapsedMs()
    const backMs = this.#latestMs - elapsedMs
    if (backMs > STEP_MS) {
      this.stepsBack++
      this.#zeroMs -= backMs
      this.#latestMs = elapsedMs
    } else if (backMs < 0) this.#latestMs = elapsedMs
    return Math.floor((this.#latestMs - this.#zeroMs) * MICROS_PER_MS)
  }

  /** Waits for the wall clock to tick, 3 ms at most, and reads the run's clock on both sides of the tick. */
  anchor(): Anchor {
    const world = this.#world
    const first = world.unixMs()
    const giveUpMs = world.elapsedMs() + TICK_WAIT_MS
    let tick = first
    let before = 0
    let after = world.elapsedMs()
    do {
      before = after
      tick = world.unixMs()
      after = world.elapsedMs()
    } while (tick === first && after < giveUpMs)
    const halfMs = tick === first ? WITHOUT_TICK_MS : (after - before) / 2
    const unixMs = tick - ((before + after) / 2 - this.#zeroMs)
    return { unixMs, errorMicros: Math.ceil(halfMs * MICROS_PER_MS) }
  }
}
