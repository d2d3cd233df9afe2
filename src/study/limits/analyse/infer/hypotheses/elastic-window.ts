/**
 * Elastic window: it ends when nothing has been asked for its length, and refused requests prolong
 * it as others do (fixed-window-elastic-expiry of limits for Python, up to its version 4).
 */
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'
import { lengthSeeds, withLimits } from './fixed-window.ts'

interface ElasticState {
  endMs: number
  count: number
}

function elastic({ limit, windowMs }: Parameters): Model<ElasticState> {
  return {
    memoryMs: windowMs,
    raises: true,
    turnMs: null,
    asksLeaves: false,
    fresh: () => ({ endMs: -Infinity, count: 0 }),
    copy: ({ endMs, count }) => ({ endMs, count }),
    timeOf: ({ endMs, count }, k, { firstMs }) => {
      if (k > limit) return Infinity
      return firstMs >= endMs || k <= limit - count ? -Infinity : endMs
    },
    advance: (state, { firstMs, lastMs, accepted }, refused) => {
      if (accepted + refused === 0) return
      const isNew = firstMs >= state.endMs || accepted > limit - state.count
      state.count = (isNew ? 0 : state.count) + accepted + refused
      state.endMs = lastMs + windowMs
    },
    used: ({ endMs, count }, firstMs) => (firstMs < endMs ? count : 0),
  }
}

export const elasticWindow: Hypothesis = {
  name: 'fixed window, last hit',
  kind: 'fixed-window',
  aligned: 'last-hit',
  countsRefused: true,
  prior: -4,
  needsCounts: true,
  has: ['limit', 'windowMs'],
  model: elastic,
  seeds: (clues, most) => withLimits(clues, lengthSeeds(clues), most),
}
