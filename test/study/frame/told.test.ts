/** A study whose reports could not be written passes nowhere, and tells what it found. */
import { expect, test } from 'vitest'
import { gateSchema } from '../../../src/study/gate/document.ts'
import { gate } from '../../../src/study/gate/study.ts'
import { limitsSchema } from '../../../src/study/limits/document.ts'
import { limits } from '../../../src/study/limits/study.ts'
import { toldOf } from '../../../src/study/frame/told.ts'
import { SAMPLES } from '../gate/sample-gates.ts'
import { answered } from '../limits/sample-limits.ts'

test.each(Object.entries(SAMPLES))('a gate, %s', (_name, sample) => {
  const whole = toldOf(gate, sample(), null)
  expect(whole.document).toEqual(sample())
  const { document, report, exit } = toldOf(gate, sample(), 'ENOSPC: no space left')
  expect(exit).toBe('invalid')
  expect(report.headline).toMatchObject({ word: 'INVALID', tone: 'bad' })
  expect(report.headline.sentence).toContain(whole.report.headline.sentence)
  expect(report.sections).toEqual(whole.report.sections)
  const { verdict, decision } = gateSchema.parse(document)
  expect({ outcome: verdict.outcome, decision }).toEqual({
    outcome: 'invalid',
    decision: 'inconclusive',
  })
  expect(verdict.reasons[0]!.message).toBe(
    'the reports could not be written: ENOSPC: no space left',
  )
})

test('limits', () => {
  const { document, exit } = toldOf(limits, answered(), 'ENOSPC: no space left')
  const { verdict, ...rest } = limitsSchema.parse(document)
  const { verdict: _, ...found } = answered()
  expect({ outcome: verdict.outcome, exit }).toEqual({ outcome: 'invalid', exit: 'invalid' })
  expect(rest).toEqual(found)
})
