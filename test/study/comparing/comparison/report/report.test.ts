import { expect, test } from 'vitest'
import { comparison } from '../../../../../src/study/comparing/comparison/study.ts'
import { describeStudy } from '../../../reports.ts'
import { SAMPLES } from '../sample-comparisons.ts'

describeStudy(comparison, SAMPLES)

test.each([
  ['slower', 'failed'],
  ['losing', 'failed'],
  ['faster', 'passed'],
  ['equal', 'passed'],
  ['alike', 'passed'],
  ['single', 'inconclusive'],
  ['short', 'inconclusive'],
  ['invalid', 'inconclusive'],
])('a comparison that is %s ends as %s', (name, exit) => {
  expect(comparison.exit(SAMPLES[name]!())).toBe(exit)
})
