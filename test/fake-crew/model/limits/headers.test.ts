/** Each header dialect writes what is seen in the field, to the letter. */
import { describe, expect, test } from 'vitest'
import type { MetLimit } from '../../../../fake-crew/model/limits/headers.ts'
import type { HeaderDialect } from '../../../../fake-crew/model/limits/headers.ts'
import { limitHeaders, retryAfter } from '../../../../fake-crew/model/limits/headers.ts'
import { parseDuration } from '../../../../src/base/units.ts'

const micros = (text: string): number => parseDuration(text)!

/** `resets`: when all is there again; the next one may come sooner. */
function told(
  name: string,
  [remaining, limit, window]: [number, number, string],
  resets: string,
  more = resets,
): MetLimit {
  return {
    name,
    windowMicros: micros(window),
    quota: { limit, remaining, moreMicros: micros(more), fullMicros: micros(resets) },
  }
}

const TWO_IN_A_MINUTE = told('default', [0, 2, '60s'], '60s')
/** 60 s before the epoch second 1795248202, which is 2026-11-21T08:03:22Z. */
const NOW = 1_795_248_142_000

describe('the examples of the field', () => {
  test('draft-10: every policy, and what is left of each', () => {
    const burst = told('burst', [50, 100, '60s'], '45s', '30s')
    const daily = told('daily', [999, 1_000, '1d'], '2h')
    expect(limitHeaders('draft-10', [burst, daily], NOW)).toEqual({
      'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
      ratelimit: '"burst";r=50;t=30,"daily";r=999;t=7200',
    })
    const single = { ...burst, name: 'default' }
    expect(limitHeaders('draft-10', [single], NOW)['ratelimit']).toBe('"default";r=50;t=30')
  })

  test.each<[HeaderDialect, MetLimit, Record<string, string>]>([
    [
      'draft-7',
      TWO_IN_A_MINUTE,
      { ratelimit: 'limit=2, remaining=0, reset=60', 'ratelimit-policy': '2;w=60' },
    ],
    [
      'draft-6',
      TWO_IN_A_MINUTE,
      {
        'ratelimit-limit': '2',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '60',
        'ratelimit-policy': '2;w=60',
      },
    ],
    [
      'x-ratelimit-epoch',
      TWO_IN_A_MINUTE,
      {
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1795248202',
      },
    ],
    [
      'x-ratelimit-delta',
      TWO_IN_A_MINUTE,
      { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
    ],
    [
      'x-ratelimit-duration',
      told('default', [59, 60, '60s'], '1s'),
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
      },
    ],
    [
      'anthropic',
      TWO_IN_A_MINUTE,
      {
        'anthropic-ratelimit-requests-limit': '2',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-21T08:03:22Z',
      },
    ],
    ['none', TWO_IN_A_MINUTE, {}],
  ])('%s', (dialect, limit, headers) => {
    expect(limitHeaders(dialect, [limit], NOW)).toEqual(headers)
  })

  test.each([
    ['0', '0s'],
    ['12ms', '12ms'],
    ['1s', '1s'],
    ['1500ms', '1.5s'],
    ['6m', '6m0s'],
    ['90951ms', '1m30.951s'],
    ['1h', '1h0m0s'],
    ['11999us', '12ms'],
  ])('a duration of %s is %s, as Go writes it', (resets, text) => {
    const headers = limitHeaders('x-ratelimit-duration', [told('a', [1, 2, '1s'], resets)], NOW)
    expect(headers['x-ratelimit-reset-requests']).toBe(text)
  })
})

test('a window is of one second at least', () => {
  const soon = told('default', [0, 2, '700ms'], '1500ms', '300ms')
  expect(limitHeaders('draft-10', [soon], NOW)['ratelimit-policy']).toBe('"default";q=2;w=1')
})

describe('several limits, and those that time does not give back', () => {
  const running: MetLimit = {
    name: 'running',
    windowMicros: null,
    quota: { limit: 10, remaining: 3, moreMicros: null, fullMicros: null },
  }

  test('draft-10 tells of concurrency without a time', () => {
    expect(limitHeaders('draft-10', [running], NOW)).toEqual({
      'ratelimit-policy': '"running";q=10;qu="concurrent-requests"',
      ratelimit: '"running";r=3',
    })
  })

  test('the others are silent about it', () => {
    expect(limitHeaders('draft-6', [running], NOW)).toEqual({})
    expect(limitHeaders('x-ratelimit-delta', [running, TWO_IN_A_MINUTE], NOW)).toMatchObject({
      'x-ratelimit-limit': '2',
    })
  })

  test('the others tell of the limit with the least left, then of the one that takes longest', () => {
    const limits = [
      told('roomy', [9, 10, '1s'], '1s'),
      told('short', [1, 5, '1s'], '1s'),
      told('long', [1, 7, '1h'], '1h'),
    ]
    expect(limitHeaders('draft-7', limits, NOW)['ratelimit']).toBe(
      'limit=7, remaining=1, reset=3600',
    )
  })
})

describe('Retry-After', () => {
  const EVE = Date.UTC(1999, 11, 31, 23, 57, 59)

  test.each([
    ['seconds', '120'],
    ['date', 'Fri, 31 Dec 1999 23:59:59 GMT'],
    ['none', undefined],
    ['fractional', '120.000'],
    ['early', '60'],
    ['unreadable', 'soon'],
  ] as const)('%s: %s', (form, text) => {
    expect(retryAfter(form, micros('2m'), EVE)).toBe(text)
  })

  test('is rounded up, but where it is meant to be wrong', () => {
    const wait = micros('1300001us')
    expect(retryAfter('seconds', wait, EVE)).toBe('2')
    expect(retryAfter('date', wait, EVE)).toBe('Fri, 31 Dec 1999 23:58:01 GMT')
    expect(retryAfter('fractional', wait, EVE)).toBe('1.301')
    expect(retryAfter('early', wait, EVE)).toBe('0')
  })
})
