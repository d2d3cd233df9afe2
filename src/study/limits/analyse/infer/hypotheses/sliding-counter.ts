/**
 * Sliding counter: of the calendar window before, as much counts as a stretch that ends now would
 * still cover: previous * (1 - elapsed / window) + current stays within the limit.
 */
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'
import { calendarSeeds, withLimits } from './fixed-window.ts'
import { phaseOf, promisedLengths, spreadLengths } from './windows.ts'

interface CounterState {
  window: number
  current: number
  previous: number
}

function counter(
  { limit, windowMs, phaseMs }: Parameters,
  countsRefused: boolean,
): Model<CounterState> {
  const windowAt = (ms: number): number => Math.floor((ms - phaseMs) / windowMs)
  const turned = (state: CounterState, window: number): CounterState => {
    if (window <= state.window) return state
    const previous = window === state.window + 1 ? state.current : 0
    return { window, current: 0, previous }
  }
  return {
    memoryMs: 2 * windowMs,
    raises: countsRefused,
    fresh: () => ({ window: -Infinity, current: 0, previous: 0 }),
    copy: (state) => ({ ...state }),
    timeOf: (state, k, { firstMs }) => {
      const { window, current, previous } = turned(state, windowAt(firstMs))
      const beginMs = phaseMs + window * windowMs
      if (k > limit) return Infinity
      if (current + k > limit) {
        return beginMs + windowMs * (2 - Math.min(1, (limit - k) / current))
      }
      if (previous === 0) return -Infinity
      return beginMs + windowMs * (1 - (limit - k - current) / previous)
    },
    advance: (state, { firstMs, lastMs, accepted, refused }) => {
      Object.assign(state, turned(state, windowAt((firstMs + lastMs) / 2)))
      state.current += accepted + (countsRefused ? refused : 0)
    },
    used: (state, firstMs) => {
      const { window, current, previous } = turned(state, windowAt(firstMs))
      return previous * (1 + window - (firstMs - phaseMs) / windowMs) + current
    },
  }
}

function counterSeeds(clues: Clues): Parameters[] {
  const lengths = [...spreadLengths(clues, 120), ...promisedLengths(clues, 60)]
  const anywhere = lengths.map((windowMs) =>
    parametersOf({ windowMs, phaseMs: phaseOf(clues.random.next() * windowMs, windowMs) }),
  )
  return [...calendarSeeds(clues), ...anywhere]
}

function slidingCounter(countsRefused: boolean): Hypothesis {
  return {
    name: countsRefused ? 'sliding counter, refused count' : 'sliding counter',
    kind: 'sliding-counter',
    aligned: null,
    countsRefused,
    /** It can be fitted to more than others: the phase is as free as the window. */
    prior: countsRefused ? -1.7 : -1,
    has: ['limit', 'windowMs', 'phaseMs'],
    model: (parameters) => counter(parameters, countsRefused),
    seeds: (clues, most) => withLimits(clues, counterSeeds(clues), most),
  }
}

export const slidingCounters = [slidingCounter(false), slidingCounter(true)]
