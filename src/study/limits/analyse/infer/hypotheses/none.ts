/** No limit: everything is let in. */
import type { Hypothesis, Model } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'

const unlimited: Model<null> = {
  memoryMs: 0,
  raises: false,
  turnMs: null,
  asksLeaves: false,
  fresh: () => null,
  copy: () => null,
  timeOf: () => -Infinity,
  advance: () => {},
  used: () => 0,
}

export const none: Hypothesis = {
  name: 'none',
  kind: 'none',
  aligned: null,
  countsRefused: false,
  prior: 0,
  has: [],
  model: () => unlimited,
  seeds: () => [parametersOf({})],
}
