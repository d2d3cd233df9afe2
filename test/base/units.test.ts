/** Quantities: what is read, what is refused, what is shown. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatBytes, formatDuration, formatShare, threeDigits } from '../../src/base/numbers.ts'
import { parseBytes, parseDuration, parseRate, parseShare } from '../../src/base/units.ts'

const RUNS = { seed: 1, numRuns: 200 }

describe('durations', () => {
  test.each([
    ['0', 0],
    ['250us', 250],
    ['500ms', 500_000],
    ['2s', 2_000_000],
    ['1.5m', 90_000_000],
    ['1.5min', 90_000_000],
    ['1h30m', 5_400_000_000],
    ['2d', 172_800_000_000],
    [' 3s ', 3_000_000],
  ])('%s', (text, micros) => {
    expect(parseDuration(text)).toBe(micros)
  })

  test.each(['', '5', '-1s', '1s 2s', '1x', 's', '1e3s', '.5s', '1.s', '999999999d'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  test('parts add up, in any number and order', () => {
    const parts = fc.array(
      fc.tuple(
        fc.nat(1_000),
        fc.constantFrom<[string, number]>(['us', 1], ['ms', 1e3], ['s', 1e6], ['m', 6e7]),
      ),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.map(([count, [unit]]) => `${count}${unit}`).join('')
        const sum = list.reduce((total, [count, [, micros]]) => total + count * micros, 0)
        expect(parseDuration(text)).toBe(sum)
      }),
      RUNS,
    )
  })

  test.each([
    [0, '0 ms'],
    [412, '412 us'],
    [999.7, '1.00 ms'],
    [3_120, '3.12 ms'],
    [999_499, '999 ms'],
    [61_400_000, '61.4 s'],
    [599_900_000, '600 s'],
    [1_800_000_000, '30 min'],
    [11_040_000_000, '3 h 04 min'],
    [-3_120, '-3.12 ms'],
    [-7_200_000_000, '-2 h 00 min'],
  ])('%d us is shown as %s', (micros, text) => {
    expect(formatDuration(micros)).toBe(text)
  })

  test('what is shown in ms or s reads back to within half of its last digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 599_000_000 }), (micros) => {
        const read = parseDuration(formatDuration(micros).replace(' ', ''))
        expect(Math.abs(read! / micros - 1)).toBeLessThanOrEqual(0.005)
      }),
      RUNS,
    )
  })
})

describe('rates', () => {
  test.each([
    ['2/s', { count: 2, perMicros: 1_000_000 }],
    ['0.5/s', { count: 0.5, perMicros: 1_000_000 }],
    ['40/h', { count: 40, perMicros: 3_600_000_000 }],
    ['90/5m', { count: 90, perMicros: 300_000_000 }],
    [' 0 / min ', { count: 0, perMicros: 60_000_000 }],
  ])('%s stays a ratio', (text, rate) => {
    expect(parseRate(text)).toEqual(rate)
  })

  test.each(['2', '2/', '/s', '-1/s', '2/0', '2/0s', '2/fortnight', '2/s/s', '2/constructor'])(
    'refuses %j',
    (text) => {
      expect(parseRate(text)).toBeUndefined()
    },
  )
})

describe('shares', () => {
  test.each([
    ['5%', 0.05],
    ['0.05', 0.05],
    ['100 %', 1],
    ['0', 0],
    ['1', 1],
  ])('%s', (text, share) => {
    expect(parseShare(text)).toBe(share)
  })

  test.each(['101%', '1.01', '-1%', '', '%', 'five'])('refuses %j', (text) => {
    expect(parseShare(text)).toBeUndefined()
  })

  test.each([
    [0, '0 %'],
    [1, '100 %'],
    [0.0004, '0.0400 %'],
    [0.022, '2.20 %'],
    [0.5, '50.0 %'],
    [0.9998, '99.98 %'],
    [1.2, '120.0 %'],
  ])('%d is shown as %s', (share, text) => {
    expect(formatShare(share)).toBe(text)
  })

  test('a share that is not all is never shown as all, nor something as nothing', () => {
    expect(formatShare(0.99999)).not.toMatch(/^100/)
    expect(formatShare(1e-9)).not.toMatch(/^0\.?0* %$/)
  })
})

describe('sizes', () => {
  test.each([
    ['512', 512],
    ['4kB', 4_000],
    ['4KB', 4_000],
    ['1MiB', 1_048_576],
    ['1.5 KiB', 1_536],
    ['2MB', 2_000_000],
  ])('%s', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes)
  })

  test.each(['', '-1', '4qB', '1GB', 'kB'])('refuses %j', (text) => {
    expect(parseBytes(text)).toBeUndefined()
  })

  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [4_000, '4.00 kB'],
    [64_100_000, '64.1 MB'],
  ])('%d is shown as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('three significant digits', () => {
  test.each([
    [0, '0'],
    [8.6, '8.60'],
    [61.41, '61.4'],
    [209.8, '210'],
    [12_345, '12345'],
    [0.01234, '0.0123'],
    [-8.6, '-8.60'],
    [9.999, '10.0'],
    [99.96, '100'],
  ])('%d -> %s', (value, text) => {
    expect(threeDigits(value)).toBe(text)
  })
})
