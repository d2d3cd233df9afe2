/** Requests to other operations may lie before the zero of the clock, and those of a cut study. */
import { expect, test } from 'vitest'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import { createRandom } from '../../../../../src/base/random.ts'
import { Inference } from '../../../../../src/study/limits/analyse/infer/inference.ts'
import { experimentClock } from '../../../../../src/study/limits/conduct/experiment-clock.ts'
import { profileWorld } from '../../profile-world.ts'

const LONG_MS = 3_600_000

test.each([
  ['tokenBucket: { rate: 2/s, capacity: 10 }', 'token-bucket'],
  ['slidingLog: { limit: 12, window: 3s }', 'sliding-log'],
])('%s is named from it as from any other', (limiter, kind) => {
  const { evidence } = inferIn(profileWorld(limiter, 1), 1).world
  const before = experimentClock(LONG_MS).evidence(evidence)
  const { outcome, finding } = new Inference({}, createRandom(1)).learn(before)
  expect({ outcome, kind: finding.kind }).toEqual({ outcome: 'settled', kind })
})
