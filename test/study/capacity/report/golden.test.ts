import { expect, test } from 'vitest'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { describeTexts } from '../../goldens.ts'
import { describePages } from '../../pages.ts'
import { SAMPLES } from '../sample-capacities.ts'

describeTexts(capacity, SAMPLES)
describePages(Object.entries(SAMPLES), (document) => renderReportPage(capacity.report(document)))

test.each([
  ['answered', 'answered', 'passed', 'good'],
  ['below', 'below', 'failed', 'bad'],
  ['alone', 'fails', 'failed', 'bad'],
  ['unlimited', 'unlimited', 'inconclusive', 'doubt'],
  ['cliff', 'refused', 'inconclusive', 'doubt'],
  ['last-come', 'refused', 'inconclusive', 'doubt'],
  ['poor', 'unresolved', 'inconclusive', 'doubt'],
])('a search like "%s" is %s, ends as %s and looks %s', (name, outcome, exit, tone) => {
  const document = SAMPLES[name]!()
  expect([document.verdict.outcome, capacity.exit(document)]).toEqual([outcome, exit])
  expect(capacity.report(document).headline.tone).toBe(tone)
})
