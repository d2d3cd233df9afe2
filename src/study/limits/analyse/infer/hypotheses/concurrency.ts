/** Concurrency: `limit` requests in flight at once. */
import { withLimits } from './fixed-window.ts'
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'

interface FlightState {
  /** When those in flight leave, in order of time. */
  leavesMs: number[]
  /** When their answers will have come, in order of time. */
  receivedMs: number[]
}

function inFlight({ limit }: Parameters): Model<FlightState> {
  return {
    memoryMs: 0,
    asksLeaves: true,
    fresh: () => ({ leavesMs: [], receivedMs: [] }),
    copy: ({ leavesMs, receivedMs }) => ({
      leavesMs: [...leavesMs],
      receivedMs: [...receivedMs],
    }),
    timeOf: ({ leavesMs, receivedMs }, k, group) => {
      if (k > limit) return group.leavesMs[k - limit - 1] ?? Infinity
      const last = leavesMs.length - 1 - (limit - k)
      // What was sent after an answer had come arrived after that one left, whatever the jitter.
      const isGone = last < 0 || receivedMs[last]! <= group.sentMs
      return isGone ? -Infinity : leavesMs[last]!
    },
    advance: (state, { lastMs, leavesMs, receivedMs }) => {
      const gone = state.leavesMs.findIndex((ms) => ms > lastMs)
      const from = gone === -1 ? state.leavesMs.length : gone
      state.leavesMs = joined(state.leavesMs.slice(from), leavesMs)
      const received = receivedMs.length > 0 ? receivedMs : leavesMs.map(() => Infinity)
      state.receivedMs = joined(state.receivedMs.slice(from), received)
    },
    used: ({ leavesMs }, firstMs) => leavesMs.filter((ms) => ms > firstMs).length,
  }
}

/** Joins two sorted lists into one. */
function joined(staying: readonly number[], more: readonly number[]): number[] {
  if (staying.length === 0) return [...more]
  const all = [...staying, ...more]
  const isInOrder = (more[0] ?? Infinity) >= staying.at(-1)!
  return isInOrder ? all : all.sort((a, b) => a - b)
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
