/** Whether refused requests count is told only where the answers tell it. */
import { expect, test } from 'vitest'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import { profileWorld } from '../../profile-world.ts'

test.each([
  ['free', true],
  ['counted', false],
])(
  'a bucket that holds requests back, whose refused ones are %s, is not told wrong',
  (rejected, wrong) => {
    const bucket = `leakyBucket: { rate: 2/s, burst: 10, excess: delayed }, rejected: ${rejected}`
    for (const seed of [1, 2, 3]) {
      const { finding, outcome } = inferIn(profileWorld(bucket, seed), seed).conclusion
      expect(outcome).toBe('settled')
      expect(finding.delaying).toBe(true)
      expect(finding.countsRefused).not.toBe(wrong)
    }
  },
)

test.each([
  ['free', false],
  ['counted', true],
])('a log whose refused requests are %s is told as one', (rejected, truth) => {
  for (const seed of [1, 2, 3]) {
    const log = `slidingLog: { limit: 12, window: 3s }, rejected: ${rejected}`
    expect(inferIn(profileWorld(log, seed), seed).conclusion.finding.countsRefused).toBe(truth)
  }
})
