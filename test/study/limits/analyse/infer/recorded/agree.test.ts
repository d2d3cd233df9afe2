/** What several searches of one recording say together. */
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../../../../../src/study/limits/analyse/infer/inferred-limit.ts'
import type { RateLimit } from '../../../../../../src/study/limits/document.ts'
import type { Conclusion } from '../../../../../../src/study/limits/analyse/infer/interface.ts'
import type { LearnAttempt } from '../../../../../../src/study/limits/analyse/infer/learn.ts'
import { agreedOn, doAgree } from '../../../../../../src/study/limits/analyse/infer/learn.ts'
import { conclusionWith } from '../../../sample-limits.ts'

function attempt(
  kind: RateLimit['kind'],
  fit: number,
  outcome: Conclusion['outcome'] = 'settled',
): LearnAttempt {
  const conclusion = conclusionWith({ ...UNKNOWN, kind, probability: 0.999 }, { outcome })
  return { conclusion, isGood: true, fit }
}

/** A window that a block within it would explain as well. */
function openWindow(fit: number): LearnAttempt {
  const { conclusion, ...rest } = attempt('fixed-window', fit, 'cannot-tell')
  const runnerUp = { kind: 'penalty', probability: 0.4 } as const
  return { ...rest, conclusion: { ...conclusion, finding: { ...conclusion.finding, runnerUp } } }
}

test('the search that explains most is believed', () => {
  const { outcome, finding } = agreedOn([
    attempt('sliding-counter', -40),
    attempt('token-bucket', -2),
  ])
  expect(outcome).toBe('settled')
  expect(finding.kind).toBe('token-bucket')
  expect(finding.probability).toBe(0.999)
})

test('one of another kind that explains about as much leaves it open', () => {
  const { outcome, finding, doubts } = agreedOn([
    attempt('fixed-window', -2),
    attempt('sliding-counter', -10),
  ])
  expect(outcome).toBe('cannot-tell')
  expect(finding.probability).toBe(0.9)
  expect(finding.runnerUp?.kind).toBe('sliding-counter')
  expect(doubts).toEqual([])
})

test('one that does not explain the whole recording rivals nothing', () => {
  const rival = { ...attempt('sliding-counter', -10), isGood: false }
  expect(agreedOn([attempt('fixed-window', -2), rival]).outcome).toBe('settled')
})

test('what explains only the first refusals is no answer', () => {
  const { outcome, doubts } = agreedOn([{ ...attempt('fixed-window', -2), isGood: false }])
  expect(outcome).toBe('cannot-tell')
  expect(doubts).toEqual([{ code: 'changed' }])
})

test('a short block within a window is another name of it, where a search found it alone', () => {
  const { outcome, finding } = agreedOn([openWindow(-1), attempt('fixed-window', -1.5)])
  expect(outcome).toBe('settled')
  expect(finding.kind).toBe('fixed-window')
  expect(finding.sameAs).toEqual(['penalty'])
  expect(agreedOn([openWindow(-1)]).outcome).toBe('cannot-tell')
  expect(agreedOn([openWindow(-1), attempt('fixed-window', -3)]).outcome).toBe('cannot-tell')
})

test('a window beside a short block is compared with other kinds as well', () => {
  const attempts = [openWindow(-1), attempt('fixed-window', -1.5)]
  const { outcome, finding } = agreedOn([...attempts, attempt('sliding-counter', -8)])
  expect(outcome).toBe('cannot-tell')
  expect(finding.runnerUp?.kind).toBe('sliding-counter')
  expect(agreedOn([...attempts, attempt('sliding-counter', -20)]).outcome).toBe('settled')
  // The penalty is told already.
  expect(agreedOn([...attempts, attempt('penalty', -2)]).outcome).toBe('settled')
})

test('one search is enough for a kind that fits nothing else, and two for a flexible one', () => {
  expect(doAgree([attempt('fixed-window', -1)])).toBe(true)
  expect(doAgree([attempt('sliding-counter', -1)])).toBe(false)
  expect(doAgree([attempt('sliding-counter', -1), attempt('sliding-counter', -2)])).toBe(true)
  expect(doAgree([attempt('fixed-window', -1, 'cannot-tell')])).toBe(false)
})
