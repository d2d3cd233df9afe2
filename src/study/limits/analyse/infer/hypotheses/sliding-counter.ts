/**
 * Sliding counter: of the calendar window before, as much counts as a stretch that ends now would
 * still cover: previous * (1 - elapsed / window) + current stays within the limit. Some round that
 * down before they compare it (limits for Python, HAProxy): a little more is let in then.
 */
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'
import {
  calendarSeeds,
  withLimits,
  msIntoWindow,
  promisedLengths,
  spreadLengths,
} from './fixed-window.ts'

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
  /** What the window before this one counted, as of this window. */
  const before = ({ window, current, previous }: CounterState, now: number): number =>
    now <= window ? previous : now === window + 1 ? current : 0
  return modelOf<CounterState>({
    memoryMs: 2 * windowMs,
    raises: countsRefused,
    fresh: () => ({ window: -Infinity, current: 0, previous: 0 }),
    copy: ({ window, current, previous }) => ({ window, current, previous }),
    timeOf: (state, k, { firstMs }) => {
      if (k > limit) return Infinity
      const window = Math.max(state.window, windowAt(firstMs))
      const current = window === state.window ? state.current : 0
      const beginMs = phaseMs + window * windowMs
      if (current + k > limit) {
        return beginMs + windowMs * (2 - Math.min(1, (limit - k) / current))
      }
      const previous = before(state, window)
      if (previous === 0) return -Infinity
      return beginMs + windowMs * (1 - (limit - k - current) / previous)
    },
    advance: (state, { firstMs, lastMs, accepted }, refused) => {
      const window = Math.max(state.window, windowAt((firstMs + lastMs) / 2))
      state.previous = before(state, window)
      if (window !== state.window) state.current = 0
      state.window = window
      state.current += accepted + (countsRefused ? refused : 0)
    },
    used: (state, firstMs) => {
      const window = Math.max(state.window, windowAt(firstMs))
      const current = window === state.window ? state.current : 0
      return before(state, window) * (1 + window - (firstMs - phaseMs) / windowMs) + current
    },
  })
}

function counterSeeds(clues: Clues): Parameters[] {
  const lengths = [...spreadLengths(clues, 120), ...promisedLengths(clues, 60)]
  const anywhere = lengths.map((windowMs) =>
    parametersOf({ windowMs, phaseMs: msIntoWindow(clues.random.next() * windowMs, windowMs) }),
  )
  return [...calendarSeeds(clues), ...anywhere]
}

/** What is rounded down and below the next whole number is within the limit. */
const ROUNDED_DOWN = 1 - 1e-6

function slidingCounter(countsRefused: boolean, isRoundedDown: boolean): Hypothesis {
  const more = isRoundedDown ? ROUNDED_DOWN : 0
  const names = [
    'sliding counter',
    isRoundedDown && 'rounded down',
    countsRefused && 'refused count',
  ]
  return {
    name: names.filter((name) => name !== false).join(', '),
    kind: 'sliding-counter',
    aligned: null,
    countsRefused,
    /** It can be fitted to more than others: the phase is as free as the window. */
    prior: (countsRefused ? -1.7 : -1) - (isRoundedDown ? 3 : 0),
    needsCounts: isRoundedDown,
    // Less than the one request of the window before is 0: that is a calendar window.
    leastLimit: isRoundedDown && !countsRefused ? 2 : 0,
    has: ['limit', 'windowMs', 'phaseMs'],
    model: (parameters) =>
      counter({ ...parameters, limit: parameters.limit + more }, countsRefused),
    seeds: (clues, most) => withLimits(clues, counterSeeds(clues), most),
  }
}

export const slidingCounters = [false, true].flatMap((isRoundedDown) => [
  slidingCounter(false, isRoundedDown),
  slidingCounter(true, isRoundedDown),
])
