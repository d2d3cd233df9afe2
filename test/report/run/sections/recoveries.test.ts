/** Recovery in words: each way that a disturbance can end. */
import { expect, test } from 'vitest'
import {
  RECOVERIES as SECTION,
  recoverySentence,
} from '../../../../src/report/run/sections/optional/recoveries.ts'
import type { RecoveryResult } from '../../../../src/result/disturbances.schema.ts'
import { steadyDocument } from '../sample-document.ts'
import { runFile } from '../../../support/run-shown.ts'

/** One of each kind. */
const RECOVERIES: RecoveryResult[] = (
  ['recovered', 'not-recovered', 'too-few', 'unsteady', 'overloaded'] as const
).map((state, number) => ({
  faults: ['outage', ...(number === 0 ? ['restart'] : [])],
  fromMs: (number + 1) * 600_000,
  toMs: (number + 1) * 600_000 + 60_000,
  untilMs: (number + 2) * 600_000,
  former: { wanted: 200, served: 194 },
  windowMs: state === 'too-few' ? null : 8_000,
  state,
  afterMs: state === 'recovered' ? 12_000 : null,
  needed: state === 'too-few' ? 64 : null,
}))

test.each([
  [
    'recovered',
    'After outage and restart (10 to 11 min) arrivals 12.0 s after its end, or later, were ' +
      'served as before, to within 8.00 s. Before it 97.0 % of 200 arrivals were served.',
  ],
  [
    'not-recovered',
    'After outage (20 to 21 min) goodput stayed below 95 % of its former level for the ' +
      'observed time (30 min). Before it 97.0 % of 200 arrivals were served.',
  ],
  ['unsteady', 'no conclusion: goodput was already changing before it'],
  ['overloaded', 'no conclusion: goodput was already reduced before it'],
])('%s', (state, words) => {
  const recovery = RECOVERIES.find((each) => each.state === state)!
  expect(recoverySentence(recovery)).toContain(words)
})

test('at once is no time', () => {
  const [recovered] = RECOVERIES
  expect(recoverySentence({ ...recovered!, afterMs: 0, windowMs: null })).toContain(
    'arrivals were served as before immediately. Before it ',
  )
})

test('too few are counted in one sentence, and stand in the table', () => {
  const text = runFile({ ...steadyDocument(), recoveries: RECOVERIES }, 'report.html').replaceAll(
    '\u00A0',
    ' ',
  )
  expect(text).toContain('After 1 disturbance there were too few arrivals')
  expect(text).toContain('too few: a window needs 64')
})

test('without a disturbance there is nothing', () => {
  expect(SECTION.blocks(steadyDocument())).toEqual([])
  expect(runFile(steadyDocument(), 'report.html')).not.toContain('After the faults')
})
