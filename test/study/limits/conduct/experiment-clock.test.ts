import { expect, test } from 'vitest'
import { inferIn } from '../../../../bench/truth/limits/trial.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { Inference } from '../../../../src/study/limits/analyse/infer/inference.ts'
import type { LimitEvidence } from '../../../../src/study/limits/analyse/infer/interface.ts'
import { experimentClock } from '../../../../src/study/limits/conduct/probing.ts'
import { profileWorld } from '../profile-world.ts'

const ONE = { answer: 'accepted', status: 200, headers: {} } as const

test('times of a study are told from its zero, and experiments on the clock of the study', () => {
  const clock = experimentClock(-5_000)
  expect(clock.from(-4_000)).toBe(1_000)
  const evidence: LimitEvidence = [
    { ...ONE, sentMs: -5_000, receivedMs: -4_990 },
    { ...ONE, sentMs: -3_000, receivedMs: -2_990, burstMs: -3_001 },
  ]
  expect(clock.evidence(evidence)).toEqual([
    { ...ONE, sentMs: 0, receivedMs: 10 },
    { ...ONE, sentMs: 2_000, receivedMs: 2_010, burstMs: 1_999 },
  ])
  const experiment = {
    kind: 'experiment',
    purpose: 'Try it.',
    startMs: 7_000,
    sends: [],
    until: null,
    isDrain: false,
  } as const
  expect(clock.experiment(experiment)).toEqual({ ...experiment, startMs: 2_000 })
})

test('what begins near the zero of the study keeps its times', () => {
  expect(experimentClock(250).from(1_000)).toBe(1_000)
  expect(experimentClock(60_000).from(61_000)).toBe(1_000)
})

test.each([
  ['slidingLog: { limit: 12, window: 3s }', 'sliding-log'],
  ['slidingCounter: { limit: 12, window: 3s }', 'sliding-counter'],
])('%s is named from what an earlier process of the study has sent', (limiter, kind) => {
  const { evidence } = inferIn(profileWorld(limiter, 1), 1).world
  const before = experimentClock(evidence[0]!.sentMs + 3_600_000).evidence(evidence)
  expect(before.at(-1)!.sentMs).toBeLessThan(-3_000_000)
  // Where a counter's windows begin is looked for near the zero alone.
  const clock = experimentClock(before[0]!.sentMs)
  const known = kind === 'sliding-counter' ? clock.evidence(before) : before
  const { rateLimit, outcome } = new Inference({}, createRandom(1)).learn(known)
  expect({ outcome, kind: rateLimit.kind }).toEqual({ outcome: 'settled', kind })
})
