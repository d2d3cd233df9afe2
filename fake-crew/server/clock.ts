/** The clock of a fake crew: the real one, or one that moves only when it is told to. */
import { DueHeap } from '../../src/base/collections/heap.ts'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'

export interface ServerClock {
  /** Wall clock at its zero, Unix milliseconds. */
  readonly anchorUnixMs: number
  /** Whole microseconds since its zero; never decreases. */
  nowMicros(): Micros
  /** Calls `act` once so much time has passed; the returned function cancels that. */
  after(micros: Micros, act: () => void): () => void
  /** Calls `look` again and again as time passes; the returned function ends that. */
  watch(look: () => void): () => void
}

/** The longest delay that a timer accepts. */
const MAX_TIMER_MS = 0x7fff_ffff
const WATCH_MS = 5

export class RealClock implements ServerClock {
  readonly #zeroMs = performance.now()
  readonly anchorUnixMs = performance.timeOrigin + performance.now()

  nowMicros(): Micros {
    return Math.round((performance.now() - this.#zeroMs) * MICROS_PER_MS)
  }

  after(micros: Micros, act: () => void): () => void {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      const nextMs = Math.min(leftMs, MAX_TIMER_MS)
      timer = setTimeout(() => (leftMs === nextMs ? act() : wait(leftMs - nextMs)), nextMs)
    }
    wait(micros / MICROS_PER_MS)
    return () => clearTimeout(timer)
  }

  watch(look: () => void): () => void {
    const timer = setInterval(look, WATCH_MS)
    return () => clearInterval(timer)
  }
}

interface Due {
  act: () => void
  isCancelled: boolean
}

export class ManualClock implements ServerClock {
  readonly anchorUnixMs = Date.now()
  readonly #dues = new DueHeap<Due>()
  readonly #watches = new Set<() => void>()
  #nowMicros: Micros = 0

  nowMicros(): Micros {
    return this.#nowMicros
  }

  /**
   * One step of moving on by so much: to what is due next, which then happens, or to the end.
   * Returns what is left to move; null at the end.
   */
  step(micros: Micros): Micros | null {
    const untilMicros = this.#nowMicros + micros
    if (this.#dues.nextDue > untilMicros) {
      this.#nowMicros = untilMicros
      for (const look of this.#watches) look()
      return null
    }
    this.#nowMicros = this.#dues.nextDue
    const { act, isCancelled } = this.#dues.pop()!
    if (!isCancelled) act()
    return untilMicros - this.#nowMicros
  }

  after(micros: Micros, act: () => void): () => void {
    const due = { act, isCancelled: false }
    this.#dues.push(this.#nowMicros + Math.ceil(micros), due)
    return () => (due.isCancelled = true)
  }

  /** Much ends while time stands still: by a reset, a restart or a poll. */
  watch(look: () => void): () => void {
    this.#watches.add(look)
    const timer = setInterval(look, WATCH_MS)
    return () => {
      clearInterval(timer)
      this.#watches.delete(look)
    }
  }
}
