/** Concurrency: `limit` requests in flight at once. */
import { withLimits } from './fixed-window.ts'
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'

interface FlightState {
  /** When those in flight leave, in order of time. */
  leavesMs: number[]
}

function inFlight({ limit }: Parameters): Model<FlightState> {
  return {
    memoryMs: 0,
    asksLeaves: true,
    fresh: () => ({ leavesMs: [] }),
    copy: ({ leavesMs }) => ({ leavesMs: [...leavesMs] }),
    timeOf: ({ leavesMs }, k, group) => {
      if (k > limit) return group.leavesMs[k - limit - 1] ?? Infinity
      return leavesMs[leavesMs.length - 1 - (limit - k)] ?? -Infinity
    },
    advance: (state, { lastMs, leavesMs }) => {
      const staying = state.leavesMs.filter((ms) => ms > lastMs)
      const isInOrder = staying.length === 0 || (leavesMs[0] ?? Infinity) >= staying.at(-1)!
      state.leavesMs = staying.length === 0 ? [...leavesMs] : [...staying, ...leavesMs]
      if (!isInOrder) state.leavesMs.sort((a, b) => a - b)
    },
    used: ({ leavesMs }, firstMs) => leavesMs.filter((ms) => ms > firstMs).length,
  }
}

export const concurrency: Hypothesis = {
  name: 'concurrency',
  kind: 'concurrency',
  aligned: null,
  countsRefused: false,
  /** A window as long as the service that it is confused with would be a coincidence. */
  prior: 2,
  has: ['limit'],
  model: (parameters) => inFlight(parameters),
  seeds: (clues, most) => withLimits(clues, [parametersOf({})], most),
}
