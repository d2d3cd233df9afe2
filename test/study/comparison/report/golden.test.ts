import { expect, test } from 'vitest'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { comparison } from '../../../../src/study/comparison/study.ts'
import { describeTexts } from '../../goldens.ts'
import { describePages } from '../../pages.ts'
import { SAMPLES } from '../sample-comparisons.ts'

describeTexts(comparison, SAMPLES)
describePages(Object.entries(SAMPLES), (document) => renderReportPage(comparison.report(document)))

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
