import { expect, test } from 'vitest'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { describeStudy } from '../../reports.ts'
import { SAMPLES } from '../sample-capacities.ts'

describeStudy(capacity, SAMPLES)

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

test.each([
  ['answered', [true, true, true]],
  ['last-come', [true, true, true]],
  ['alone', [true, false, false]],
  ['unlimited', [false, false, false]],
])(
  'how "%s" was found tells what was done, and no more: sampled, solved, compared',
  (name, done) => {
    const sections = capacity.report(SAMPLES[name]!()).sections
    const { blocks } = sections.find(({ title }) => title === 'How it was found')!
    const text = blocks.map((block) => (block.kind === 'prose' ? block.text : '')).join('')
    const told = ['sampled while', 'was then found', 'their waits compared'].map((words) =>
      text.includes(words),
    )
    expect(told).toEqual(done)
  },
)
