/**
 * The run's clock inside k6: integer microseconds since a zero that all VUs of the process share.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Timer } from '../waker.ts'
import type { World } from './world.ts'

export interface ClockAnchor {
  /** Unix milliseconds with fraction. */
  unixMs: number
  /** The maximum error of that time. */
  errorMicros: Micros
}

/**
 * `Date.now()` returns whole milliseconds: readings on both sides of its tick, once a millisecond,
 * give the fraction.
 */
const TELL_WITHIN_MS = 5
/** The fewest readings, in case the process was suspended for all of that time. */
const FEWEST_READINGS = 50
/** The most readings, in case the clock hardly moves. */
const MOST_READINGS = 50_000
const CLOSE_ENOUGH_MS = 0.02
const WALL_STEP_MS = 1

/** Smaller steps back are repeated readings, which a slewed clock also produces. */
const STEP_MS = 50

export class K6Clock {
  readonly #world: World
  #zeroMs: number
  #latestMs = -Infinity
  /** How often the wall clock, which k6 uses, was set back. A step forward shows as lateness. */
  stepsBack = 0

  /** The zero is `zeroMs` after the start of k6's test run. */
  constructor(world: World, zeroMs: number) {
    this.#world = world
    this.#zeroMs = zeroMs
  }

  /** Never decreases: after a step back, it continues from where it was. */
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
}

/**
 * When k6's test run began; takes 5 ms or slightly more. A reading W of the wall clock between
 * readings a and b of k6's own says that the start lies in (W - b, W + 1 ms - a). The result is
 * the narrowest interval over many readings, so one during which the process was suspended does no
 * harm.
 */
export function anchorOf(world: Pick<World, 'elapsedMs' | 'unixMs'>): ClockAnchor {
  let lowMs = -Infinity
  let highMs = Infinity
  let beforeMs = world.elapsedMs()
  const giveUpMs = beforeMs + TELL_WITHIN_MS
  let readings = 0
  do {
    readings++
    const wallMs = world.unixMs()
    const afterMs = world.elapsedMs()
    lowMs = Math.max(lowMs, wallMs - afterMs)
    highMs = Math.min(highMs, wallMs + WALL_STEP_MS - beforeMs)
    beforeMs = afterMs
  } while (
    highMs - lowMs > CLOSE_ENOUGH_MS &&
    readings < MOST_READINGS &&
    (beforeMs < giveUpMs || readings < FEWEST_READINGS)
  )
  const errorMs = Math.max(0, highMs - lowMs) / 2
  return { unixMs: (lowMs + highMs) / 2, errorMicros: Math.ceil(errorMs * MICROS_PER_MS) }
}

/** The longest that one timer sleeps; a longer sleep is divided. */
const LONGEST_SLEEP_MS = 24 * 3_600_000

export class K6Timer implements Timer {
  readonly #world: World
  #timer = 0

  constructor(world: World) {
    this.#world = world
  }

  set(restMicros: Micros, fire: () => void): void {
    const restMs = Math.max(0, restMicros / MICROS_PER_MS)
    this.#timer = this.#world.setTimeout(fire, Math.min(restMs, LONGEST_SLEEP_MS))
  }

  clear(): void {
    this.#world.clearTimeout(this.#timer)
  }
}
