/** Fixed window: so many requests in each window, and none carries over. */
import type { Micros } from '../../../src/units.ts'
import type { Algorithm, Quota } from './algorithm.ts'

export interface WindowState {
  /** The window is over at this time. */
  endsMicros: Micros
  count: number
}

export interface FixedWindowOptions {
  limit: number
  windowMicros: Micros
  /** On the calendar windows follow each other from midnight, UTC; from the first hit a key has its own. */
  from: 'calendar' | 'first hit'
  /** How far into a calendar window the model's zero is. */
  phaseMicros: Micros
}

export class FixedWindow implements Algorithm<WindowState> {
  readonly windowMicros: Micros
  readonly #options: FixedWindowOptions

  constructor(options: FixedWindowOptions) {
    this.#options = options
    this.windowMicros = options.windowMicros
  }

  fresh(): WindowState {
    return { endsMicros: -Infinity, count: 0 }
  }

  quota({ endsMicros, count }: WindowState, nowMicros: Micros): Quota {
    const { limit } = this.#options
    const leftMicros = Math.ceil(endsMicros - nowMicros)
    if (leftMicros <= 0) return { limit, remaining: limit, moreMicros: null, fullMicros: 0 }
    const remaining = Math.max(0, limit - count)
    return { limit, remaining, moreMicros: leftMicros, fullMicros: leftMicros }
  }

  count(state: WindowState, nowMicros: Micros): void {
    if (nowMicros >= state.endsMicros) {
      state.endsMicros = this.#endOfWindow(nowMicros)
      state.count = 0
    }
    state.count++
  }

  #endOfWindow(nowMicros: Micros): Micros {
    const { windowMicros, from, phaseMicros } = this.#options
    if (from === 'first hit') return nowMicros + windowMicros
    const begun = Math.floor((nowMicros + phaseMicros) / windowMicros)
    return (begun + 1) * windowMicros - phaseMicros
  }
}
