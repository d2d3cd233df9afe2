/** Max, mean and min where some times were watched in vain: a bound, never a value. */
import type { Measurable } from '../../../src/result/observations.ts'
import { expect, test } from 'vitest'
import { estimateMetric } from '../../../src/result/metrics/estimate-metric.ts'
import type { Counting, Lifetimes } from '../../../src/result/statistics/sample.ts'
import { countAgainst } from '../../../src/result/verdict/bound-count.ts'
import { judge } from '../../../src/result/verdict/judge.ts'
import type { ThresholdResult } from '../../../src/result/document.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { allRequestsOf, groupOf, observationsOf, requestsOf } from '../observations.ts'
import { exactSample } from '../samples.ts'
import { testBound, testThreshold } from '../../support/plan.ts'

function sampleOf(valuesMs: readonly number[]): Counting {
  return exactSample(valuesMs.map((ms) => ms * 1_000))
}

function lifetimes(endedMs: readonly number[], censoredMs: readonly number[]): Lifetimes<Counting> {
  return { ended: sampleOf(endedMs), censored: sampleOf(censoredMs), never: 0 }
}

function executions(ended: readonly number[], censored: readonly number[]): Measurable {
  return observationsOf({ window: groupOf({ executions: lifetimes(ended, censored) }) })
}

function below(metric: string, boundMs: number): Threshold {
  return testThreshold(metric, boundMs * 1_000, testBound(`< ${boundMs}ms`))
}

function judged(threshold: Threshold, observations: Measurable): ThresholdResult {
  const measured = estimateMetric(threshold.metric, observations)
  return judge(threshold, measured, countAgainst(threshold, observations))
}

const UNKNOWN = { value: null, low: null, high: null, needed: null }

test.each<[why: string, ended: number[], censored: number[], expected: object]>([
  ['all ended', [5, 9], [], { ...UNKNOWN, value: 9 }],
  ['one watched longer than any that ended', [5, 9], [30], { ...UNKNOWN, low: 30 }],
  ['one watched just as long', [5, 9], [9], { ...UNKNOWN, low: 9 }],
  ['one watched for less', [5, 9], [3], { ...UNKNOWN, value: 9 }],
  ['none ended', [], [30, 31], { ...UNKNOWN, low: 31 }],
  ['nothing seen', [], [], UNKNOWN],
])('max: %s', (_, ended, censored, expected) => {
  expect(estimateMetric('execution.max', executions(ended, censored))).toMatchObject(expected)
})

test.each<[why: string, ended: number[], censored: number[], expected: object]>([
  ['all ended', [5, 9], [], { ...UNKNOWN, value: 7 }],
  ['one without an end', [5, 9], [1], { ...UNKNOWN, low: 5 }],
  ['none ended', [], [30, 32], { ...UNKNOWN, low: 31 }],
  ['nothing seen', [], [], UNKNOWN],
])('mean: %s', (_, ended, censored, expected) => {
  expect(estimateMetric('execution.mean', executions(ended, censored))).toMatchObject(expected)
})

test.each<[why: string, ended: number[], censored: number[], expected: object]>([
  ['one given up later', [5, 9], [6], { ...UNKNOWN, value: 5 }],
  ['one given up sooner', [5, 9], [2], { ...UNKNOWN, low: 2, high: 5 }],
])('min: %s', (_, ended, censored, expected) => {
  expect(estimateMetric('execution.min', executions(ended, censored))).toMatchObject(expected)
})

test.each<[metric: string, boundMs: number, status: string]>([
  ['execution.max', 20, 'missed'],
  ['execution.max', 40, 'undecided'],
  ['execution.mean', 10, 'missed'],
  ['execution.mean', 40, 'undecided'],
])('a stuck execution lets no threshold on %s < %d ms be met: %s', (metric, bound, status) => {
  const result = judged(below(metric, bound), executions([5, 9], [30]))
  expect(result).toMatchObject({ status, measured: { n: 3 } })
})

test.each([
  ['execution.mean', /executions that did not end: raise the deadline/],
  ['execution.max', /1 of 3 have not ended yet/],
])('says what hides %s', (metric, hint) => {
  expect(judged(below(metric, 40), executions([5, 9], [30])).hint).toMatch(hint)
})

test('a request that timed out hides the longest response', () => {
  const observed = requestsOf({ attempt: lifetimes([3, 4], [30_000]) })
  const observations = observationsOf({
    requests: allRequestsOf({ kickoff: observed, status: observed }),
  })
  expect(estimateMetric('status.response.max', observations)).toMatchObject({
    ...UNKNOWN,
    low: 30_000,
  })
  expect(estimateMetric('status.response.mean', observations)).toMatchObject({ value: null })
})
