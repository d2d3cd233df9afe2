/** What several searches of one recording say together. */
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../../../../../src/study/limits/analyse/infer/interface.ts'
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
  return {
    ...rest,
    conclusion: { ...conclusion, rateLimit: { ...conclusion.rateLimit, runnerUp } },
  }
}

const COUNTER = attempt('sliding-counter', -10)
const BLOCKED = [openWindow(-1), attempt('fixed-window', -1.5)]

test.each<[string, LearnAttempt[], Partial<Conclusion['rateLimit']>, boolean]>([
  [
    'the search that explains most is believed',
    [attempt('sliding-counter', -40), attempt('token-bucket', -2)],
    { kind: 'token-bucket', probability: 0.999 },
    true,
  ],
  [
    'one of another kind that explains about as much leaves it open',
    [attempt('fixed-window', -2), COUNTER],
    { probability: 0.9, runnerUp: { kind: 'sliding-counter', probability: expect.any(Number) } },
    false,
  ],
  [
    'one that does not explain the whole recording rivals nothing',
    [attempt('fixed-window', -2), { ...COUNTER, isGood: false }],
    {},
    true,
  ],
  [
    'a short block within a window is another name of it, where a search found it alone',
    BLOCKED,
    { kind: 'fixed-window', sameAs: ['penalty'] },
    true,
  ],
  ['but not where none did', [openWindow(-1)], {}, false],
  ['nor where it explains less', [openWindow(-1), attempt('fixed-window', -3)], {}, false],
  [
    'a window beside a short block is compared with other kinds as well',
    [...BLOCKED, attempt('sliding-counter', -8)],
    { runnerUp: { kind: 'sliding-counter', probability: expect.any(Number) } },
    false,
  ],
  ['which may explain far less', [...BLOCKED, attempt('sliding-counter', -20)], {}, true],
  ['and not with the penalty itself', [...BLOCKED, attempt('penalty', -2)], {}, true],
])('%s', (_, attempts, found, isSettled) => {
  const { outcome, rateLimit, caveats } = agreedOn(attempts)
  expect(outcome).toBe(isSettled ? 'settled' : 'cannot-tell')
  expect(rateLimit).toMatchObject(found)
  expect(caveats).toEqual([])
})

test('what explains only the first refusals is no answer', () => {
  const { outcome, caveats } = agreedOn([{ ...attempt('fixed-window', -2), isGood: false }])
  expect([outcome, caveats]).toEqual(['cannot-tell', [{ code: 'changed' }]])
})

test('one search is enough for a kind that fits nothing else, and two for a flexible one', () => {
  expect(doAgree([attempt('fixed-window', -1)])).toBe(true)
  expect(doAgree([attempt('sliding-counter', -1)])).toBe(false)
  expect(doAgree([attempt('sliding-counter', -1), attempt('sliding-counter', -2)])).toBe(true)
  expect(doAgree([attempt('fixed-window', -1, 'cannot-tell')])).toBe(false)
})
