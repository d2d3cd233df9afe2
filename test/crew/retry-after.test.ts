/** How long an answer asks us to wait, in every notation we read. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHttpDate } from '../../src/crew/http-date.ts'
import { askedWaitMicros, MAX_WAIT_MICROS, retryAfterMicros } from '../../src/crew/retry-after.ts'

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT'
const UNIX_SECONDS = 784_111_777

describe('waits', () => {
  test.each([
    ['whole seconds', { 'retry-after': '120' }, 120],
    ['illegal fractions', { 'retry-after': '0.25' }, 0.25],
    ['zero', { 'retry-after': '0' }, 0],
    ['repeated', { 'retry-after': '3, 7' }, 7],
    ['a date', { 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT', date: DATE }, 30],
    ['a date that has passed', { 'retry-after': DATE, date: 'Sun, 06 Nov 1994 09:00:00 GMT' }, 0],
    ['a date without a clock to compare', { 'retry-after': DATE }, null],
    ['negative', { 'retry-after': '-1' }, null],
    ['words', { 'retry-after': 'soon' }, null],
    ['an exponent', { 'retry-after': '1e9' }, null],
    ['draft 8 and later', { ratelimit: '"2-in-1min"; r=0; t=60' }, 60],
    ['a quota that is left', { ratelimit: '"default";r=50;t=30' }, null],
    ['two quotas, one exhausted', { ratelimit: '"burst";r=9;t=5, "daily";r=0;t=70' }, 70],
    ['a name with signs', { ratelimit: '"a,b;r=0;t=9";r=1;t=30' }, null],
    ['exhausted without a time', { ratelimit: '"default";r=0' }, null],
    ['draft 7', { ratelimit: 'limit=2, remaining=0, reset=60' }, 60],
    ['draft 7 with something left', { ratelimit: 'limit=2, remaining=1, reset=60' }, null],
    ['drafts 3 to 6', { 'ratelimit-remaining': '0', 'ratelimit-reset': '47' }, 47],
    ['a delta', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }, 60],
    ['something left', { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '60' }, null],
    ['Unix seconds', legacy(1_784_073_612), 12],
    ['Unix milliseconds', legacy(1_784_073_605_000), 5],
    ['Retry-After goes first', { 'retry-after': '5', ratelimit: '"default";r=0;t=60' }, 5],
    ['longer than a day', { 'retry-after': '999999999' }, 86_400],
    ['nothing', {}, null],
  ] as [string, Record<string, string>, number | null][])('%s', (_, headers, seconds) => {
    expect(askedWaitMicros(headers)).toBe(seconds === null ? null : seconds * 1e6)
  })

  test('any text gives null or a wait within bounds', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9."rt=;, -]{0,20}$/))
    fc.assert(
      fc.property(text, text, text, (after, limit, reset) => {
        const headers = {
          'retry-after': after,
          ratelimit: limit,
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': reset,
        }
        const wait = askedWaitMicros(headers)
        if (wait === null) return
        expect(Number.isSafeInteger(wait)).toBe(true)
        expect(wait).toBeGreaterThanOrEqual(0)
        expect(wait).toBeLessThanOrEqual(MAX_WAIT_MICROS)
      }),
      { seed: 5, numRuns: 500 },
    )
  })

  test('Retry-After alone does not hear of quotas', () => {
    expect(retryAfterMicros({ ratelimit: '"default";r=0;t=60' })).toBeNull()
    expect(retryAfterMicros({ 'retry-after': '2' })).toBe(2e6)
  })
})

describe('HTTP dates', () => {
  test.each([DATE, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])('%s', (text) => {
    expect(parseHttpDate(text)).toBe(UNIX_SECONDS * 1_000)
  })

  test.each(['', '1994-11-06', 'Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 25:49:37 GMT'])(
    'not "%s"',
    (text) => {
      expect(parseHttpDate(text)).toBeUndefined()
    },
  )
})

/** At 1,784,073,600 s since 1970. */
function legacy(reset: number): Record<string, string> {
  const date = 'Wed, 15 Jul 2026 00:00:00 GMT'
  return { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset), date }
}
