/** Fixed window: a maximum of requests in each window; none carry over. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import { count, lasting, oneOf } from '../../schema/quantities.ts'
import type { Algorithm, AlgorithmQuota, LimiterClock } from '../definition.ts'
import { defineLimiter } from '../definition.ts'

export const limit = count(1).meta({ description: 'Requests in a window.' })

interface FixedWindowState {
  /** The window ends at this time. */
  endsMicros: Micros
  count: number
}

interface FixedWindowOptions {
  limit: number
  windowMicros: Micros
  /**
   * Calendar windows follow each other from midnight UTC; `first hit` gives each key a window of
   * its own, and `last hit` one that ends when nothing has counted for as long (the elastic window
   * of limits for Python).
   */
  from: (typeof FROM)[number]
  /**
   * The time from the beginning of a day to the model's time zero; without days, from the beginning
   * of a calendar window.
   */
  phaseMicros: Micros
  /**
   * The length of a day; the last window of each may be shorter than the others. Missing: windows
   * continue across days.
   */
  dayMicros?: Micros
}

const FROM = ['calendar', 'first hit', 'last hit'] as const

class FixedWindow implements Algorithm<FixedWindowState> {
  readonly windowMicros: Micros
  readonly #options: FixedWindowOptions

  constructor(options: FixedWindowOptions) {
    this.#options = options
    this.windowMicros = options.windowMicros
  }

  fresh(): FixedWindowState {
    return { endsMicros: -Infinity, count: 0 }
  }

  quota({ endsMicros, count }: FixedWindowState, nowMicros: Micros): AlgorithmQuota {
    const { limit } = this.#options
    const leftMicros = Math.ceil(endsMicros - nowMicros)
    if (leftMicros <= 0) return { limit, remaining: limit, moreMicros: null, fullMicros: 0 }
    const remaining = Math.max(0, limit - count)
    return { limit, remaining, moreMicros: leftMicros, fullMicros: leftMicros }
  }

  count(state: FixedWindowState, nowMicros: Micros): void {
    const isOver = nowMicros >= state.endsMicros
    if (isOver) state.count = 0
    if (isOver || this.#options.from === 'last hit') state.endsMicros = this.#endOfWindow(nowMicros)
    state.count++
  }

  #endOfWindow(nowMicros: Micros): Micros {
    const { windowMicros, from, phaseMicros, dayMicros = Infinity } = this.#options
    if (from !== 'calendar') return nowMicros + windowMicros
    const micros = nowMicros + phaseMicros
    const midnight = dayMicros === Infinity ? 0 : Math.floor(micros / dayMicros) * dayMicros
    const begun = Math.floor((micros - midnight) / windowMicros)
    const end = midnight + Math.min((begun + 1) * windowMicros, dayMicros)
    return end - phaseMicros
  }
}

export const fixedWindow = defineLimiter({
  kind: 'fixed-window',
  description: 'A maximum of requests in each window.',
  written: z
    .strictObject({
      limit,
      window: lasting,
      from: oneOf(FROM)
        .prefault('calendar')
        .meta({
          description:
            'Shared windows since midnight UTC. Or a window per key from its first request, or until ' +
            'nothing has counted for as long.',
        }),
    })
    .transform(({ limit: most, window: windowMicros, from }) => ({
      limit: most,
      windowMicros,
      from,
    })),
  algorithm: (profile, clock) =>
    new FixedWindow({ ...profile, ...calendarOf(profile.windowMicros, clock) }),
  example: { limit: 100, window: '1m', from: 'first hit' },
})

const DAY_MICROS = 86_400_000_000

/**
 * Windows restart at each midnight UTC if a day holds more than one; longer ones
 * continue across days.
 */
function calendarOf(
  windowMicros: Micros,
  clock: LimiterClock,
): { phaseMicros: Micros; dayMicros?: Micros } {
  if (windowMicros >= DAY_MICROS) return { phaseMicros: phaseOf(windowMicros, clock) }
  return { phaseMicros: phaseOf(DAY_MICROS, clock), dayMicros: DAY_MICROS }
}

/**
 * How far into a window the model's time zero is: windows follow each other from the Unix epoch.
 */
export function phaseOf(windowMicros: Micros, { anchorUnixMs }: LimiterClock): Micros {
  return Math.floor((anchorUnixMs * MICROS_PER_MS) % windowMicros)
}
