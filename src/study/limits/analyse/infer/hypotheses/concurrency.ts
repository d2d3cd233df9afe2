/** Concurrency: `limit` requests in flight at once. */
import { withLimits } from './fixed-window.ts'
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'

interface FlightState {
  /** When those in flight leave, in order of time. */
  leavesMs: number[]
  /** When their answers will have come, in order of time. */
  receivedMs: number[]
}

function inFlight({ limit }: Parameters): Model<FlightState> {
  return modelOf<FlightState>({
    memoryMs: 0,
    asksLeaves: true,
    fresh: () => ({ leavesMs: [], receivedMs: [] }),
    copy: ({ leavesMs, receivedMs }) => ({ leavesMs: [...leavesMs], receivedMs: [...receivedMs] }),
    timeOf: ({ leavesMs, receivedMs }, k, group) => {
      if (k > limit) return group.leavesMs[k - limit - 1] ?? Infinity
      const last = leavesMs.length - 1 - (limit - k)
      // What was sent after an answer had come arrived after that one left, whatever the jitter.
      const isGone = last < 0 || receivedMs[last]! <= group.sentMs
      return isGone ? -Infinity : leavesMs[last]!
    },
    advance: (state, { lastMs, leavesMs, receivedMs }) => {
      let gone = 0
      while (gone < state.leavesMs.length && state.leavesMs[gone]! <= lastMs) gone++
      state.leavesMs = joined(state.leavesMs, gone, leavesMs)
      const received = receivedMs.length > 0 ? receivedMs : leavesMs.map(() => Infinity)
      state.receivedMs = joined(state.receivedMs, gone, received)
    },
    used: ({ leavesMs }, firstMs) => leavesMs.filter((ms) => ms > firstMs).length,
  })
}

/** Joins one sorted list, without its first `gone`, and another into one. */
function joined(before: readonly number[], gone: number, more: readonly number[]): number[] {
  const all: number[] = []
  for (let i = gone; i < before.length; i++) all.push(before[i]!)
  for (const ms of more) all.push(ms)
  const isInOrder = gone === before.length || (more[0] ?? Infinity) >= before.at(-1)!
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
  model: inFlight,
  seeds: (clues, most) => withLimits(clues, [parametersOf({})], most),
}
