/** What one look decides, and how many more runs it asks for. */
import { expect, test } from 'vitest'
import type { Metric } from '../../../../src/result/document.ts'
import { gateDocument, lookAt } from '../../../../src/study/comparing/gate/analyse/analyse.ts'
import type { GateTerms } from '../../../../src/study/comparing/gate/sentences.ts'
import { metricOf } from '../../../support/ci/gates.ts'
import { sampleFacts } from '../../../support/study-samples.ts'
import { runsWith } from '../comparison/sample-comparisons.ts'

const TERMS: GateTerms = {
  smallestChange: 0.05,
  smallestDifference: 0.01,
  level: 0.01,
  margin: 0.1,
  marginDifference: 0.02,
  runs: 4,
  looks: [{ at: 4, level: 0.01 }],
}

function decided(
  name: string,
  base: readonly Metric['value'][],
  next: readonly Metric['value'][],
  unit: Metric['unit'] = 'ms',
  terms: GateTerms = TERMS,
) {
  const [before, after] = [base, next].map((values) =>
    values.map((value) => ({ [name]: metricOf(unit, value, 2_000) })),
  )
  const made = {
    base: runsWith('base', before!),
    new: runsWith('new', after!),
    pairs: [],
    refused: [],
  }
  const asked = {
    judged: [name],
    terms: { ...terms, looks: [{ at: next.length, level: 0.01 }] },
    about: {
      place: { kind: 'deployment' as const, target: 'here' },
      scenario: 'steady',
      seed: 1,
      commit: null,
    },
    invalid: [],
    facts: sampleFacts('crewload gate steady'),
  }
  const { bounds } = gateDocument(made, asked, { baseline: null, gatesBefore: null })
  return { decision: lookAt(next.length, made, asked), ...bounds[0]! }
}

test('a proven regression fails, though it be below the margin', () => {
  const { decision } = decided('execution.p50', [100, 101, 99, 100], [108, 107, 109, 108])
  expect(decision).toBe('fail')
})

test('a proven regression that is too small to count passes', () => {
  const found = decided('execution.p50', [100, 100.5, 99.5, 100], [103, 103.5, 102.5, 103])
  expect(found).toMatchObject({ decision: 'pass', excluded: true, moreRuns: null })
  expect(found.worst).toBeGreaterThan(0.03)
  expect(found.worst).toBeLessThan(0.05)
})

test('noise decides nothing, and says how many more runs would', () => {
  const found = decided('execution.p50', [100, 120, 85, 104], [101, 84, 118, 108])
  expect(found).toMatchObject({ decision: null, excluded: false })
  expect(found.moreRuns).toBeGreaterThan(5)
})

test('runs that resemble the run before prove less, and exclude less', () => {
  const base = [100, 103, 106, 104, 101, 98, 96, 99]
  const next = [105, 107, 109, 112, 114, 113, 110, 106]
  const plain = decided('execution.p50', base, next)
  const allowed = decided('execution.p50', base, next, 'ms', { ...TERMS, carryOver: true })
  expect([plain.decision, allowed.decision]).toEqual(['fail', null])
  expect(allowed.worst).toBeGreaterThan(plain.worst! + 0.05)
})

test('a share is worse by percentage points', () => {
  const failing = decided('execution.failed', [0, 0, 0, 0], [0.05, 0.05, 0.05, 0.05], 'share')
  expect(failing.decision).toBe('fail')
  const same = decided(
    'execution.failed',
    [0.05, 0.05, 0.05, 0.05],
    [0.05, 0.05, 0.05, 0.05],
    'share',
  )
  expect(same).toMatchObject({ decision: 'pass' })
  expect(same.worst).toBeLessThan(0.02)
})

test('of what should be high, a fall is a regression', () => {
  const name = 'throughput.completed'
  expect(decided(name, [10, 10.1, 9.9, 10], [8, 8.1, 7.9, 8], 'perSecond').decision).toBe('fail')
  expect(decided(name, [10, 10.1, 9.9, 10], [12, 12.1, 11.9, 12], 'perSecond').decision).toBe(
    'pass',
  )
})

test('values that never differ pass, and other ones without spread decide nothing', () => {
  expect(decided('execution.p50', [5, 5, 5], [5, 5, 5]).decision).toBe('pass')
  expect(decided('execution.p50', [5, 5, 5], [6, 6, 6])).toMatchObject({
    decision: null,
    worst: null,
  })
})

test('a metric that no run measured cannot pass', () => {
  const found = decided('execution.p95', [null, null, null], [null, null, null])
  expect(found).toMatchObject({ decision: null, unit: null, excluded: false })
})

test('a time that came in every run of the base and in none of the candidate fails', () => {
  const found = decided('execution.p95', [100, 101, 99], ['never', 'never', 'never'])
  expect(found).toMatchObject({ decision: 'fail', worst: null, excluded: false })
})

test('one run of the candidate that never came to it cannot pass, nor does it hide the others', () => {
  const base = [100, 101, 99, 100, 102]
  const alike = decided('execution.p95', base, [100, 101, 99, 100, 'never'])
  expect(alike).toMatchObject({ decision: null, worst: null, excluded: false })
  expect(decided('execution.p95', base, [130, 131, 129, 133, 'never']).decision).toBe('fail')
})

test('a change that counts does not pass, though the margin be excluded', () => {
  const [base, next] = [
    [100, 100.2, 99.8, 100.1, 99.9, 100, 100.2, 99.8],
    [105.5, 106.5, 104.7, 105.9, 105.2, 105, 106.4, 104.8],
  ]
  const terms = { ...TERMS, margin: 0.1, smallestChange: 0.052, level: 0.01 }
  const found = decided('execution.p50', base, next, 'ms', terms)
  expect(found.worst).toBeLessThan(0.1)
  expect(found.decision).not.toBe('pass')
})

test('runs of the candidate without a value, which those of the base have, cannot pass', () => {
  const values = [100, 101, 99, 100.5]
  const next = [...values, null, null]
  expect(decided('execution.p50', [...values, 100, 100], [...values, 100, 100]).decision).toBe(
    'pass',
  )
  expect(decided('execution.p50', [...values, 100, 100], next)).toMatchObject({
    decision: null,
    excluded: false,
  })
})

const constant = (value: number, runs: number) => Array.from({ length: runs }, () => value)

test('values without spread that differ are a change from as many runs on as prove it', () => {
  expect(decided('execution.p50', constant(1_000, 8), constant(1_200, 8)).decision).toBe('fail')
  expect(decided('execution.p50', constant(1_000, 8), constant(1_010, 8)).decision).toBe('pass')
  expect(decided('execution.p50', constant(1_000, 4), constant(1_200, 4)).decision).toBeNull()
})
