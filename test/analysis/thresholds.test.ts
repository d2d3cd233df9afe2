import { expect, test } from 'vitest'
import type { Metric } from '../../src/analysis/document.ts'
import { cannotBeMet, judge } from '../../src/analysis/thresholds.ts'
import type { Threshold } from '../../src/scenario/plan.ts'

const P95: Metric = { value: 8, unit: 'ms', low: 7, high: 9, n: 100, needed: 59 }

function below(bound: number, operator: Threshold['operator'] = '<'): Threshold {
  const text = `${operator} ${bound / 1_000}ms`
  return { metric: 'kickoff.response.p95', operator, bound, text, abortEarly: false }
}

test.each<[Threshold['operator'], number, string]>([
  ['<', 8_001, 'met'],
  ['<', 8_000, 'missed'],
  ['<=', 8_000, 'met'],
  ['<=', 7_999, 'missed'],
  ['>', 7_999, 'met'],
  ['>', 8_000, 'missed'],
  ['>=', 8_000, 'met'],
  ['>=', 8_001, 'missed'],
])('8 ms %s %d us is %s', (operator, bound, status) => {
  expect(judge(below(bound, operator), P95).status).toBe(status)
})

test('the bound is given in the unit of the metric', () => {
  expect(judge(below(8_500), P95).bound).toBe(8.5)
})

test('too few samples are told apart from nothing to measure', () => {
  const few: Metric = { ...P95, value: null, low: 1, high: null, n: 20 }
  expect(judge(below(8_000), few)).toMatchObject({
    status: 'too-few',
    hint: 'run 3 times as long: 20 of 59 samples',
  })
  expect(judge(below(8_000), { ...few, low: null, n: 0 }).status).toBe('unmeasurable')
})

test('too few samples can still prove a miss', () => {
  const few: Metric = { ...P95, value: null, low: 12, high: null, n: 20 }
  expect(judge(below(8_000), few).status).toBe('missed')
})

test('a quantile beyond what was watched is missed when the watching was long enough', () => {
  const beyond: Metric = { ...P95, value: null, low: 900_000, high: null }
  expect(judge(below(60_000_000), beyond).status).toBe('missed')
  expect(judge(below(960_000_000), beyond).status).toBe('unmeasurable')
})

test('a threshold cannot be met any more when its whole interval is on the wrong side', () => {
  expect(cannotBeMet(below(6_000), P95)).toBe(true)
  expect(cannotBeMet(below(7_500), P95)).toBe(false)
  expect(cannotBeMet(below(9_500, '>'), P95)).toBe(true)
})
