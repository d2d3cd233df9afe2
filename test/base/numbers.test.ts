/** Intervals in words: the unit once, no end where nothing is open, no digit that is open. */
import type { Interval, NumberWording } from '../../src/base/numbers.ts'
import { formatEstimate, formatInterval, formatSpan } from '../../src/base/numbers.ts'
import { describe, expect, test } from 'vitest'

describe('an interval', () => {
  test.each<[why: string, interval: Interval, wording: NumberWording, text: string | null]>([
    ['has the unit once', { low: 195.2, high: 230.1 }, 'ms', '195 to 230 ms'],
    ['names two units', { low: 900, high: 1_100 }, 'ms', '900 ms to 1.10 s'],
    ['names hours twice', { low: 4_800_000, high: 4_980_000 }, 'ms', '1 h 20 min to 1 h 23 min'],
    ['needs no unit for nothing', { low: 0, high: 1_100 }, 'ms', '0 to 1.10 s'],
    ['of rates has their unit once', { low: 12, high: 13 }, 'perSecond', '12 to 13/s'],
    ['of shares is in percent', { low: 0.0123, high: 0.2 }, 'share', '1.23 to 20.0 %'],
    ['may reach never', { low: 218_000, high: 'never' }, 'ms', '218 s to never'],
    ['may be never', { low: 'never', high: 'never' }, 'ms', 'never'],
    ['is one number where its ends read the same', { low: 60_001, high: 60_002 }, 'ms', '60.0 s'],
    ['takes words of its own', { low: 1, high: 2 }, (value) => `${value}x`, '1x to 2x'],
    ['is null without a lower end', { low: null, high: 2 }, 'count', null],
    ['is null without an upper end', { low: 1, high: null }, 'count', null],
  ])('%s', (_, interval, wording, text) => {
    expect(formatInterval(interval, wording)).toBe(text)
  })

  test('has the digits that its width allows, where it is known what it is of', () => {
    const interval = { value: 61_410, low: 30_000, high: 99_000 }
    expect(formatInterval(interval, 'ms')).toBe('30 to 99 s')
    expect(formatInterval({ ...interval, value: null }, 'ms')).toBe('30.0 to 99.0 s')
  })
})

test.each([
  ['a value with its interval', { value: 218, low: 196, high: 236 }, '218 ms (196 to 236 ms)'],
  ['a value alone if nothing is open', { value: 60, low: 60, high: 60 }, '60.0 ms'],
  ['a value alone without an interval', { value: 60, low: 50, high: null }, '60.0 ms'],
  ['a dash without a value', { value: null, low: 50, high: 70 }, '–'],
])('an estimate is %s', (_, estimate, text) => {
  expect(formatEstimate(estimate, 'ms')).toBe(text)
})

test('a span is a moment if its ends read the same', () => {
  expect(formatSpan({ fromMs: 600_000, toMs: 660_000 })).toBe('10 to 11 min')
  expect(formatSpan({ fromMs: 3_600_000, toMs: 3_601_000 })).toBe('at 1 h 00 min')
})
