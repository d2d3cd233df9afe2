import { describe, expect, test } from 'vitest'
import { rungsOf } from '../../../../src/study/saturation/analyse/visit.ts'
import type { SaturationRung, SaturationVisit } from '../../../../src/study/saturation/document.ts'
import { exactSample } from '../../../result/samples.ts'
import { visit } from '../ladders.ts'

function rungOf(...visits: SaturationVisit[]): SaturationRung {
  return rungsOf(visits)[0]!
}

const stolen = { stolen: 0.5 }

const took = (ms: number): { latency: ReturnType<typeof exactSample> } => ({
  latency: exactSample(Array.from({ length: 400 }, () => 1_000 * ms)),
})

test('the throughput is the mean of the visits, its interval where another one would be', () => {
  const { throughput } = rungOf(...[90, 100, 110].map((rate, at) => visit(1, rate, {}, at + 1)))
  // s = 10, t(2) = 4.303: 4.303 * 10 * sqrt(1 + 1/3) = 49.7.
  expect(throughput).toMatchObject({ value: 100, unit: 'perSecond', n: 1_500 })
  expect(throughput.low).toBeCloseTo(50.3, 1)
  expect(throughput.high).toBeCloseTo(149.7, 1)
})

test('a single visit keeps its own interval', () => {
  const only = visit(1, 100)
  expect(rungOf(only).throughput).toEqual(only.throughput)
})

test('a quantile is the mean of those of the visits, and too few when one visit has too few', () => {
  const { latency } = rungOf(visit(1, 100, took(8), 1), visit(1, 100, took(12), 2))
  expect([latency.p99.value, latency.meanMs, latency.maxMs]).toEqual([10, 10, 12])
  const few = rungOf(visit(1, 100, took(8), 1), visit(1, 10, {}, 2)).latency.p99
  expect(few).toMatchObject({ value: null, needed: 299, n: 50 })
})

test('requests, errors and reconnects are those of all visits, also of those that do not count', () => {
  const { requests, errors, errorClasses, reconnects, sent } = rungOf(
    visit(1, 100, { errors: { 429: 400, timeout: 1 }, reconnects: 3 }, 1),
    visit(1, 100, { errors: { timeout: 1 } }, 2),
  )
  expect([requests, reconnects, sent]).toEqual([1_402, 3, 1_000])
  expect(errors.value).toBeCloseTo(402 / 1_402)
  expect(errorClasses).toEqual([
    { class: '429', count: 400 },
    { class: 'timeout', count: 2 },
  ])
})

describe('a visit that does not count', () => {
  test('leaves the rung to the others, while they are half of them', () => {
    const rung = rungOf(visit(1, 100, {}, 1), visit(1, 40, stolen, 2))
    expect(rung).toMatchObject({ visits: 2, counted: 1, doubts: [] })
    expect(rung.throughput.value).toBe(100)
  })

  test('makes the rung one that does not count, when there are more of them', () => {
    const broken = { errors: { 500: 100 } }
    const rung = rungOf(
      visit(1, 100, {}, 1),
      visit(1, 40, stolen, 2),
      visit(1, 40, broken, 3),
      visit(1, 40, { ...stolen, utilisation: 0.95 }, 4),
    )
    expect(rung.counted).toBe(1)
    expect(rung.doubts.map(({ code }) => code)).toEqual(['stolen', 'errors', 'generator'])
  })
})

test('a saturated generator bounds the rung when it bounded half of the visits', () => {
  const busy = { utilisation: 0.95 }
  const once = [visit(1, 100, busy, 1), visit(1, 100, {}, 2), visit(1, 100, {}, 3)]
  expect(rungOf(...once).doubts).toEqual([])
  const often = [...once, visit(1, 100, busy, 4)]
  expect(rungOf(...often).doubts.map(({ code }) => code)).toEqual(['generator'])
})
