import { expect, test } from 'vitest'
import { gate } from '../../../../../src/study/comparing/gate/study.ts'
import { describeStudy } from '../../../reports.ts'
import { SAMPLES } from '../sample-gates.ts'

describeStudy(gate, SAMPLES)

test.each([
  ['fail', 'failed', 'bad'],
  ['pass', 'passed', 'good'],
  ['three', 'inconclusive', 'doubt'],
  ['first', 'passed', 'doubt'],
  ['cut', 'inconclusive', 'doubt'],
])('a gate like "%s" ends as %s, and looks %s', (name, exit, tone) => {
  const document = SAMPLES[name]!()
  expect([gate.exit(document), gate.report(document).headline.tone]).toEqual([exit, tone])
})

test('a gate that allows for runs that resemble the run before says so', () => {
  const document = SAMPLES['pass']!()
  const named = (terms: typeof document.terms): (string | undefined)[] =>
    gate.report({ ...document, terms }).facts.map(({ name }) => name)
  expect(named(document.terms)).not.toContain('Order')
  expect(named({ ...document.terms, carryOver: true })).toContain('Order')
})

test('PASS against a baseline whose own runs failed is not green, and says so', () => {
  const document = SAMPLES['failed-base']!()
  const { headline, findings } = gate.report(document)
  expect([document.decision, headline.tone]).toEqual(['pass', 'doubt'])
  expect(headline.sentence).toMatch(/\. But all 8 base runs failed by their own verdict\.$/)
  expect(findings.map(({ message }) => message)).toEqual([
    'ci/baseline/run-9.json is not compared: INVALID, requests were sent late',
    'all 8 base runs failed by their own verdict: execution.p95 is 208 s, and must be below ' +
      '120 s. Take a better base: a candidate that is no worse may be as bad',
    'all 8 new runs failed by their own verdict: execution.p95 is 208 s, and must be below 120 s',
  ])
})
