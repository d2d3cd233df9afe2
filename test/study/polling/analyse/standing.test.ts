import { expect, test } from 'vitest'
import type { Estimated } from '../../../../src/study/polling/analyse/choice/estimate.ts'
import {
  isStudyAnswer,
  choiceStandingOf,
} from '../../../../src/study/polling/analyse/choice/choose.ts'

const best = {} as Estimated

test.each([
  ['no strategy keeps it', { best: null, isSure: false, regret: null }, 'none', false],
  ['its band does not', { best, isSure: false, regret: null }, 'unsure', false],
  ['there is no other', { best, isSure: true, regret: null }, 'clear', true],
  [
    'none is better by 10 %',
    { best, isSure: true, regret: { value: 0, high: 0.1 } },
    'clear',
    true,
  ],
  ['one may be, by 50 %', { best, isSure: true, regret: { value: 0, high: 0.5 } }, 'tie', true],
  ['one may be, by more', { best, isSure: true, regret: { value: 0, high: 0.51 } }, 'wide', false],
  ['nothing is known', { best, isSure: true, regret: { value: 0, high: NaN } }, 'wide', false],
] as const)('where %s: %j is %s', (_what, choice, standing, answers) => {
  expect(choiceStandingOf(choice)).toBe(standing)
  expect(isStudyAnswer({ ...choice, runnerUp: null, simpler: null, front: [] })).toBe(answers)
})
