/** Node's timer for wakes, late by a fraction of a millisecond. */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Timer } from '../waker.ts'

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
const LONGEST_SLEEP_MS = 2 ** 31 - 1

function sleepMs(restMicros: Micros, isCrowded: boolean): number {
  const spunMicros = isCrowded ? 0 : ROUND_THE_LOOP_MICROS
  const ms = Math.floor((restMicros + MICROS_PER_MS - spunMicros) / MICROS_PER_MS)
  return Math.min(Math.max(1, ms), LONGEST_SLEEP_MS)
}
