import { describe, expect, test } from 'vitest'
import { isTrusted, measureRung } from '../../src/analysis/saturation-rung.ts'
import { exactSample } from './samples.ts'
import { rung, rungCounts } from './saturation-ladders.ts'

describe('throughput', () => {
  test('is good answers over the window, its interval that of the mean of whole seconds', () => {
    const perSecond = [90, 110, 100, 100, 100]
    const { throughput } = rung(1, 100, { perSecond })
    // s = sqrt(50), t(4) = 2.776: 2.776 * 7.0711 / sqrt(5) = 8.779
    expect(throughput.value).toBe(100)
    expect(throughput.low).toBeCloseTo(91.22, 2)
    expect(throughput.high).toBeCloseTo(108.78, 2)
  })

  test.each([
    [11, 2.228],
    [13, 2.179],
    [31, 2.042],
    [121, 1.98],
  ])('of %i seconds takes t = %f', (n, t) => {
    const perSecond = Array.from({ length: n }, (_, i) =>
      i === 0 ? 100 + n : i === 1 ? 100 - n : 100,
    )
    const deviation = Math.sqrt((2 * n * n) / (n - 1))
    const { high } = rung(1, 100, { perSecond }).throughput
    expect(high! - 100).toBeCloseTo((t * deviation) / Math.sqrt(n), 1)
  })

  test('of a window without two whole seconds is as sure as the service times are', () => {
    const latency = exactSample([8_000, 12_000, 8_000, 12_000, 8_000, 12_000, 8_000, 12_000])
    const { throughput } = rung(1, 100, { latency, perSecond: [8], windowMicros: 1e6 })
    // Mean 10 ms, s = 2.138 ms, t(7) = 2.365: half of the width is 17.9 % of the mean.
    expect(throughput.value).toBe(8)
    expect(throughput.high).toBeCloseTo(8 * 1.179, 2)
  })

  test('has no value without a window', () => {
    const empty = { windowMicros: 0, latency: exactSample([]), perSecond: [], busyMicros: 0 }
    const { throughput, little } = rung(2, 10, empty)
    expect(throughput).toMatchObject({ value: null, low: null, high: null })
    expect(little).toEqual({ connections: 0, residual: 1 })
  })
})

test('latency is told in milliseconds, with the interval that its number of answers allows', () => {
  const latency = exactSample(Array.from({ length: 400 }, (_, i) => (i + 1) * 1_000))
  const { p50, p99, maxMs, meanMs } = rung(1, 100, { latency }).latency
  expect(p50).toMatchObject({ value: 200, unit: 'ms', n: 400 })
  expect(p50.low).toBeLessThan(200)
  expect(p99.value).toBe(396)
  expect([meanMs, maxMs]).toEqual([200.5, 400])
  expect(rung(1, 10).latency.p99).toMatchObject({ value: null, n: 50, needed: 299 })
})

test('errors are told by class, most frequent first, as a share of all requests', () => {
  const { errors, errorClasses, requests } = rung(1, 100, { errors: { timeout: 1, '429': 9 } })
  expect(requests).toBe(510)
  expect(errors.value).toBeCloseTo(10 / 510)
  expect(errors.low).toBeLessThan(10 / 510)
  expect(errorClasses).toEqual([
    { class: '429', count: 9 },
    { class: 'timeout', count: 1 },
  ])
})

function codes(...[connections, perSecond, changes]: Parameters<typeof rung>): string[] {
  return rung(connections, perSecond, changes).doubts.map(({ code }) => code)
}

describe('doubts', () => {
  test('a plain rung has none', () => {
    expect(codes(8, 800)).toEqual([])
  })

  test('connections that no request accounts for', () => {
    const { busyMicros } = rungCounts(8, 800)
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
    const saturated = rung(8, 800, { utilisation: 0.91 })
    expect(saturated.doubts).toEqual([
      {
        code: 'generator',
        message:
          'this process was busy for 91.0 % of the time, bound 90.0 %: the target may carry more',
      },
    ])
    expect(isTrusted(saturated)).toBe(true)
  })

  test('a window shorter than a second', () => {
    expect(codes(8, 800, { windowMicros: 999_000 })).toContain('short')
    expect(codes(8, 800, { windowMicros: 1e6 })).not.toContain('short')
  })

  test('fewer than five requests a connection: nothing else is said then', () => {
    const few = measureRung({ ...rungCounts(8, 8), busyMicros: 0, latency: exactSample([1_000]) })
    expect(few.doubts).toEqual([
      { code: 'few', message: 'too few: 1 request ended in 5.00 s, 40 needed' },
    ])
    expect(isTrusted(few)).toBe(false)
  })
})
