/** Thresholds judged: by the whole interval, by value, and statements that the sample decides. */
import { describe, expect, test } from 'vitest'
import type { Metric, ThresholdResult } from '../../../src/result/document.ts'
import type { BoundCount } from '../../../src/result/verdict/bound-count.ts'
import { isKept, isMissedDespiteDrops, judge } from '../../../src/result/verdict/judge.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { testBound, testThreshold } from '../../support/plan.ts'

const SHARE: Metric = {
  value: 0.02,
  unit: 'share',
  low: null,
  high: null,
  n: 100,
  never: 0,
  needed: null,
  effective: 100,
}

function threshold(over: Partial<Threshold> = {}): Threshold {
  return testThreshold('execution.failed', 0.05, { ...testBound('< 5%'), ...over })
}

function count(bad: number, n: number, over: Partial<BoundCount> = {}): BoundCount {
  const allowed = { share: 0.05, side: 'below' } as const
  return { bad, n, open: 0, allowed, effective: n, effectiveToMeet: over.effective ?? n, ...over }
}

function judged(
  counted: BoundCount | null,
  over: Partial<Threshold> = {},
  circumstances: Parameters<typeof judge>[3] = {},
): ThresholdResult {
  return judge(threshold(over), { ...SHARE, n: counted?.n ?? 100 }, counted, circumstances)
}

describe('by its interval a threshold is', () => {
  test.each<[why: string, bad: number, n: number, status: ThresholdResult['status']]>([
    ['met with no failure in 72', 0, 72, 'met'],
    ['undecided with no failure in 71', 0, 71, 'undecided'],
    ['undecided with no failure in 5', 0, 5, 'undecided'],
    ['undecided where the bound lies inside', 2, 60, 'undecided'],
    ['missed where the bound lies below', 20, 100, 'missed'],
    ['undecided at 8 of 100, over the bound by its value', 8, 100, 'undecided'],
    ['unmeasurable of nothing', 0, 0, 'unmeasurable'],
  ])('%s', (_, bad, n, status) => {
    expect(judged(count(bad, n)).status).toBe(status)
  })

  test('undecided where the observations depend on each other and say less', () => {
    expect(judged(count(2, 200)).status).toBe('met')
    expect(judged(count(2, 200, { effective: 60 })).status).toBe('undecided')
  })

  test('undecided while open ones may still break it', () => {
    expect(judged(count(0, 100)).status).toBe('met')
    expect(judged(count(0, 100, { open: 20 })).status).toBe('undecided')
    expect(judged(count(30, 100, { open: 20 })).status).toBe('missed')
  })

  test('undecided where the load of the crew asks for more executions', () => {
    const told = judged(count(0, 1_000), {}, { neededAtLoad: 5_000 })
    expect(told).toMatchObject({ status: 'undecided', more: 4_000 })
    expect(told.hint).toMatch(/^1,000 of the 5,000 executions that this load needs/)
    expect(judged(count(0, 5_000), {}, { neededAtLoad: 5_000 }).status).toBe('met')
  })
})

test('of an overloaded crew nothing says that a longer run would settle it', () => {
  const overload = { isOverloaded: true }
  expect(judged(count(3, 60), {}, overload)).toMatchObject({
    status: 'undecided',
    doubt: { kind: 'load', needed: null },
    more: null,
    hint: 'more executions arrive than the crew can complete: lower the rate',
  })
  expect(judged(count(30, 60), {}, overload).hint).toBe('lower the rate or add workers')
})

test('what is undecided says how many more executions would settle it', () => {
  const told = judged(count(0, 60))
  expect(told.more).toBe(12)
  expect(told.hint).toBe('60 of 72 independent executions: a run 1.2 times as long')
  expect(judged(count(1, 1)).hint).toBe('1 of 72 independent executions: a run 72 times as long')
  expect(judged(count(3, 100)).hint).toMatch(
    /^about \d+ more executions would decide it, a run [\d.]+ times as long\. 3 of 100 count against it$/,
  )
  expect(judged(count(3, 100, { effective: 50, effectiveToMeet: 40 })).hint).toMatch(
    /\. 3 of 100 count against it, and 100 count as 40 independent ones$/,
  )
  expect(judged(count(5, 100)).more).toBeNull()
})

describe('a statement about the sample', () => {
  const none = { share: 0, side: 'below', orEqual: true } as const
  test.each<[why: string, BoundCount, ThresholdResult['status']]>([
    ['holds for as few as there are', count(0, 3, { allowed: none }), 'met'],
    ['is broken by one', count(1, 1_000, { allowed: none }), 'missed'],
    ['waits for what is open', count(0, 3, { allowed: none, open: 1 }), 'undecided'],
    ['is broken whatever is open', count(1, 3, { allowed: none, open: 1 }), 'missed'],
  ])('%s', (_, counted, status) => {
    expect(judged(counted)).toMatchObject({ status, judged: 'sample' })
  })
})

describe('by value', () => {
  test.each<[bad: number, status: ThresholdResult['status']]>([
    [4, 'met'],
    [5, 'missed'],
    [8, 'missed'],
  ])('%d of 100 below 5 %% are %s', (bad, status) => {
    expect(judged(count(bad, 100), { judge: 'value' })).toMatchObject({ status, judged: 'value' })
  })

  test.each<[Threshold['operator'], number, string]>([
    ['<', 8_001, 'met'],
    ['<', 8_000, 'missed'],
    ['<=', 8_000, 'met'],
    ['<=', 7_999, 'missed'],
    ['>', 7_999, 'met'],
    ['>', 8_000, 'missed'],
    ['>=', 8_000, 'met'],
    ['>=', 8_001, 'missed'],
  ])('a mean of 8 ms %s %d us is %s', (operator, bound, status) => {
    const mean: Metric = { ...SHARE, unit: 'ms', value: 8, effective: null }
    const on = threshold({ metric: 'execution.mean', operator, bound })
    expect(judge(on, mean, null)).toMatchObject({ status, judged: 'value', bound: bound / 1_000 })
  })

  test('a mean that is never misses every upper bound', () => {
    const never: Metric = { ...SHARE, unit: 'ms', value: 'never', never: 38, effective: null }
    const on = threshold({ metric: 'execution.mean', bound: 60_000_000 })
    expect(judge(on, never, null).status).toBe('missed')
  })
})

describe('a default promise', () => {
  test.each<[bad: number, n: number, status: ThresholdResult['status']]>([
    [0, 3, 'undecided'],
    [1, 3, 'undecided'],
    [3, 60, 'undecided'],
    [2, 60, 'undecided'],
    [0, 72, 'met'],
    [40, 100, 'missed'],
  ])('with %d of %d is %s', (bad, n, status) => {
    expect(judged(count(bad, n), { source: 'default' }).status).toBe(status)
  })
})

describe('with executions that still waited for a person', () => {
  test.each<[paused: number, kept: boolean]>([
    [4, true],
    [5, false],
    [100, false],
  ])('a default promise of 5 %% with %d of 100 is undecided; kept: %s', (paused, kept) => {
    const counted = count(0, 100, { open: paused })
    const told = judged(counted, { source: 'default' }, { paused })
    expect(told.status).toBe('undecided')
    expect(isKept(told)).toBe(kept)
  })

  test('a threshold that they hide asks for their answers, and not for more executions', () => {
    const told = judged(count(0, 200, { open: 20 }), {}, { paused: 20 })
    expect(told).toMatchObject({
      status: 'undecided',
      hint: '20 of 200 still waited for a person at the deadline: raise the deadline, or let somebody answer',
    })
    expect(judged(count(20, 200, { open: 20 }), {}, { paused: 20 }).hint).not.toContain('person')
  })
})

test('drops excuse no miss that is proven even with all of them counted as good', () => {
  expect(isMissedDespiteDrops(threshold(), count(60, 100), 100)).toBe(true)
  expect(isMissedDespiteDrops(threshold(), count(60, 100), 2_000)).toBe(false)
  expect(isMissedDespiteDrops(threshold(), null, 0)).toBe(false)
})

test.each([
  ['let the run finish', 2],
  ['let the run finish', Infinity],
  ['a run 1.1 times as long as planned', 1.1],
])('a run that was cut is told: %s', (told, planned) => {
  expect(judged(count(0, 60), {}, { planned }).hint).toBe(
    `60 of 72 independent executions: ${told}`,
  )
})
