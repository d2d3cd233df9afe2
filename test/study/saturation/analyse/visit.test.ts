import { describe, expect, test } from 'vitest'
import { isTrusted, measureVisit } from '../../../../src/study/saturation/analyse/visit.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { exactSample } from '../../../result/samples.ts'
import { halfSeconds, visit, visitCounts } from '../ladders.ts'

describe('throughput', () => {
  test('is good answers over the window, its interval that of the mean of ten batches', () => {
    const slices = halfSeconds(90, 110, 100, 100, 100, 90, 110, 100, 100, 100)
    const { throughput } = visit(1, 100, { slices })
    // In half seconds s = sqrt(4 * 25 / 9) = 3.333, t(9) = 2.262: 2.262 * 3.333 / sqrt(10) = 2.384
    // of 50.
    expect(throughput.value).toBe(100)
    expect(throughput.low).toBeCloseTo(95.23, 2)
    expect(throughput.high).toBeCloseTo(104.77, 2)
  })

  test.each([1, 1.9, 2, 3, 4.9, 5, 9])(
    'of %f s has no wide interval for the number of its batches alone',
    (seconds) => {
      const random = createRandom(7)
      const slices = Array.from({ length: 10 * seconds }, () => 90 + 20 * random.next())
      const latency = exactSample(Array.from({ length: 1_000 * seconds }, () => 1_000))
      const { throughput } = visit(1, 1_000, { latency, slices, windowMicros: seconds * 1e6 })
      // Slices spread by 5.8 % of their mean; 12.7 times as much for the mean of two would be half
      // of it.
      expect(throughput.high! - 1_000).toBeLessThan(60)
      expect(throughput.high! - 1_000).toBeGreaterThan(5)
    },
  )

  test('of answers that are slow has batches of four service times', () => {
    // Each second brings eight answers at once: in half seconds 8, 0, 8, 0 ...
    const slices = Array.from({ length: 200 }, (_, i) => (i % 10 === 9 ? 8 : 0))
    const latency = exactSample(Array.from({ length: 160 }, () => 1e6))
    const { throughput } = visit(8, 8, { latency, slices, windowMicros: 20e6 })
    expect([throughput.value, throughput.low, throughput.high]).toEqual([8, 8, 8])
  })

  test('of a window without five batches is as sure as the service times are', () => {
    const latency = exactSample([8e5, 12e5, 8e5, 12e5, 8e5, 12e5, 8e5, 12e5])
    const { throughput } = visit(1, 100, { latency, slices: [1, 0, 1], windowMicros: 8e6 })
    // Mean 1 s, s = 0.2138 s, t(7) = 2.365: half of the width is 17.9 % of the mean.
    expect(throughput.value).toBe(1)
    expect(throughput.high).toBeCloseTo(1.179, 2)
  })

  test('has no value without a window', () => {
    const empty = { windowMicros: 0, latency: exactSample([]), slices: [], busyMicros: 0 }
    const { throughput, little } = visit(2, 10, empty)
    expect(throughput).toMatchObject({ value: null, low: null, high: null })
    expect(little).toEqual({ connections: 0, residual: 1 })
  })
})

test('latency is told in milliseconds, with the interval that its number of answers allows', () => {
  const latency = exactSample(Array.from({ length: 400 }, (_, i) => (i + 1) * 1_000))
  const { p50, p99, maxMs, meanMs } = visit(1, 100, { latency }).latency
  expect(p50).toMatchObject({ value: 200, unit: 'ms', n: 400 })
  expect(p50.low).toBeLessThan(200)
  expect(p99.value).toBe(396)
  expect([meanMs, maxMs]).toEqual([200.5, 400])
  expect(visit(1, 10).latency.p99).toMatchObject({ value: null, n: 50, needed: 299 })
})

test('errors are told by class, most frequent first, as a share of all requests', () => {
  const { errors, errorClasses, requests } = visit(1, 100, { errors: { timeout: 1, '429': 9 } })
  expect(requests).toBe(510)
  expect(errors.value).toBeCloseTo(10 / 510)
  expect(errors.low).toBeLessThan(10 / 510)
  expect(errorClasses).toEqual([
    { class: '429', count: 9 },
    { class: 'timeout', count: 1 },
  ])
})

function codes(...[connections, perSecond, changes]: Parameters<typeof visit>): string[] {
  return visit(connections, perSecond, changes).doubts.map(({ code }) => code)
}

describe('doubts', () => {
  test('a plain visit has none', () => {
    expect(codes(8, 800)).toEqual([])
  })

  test('connections that no request accounts for', () => {
    const { busyMicros } = visitCounts(8, 800)
    expect(codes(8, 800, { busyMicros: busyMicros * 0.91 })).toEqual([])
    expect(codes(8, 800, { busyMicros: busyMicros * 0.89 })).toEqual(['little'])
    expect(codes(8, 800, { busyMicros: busyMicros * 1.11 })).toEqual(['little'])
  })

  test('over 1 % of errors', () => {
    expect(codes(8, 800, { errors: { 500: 40 } })).toEqual([])
    expect(codes(8, 800, { errors: { 500: 41 } })).toEqual(['errors'])
  })

  test('a saturated generator, which leaves a lower bound', () => {
    expect(codes(8, 800, { utilisation: 0.9 })).toEqual([])
    const saturated = visit(8, 800, { utilisation: 0.91 })
    expect(saturated.doubts).toEqual([
      {
        code: 'generator',
        severity: 'info',
        share: 0.91,
        bound: 0.9,
        message:
          'this process was busy for 91.0 % of the time, bound 90.0 %. The target may handle more',
      },
    ])
    expect(isTrusted(saturated)).toBe(true)
  })

  test('over 5 % of the CPU time taken by other machines', () => {
    expect(codes(8, 800, { stolen: null })).toEqual([])
    expect(codes(8, 800, { stolen: 0.05 })).toEqual([])
    const robbed = visit(8, 800, { stolen: 0.06 })
    expect(robbed.doubts).toEqual([
      {
        code: 'stolen',
        severity: 'warning',
        share: 0.06,
        bound: 0.05,
        message: 'other machines on this host took 6.00 % of the CPU time, bound 5.00 %',
      },
    ])
    expect(isTrusted(robbed)).toBe(false)
  })

  test('a window shorter than a second', () => {
    expect(codes(8, 800, { windowMicros: 999_000 })).toContain('short')
    expect(codes(8, 800, { windowMicros: 1e6 })).not.toContain('short')
  })

  test('fewer than five requests a connection: nothing else is said then', () => {
    const few = measureVisit(
      { ...visitCounts(8, 8), busyMicros: 0, latency: exactSample([1_000]) },
      1,
    )
    expect(few.doubts).toEqual([
      {
        code: 'few',
        severity: 'warning',
        message: 'too few: 1 request ended in 5.00 s, 40 needed',
        requests: 1,
        windowMs: 5_000,
        needed: 40,
      },
    ])
    expect(isTrusted(few)).toBe(false)
  })
})
