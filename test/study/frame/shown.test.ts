/** A study whose reports could not be written passes nowhere, and tells what it found. */
import { allText } from '../../../src/report/frame/report.ts'
import { capacity } from '../../../src/study/capacity/study.ts'
import { comparison } from '../../../src/study/comparing/comparison/study.ts'
import type { StudyDocument } from '../../../src/study/frame/envelope.ts'
import type { Study } from '../../../src/study/frame/study.ts'
import { history } from '../../../src/study/comparing/history/study.ts'
import { polling } from '../../../src/study/polling/study.ts'
import { recovery } from '../../../src/study/recovery/study.ts'
import { saturation } from '../../../src/study/saturation/study.ts'
import { SAMPLES as CAPACITIES } from '../capacity/sample-capacities.ts'
import { SAMPLES as COMPARISONS } from '../comparing/comparison/sample-comparisons.ts'
import { SAMPLES as HISTORIES } from '../comparing/history/sample-histories.ts'
import { answered as pollingAnswered } from '../polling/sample-pollings.ts'
import { recovering } from '../recovery/sample-recoveries.ts'
import { steepSaturation } from '../saturation/sample-saturations.ts'
import { expect, test } from 'vitest'
import { gateSchema } from '../../../src/study/comparing/gate/document.ts'
import { gate } from '../../../src/study/comparing/gate/study.ts'
import { limits } from '../../../src/study/limits/study.ts'
import { shownOf } from '../../../src/study/frame/study.ts'
import { SAMPLES } from '../comparing/gate/sample-gates.ts'
import { answered } from '../limits/sample-limits.ts'

test.each(Object.entries(SAMPLES))('a gate, %s', (_name, sample) => {
  const whole = shownOf(gate, sample(), null)
  expect(whole.document).toEqual(sample())
  const { document, report, exit } = shownOf(gate, sample(), 'ENOSPC: no space left')
  expect(exit).toBe('invalid')
  expect(report.headline).toMatchObject({ word: 'INVALID', tone: 'bad' })
  expect(allText(report.headline)).toContain(allText(whole.report.headline))
  // Without the functions of figures, which are made anew for each.
  expect(JSON.stringify(report.sections)).toBe(JSON.stringify(whole.report.sections))
  const { verdict, decision } = gateSchema.parse(document)
  expect({ outcome: verdict.outcome, decision }).toEqual({
    outcome: 'invalid',
    decision: 'inconclusive',
  })
  expect(verdict.reasons[0]!.message).toBe(
    'the reports could not be written: ENOSPC: no space left',
  )
})

test.each([
  ['capacity', ...invalid(capacity, Object.values(CAPACITIES)[0]!())],
  ['comparison', ...invalid(comparison, Object.values(COMPARISONS)[0]!())],
  ['history', ...invalid(history, Object.values(HISTORIES)[0]!())],
  ['limits', ...invalid(limits, answered())],
  ['polling', ...invalid(polling, pollingAnswered())],
  ['recovery', ...invalid(recovery, recovering())],
  ['saturation', ...invalid(saturation, steepSaturation())],
] as const)(
  '%s: the document follows its schema, and keeps what was found',
  (_name, kept, found) => {
    expect(kept).toMatchObject(found)
    expect(kept).toMatchObject({ verdict: { outcome: 'invalid' } })
  },
)

/** What `--json` prints, as its schema reads it; and what was found, beside the verdict. */
function invalid<D extends StudyDocument>(
  study: Study<never, D>,
  document: D,
): readonly [unknown, object] {
  const { document: told } = shownOf(study, document, 'ENOSPC: no space left')
  const { verdict, ...found } = document
  const { outcome: _o, sentence: _s, more: _m, reasons: _r, ...own } = verdict
  return [study.schema.parse(told), { ...found, verdict: own }]
}
