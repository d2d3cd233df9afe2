/** How long an answer asks us to wait, in every notation we read. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHttpDate } from '../../src/crew/header-times.ts'
import {
  askedWaitMicros,
  isStandardRetryAfter,
  MAX_WAIT_MICROS,
  retryAfterMicros,
  unreadableWait,
} from '../../src/crew/retry-after.ts'

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
    ['a date in UTC', { 'retry-after': 'Sun, 06 Nov 1994 08:50:07 UTC', date: DATE }, 30],
    ['a date in +0000', { 'retry-after': 'Sun, 06 Nov 1994 08:50:07 +0000', date: DATE }, 30],
    ['a date in -0000', { 'retry-after': 'Sun, 6 Nov 1994 08:50:07 -0000', date: DATE }, 30],
    ['a date elsewhere', { 'retry-after': 'Sun, 06 Nov 1994 10:20:07 +0130', date: DATE }, 30],
    [
      'two dates elsewhere',
      { 'retry-after': `${DATE}, Sun, 6 Nov 1994 03:50:07 -0500`, date: DATE },
      30,
    ],
    ['a date against a Date in UTC', { 'retry-after': DATE, date: DATE.replace('GMT', 'UTC') }, 0],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1.5],
    ['milliseconds of Azure', { 'x-ms-retry-after-ms': '250' }, 0.25],
    ['milliseconds beside whole seconds', { 'retry-after-ms': '1200', 'retry-after': '2' }, 1.2],
    ['seconds beside unreadable milliseconds', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2],
    ['fractions of milliseconds', { 'retry-after-ms': '12.5' }, 0.0125],
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
    [
      'Unix seconds of virtual time, which begins in 2000',
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '946684831',
        date: 'Sat, 01 Jan 2000 00:00:01 GMT',
      },
      30,
    ],
    ['Unix milliseconds', legacy(1_784_073_605_000), 5],
    ['a Go duration', { 'ratelimit-remaining': '0', 'ratelimit-reset': '6m0s' }, 360],
    ['an RFC 3339 date', { ...legacy('2026-07-15T02:00:08.5+02:00') }, 8.5],
    ['an HTTP date', { ...legacy('Wed, 15 Jul 2026 00:01:00 GMT') }, 60],
    ['a date that has passed, as epoch', legacy(1_784_073_599), 0],
    ['an epoch in a draft field', { ...legacy(0), ratelimit: '"a";r=0;t=1784073660' }, 60],
    ['an epoch in Retry-After', { date: legacy(0)['date'], 'retry-after': '1784073630' }, 30],
    ['a duration in Retry-After', { 'retry-after': '1m30s' }, 90],
    [
      'Retry-After as two dates',
      {
        'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT, Sun, 06 Nov 1994 08:51:07 GMT',
        date: DATE,
      },
      90,
    ],
    ['the longest of the exhausted', { ...openAi('0', '1s'), ...tokens('0', '6m0s') }, 360],
    ['only the exhausted', { ...openAi('0', '1s'), ...tokens('149984', '6m0s') }, 1],
    ['two layers, one exhausted', layers('0, 9', '30, 600'), 30],
    ['two layers, the other exhausted', layers('9, 0', '30, 600'), 600],
    ['more that is left than there are times', layers('9, 0', '30'), null],
    ['a quota below nothing', layers('-1', '30'), null],
    ['a time below nothing', layers('0', '-30'), null],
    ['not a number', layers('0', 'NaN'), null],
    ['for ever', layers('0', 'Infinity'), null],
    ['an empty time', layers('0', ''), null],
    ['a date that does not exist', layers('0', '2026-13-45T99:00:00Z'), null],
    ['a duration without an end', layers('0', '1h'.repeat(40)), null],
    ['longer than a day in hours', layers('0', '99999h'), 86_400],
    ['Retry-After goes first', { 'retry-after': '5', ratelimit: '"default";r=0;t=60' }, 5],
    ['longer than a day', { 'retry-after': '999999999' }, 86_400],
    ['nothing', {}, null],
  ] as [string, Record<string, string>, number | null][])('%s', (_, headers, seconds) => {
    expect(askedWaitMicros(headers)).toBe(seconds === null ? null : seconds * 1e6)
  })

  test.each([
    ['express-rate-limit, draft 8', { ratelimit: '"2-in-1min"; r=0; t=60' }, 60],
    [
      'express-rate-limit, drafts 6 and 7',
      { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' },
      60,
    ],
    ['express-rate-limit, legacy', at(1_795_248_142, legacyFields('1795248202')), 60],
    ['@fastify/rate-limit', legacyFields('60'), 60],
    ['rate-limiter-flexible', { 'retry-after': '0.733' }, 0.733],
    ['GitHub', at(1_795_248_142, { ...legacyFields('1795248202'), 'x-ratelimit-used': '60' }), 60],
    ['OpenAI, requests', openAi('0', '12ms'), 0.012],
    ['OpenAI, tokens', tokens('0', '6m0s'), 360],
    ['Anthropic', at(1_795_248_142, anthropic('2026-11-21T08:03:22Z')), 60],
    ['Envoy', { ...legacyFields('1'), 'x-ratelimit-limit': '10, 10;w=1;name="per-ip"' }, 1],
    ['nginx', {}, null],
    ['Kong', { 'ratelimit-remaining': '0', 'ratelimit-reset': '47', 'retry-after': '48' }, 48],
    ['Cloudflare 1015', { 'retry-after': '30' }, 30],
  ] as [string, Record<string, string>, number | null][])(
    'as %s writes it',
    (_, headers, seconds) => {
      expect(askedWaitMicros(headers)).toBe(seconds === null ? null : seconds * 1e6)
    },
  )

  test.each([
    ['a date', 'Sun, 06 Nov 1994 08:50:07 GMT', 30],
    ['a date in UTC', 'Sun, 06 Nov 1994 08:50:07 UTC', 30],
    ['RFC 3339', '1994-11-06T08:50:07Z', 30],
  ])('%s on an answer without Date counts from our clock', (_, text, seconds) => {
    const at = 784_111_777_000
    expect(askedWaitMicros({ 'retry-after': text }, () => at)).toBe(seconds * 1e6)
    const quota = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': text }
    expect(askedWaitMicros(quota, () => at)).toBe(seconds * 1e6)
    expect(askedWaitMicros({ 'retry-after': text, date: DATE }, () => 0)).toBe(seconds * 1e6)
  })

  test.each([
    ['Unix seconds', '1784073612', 12],
    ['Unix seconds with a fraction', '1784073612.5', 12.5],
    ['Unix milliseconds', '1784073612250', 12.25],
  ])('%s in Retry-After count from our clock', (_, text, seconds) => {
    expect(askedWaitMicros({ 'retry-after': text }, () => 1_784_073_600_000)).toBe(seconds * 1e6)
  })

  test.each([
    [{ 'retry-after': 'soon' }, 'retry-after: "soon"'],
    [{ 'retry-after': '-1' }, 'retry-after: "-1"'],
    [{ 'retry-after': '2026-07-15 00:00' }, 'retry-after: "2026-07-15 00:00"'],
    [{ 'retry-after-ms': '1s', 'retry-after': 'x' }, 'retry-after-ms: "1s"'],
    [{ 'x-ms-retry-after-ms': 'x', 'retry-after': '1' }, undefined],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT' }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, string | undefined][])(
    '%j is unreadable as %s',
    (headers, text) => {
      expect(unreadableWait(headers)).toBe(text)
    },
  )

  test('any text gives null or a wait within bounds', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[0-9."rt=;, -]{0,20}$/),
      fc.stringMatching(/^[0-9.hmsuµTZ:,+ -]{0,25}$/),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    )
    fc.assert(
      fc.property(text, text, text, (after, limit, reset) => {
        const headers = {
          'retry-after': after,
          ratelimit: limit,
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': reset,
          'x-ratelimit-remaining-tokens': '0',
          'x-ratelimit-reset-tokens': after,
          date: DATE,
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

  test('only GMT is standard', () => {
    expect([DATE, DATE.replace('GMT', 'UTC'), '7', '0.5'].map(isStandardRetryAfter)).toEqual([
      true,
      false,
      true,
      false,
    ])
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
function legacy(reset: number | string): Record<string, string> {
  return at(1_784_073_600, legacyFields(String(reset)))
}

function legacyFields(reset: string): Record<string, string> {
  return { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
}

function layers(remaining: string, reset: string): Record<string, string> {
  return { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset }
}

function openAi(remaining: string, reset: string): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': remaining,
    'x-ratelimit-reset-requests': reset,
  }
}

function tokens(remaining: string, reset: string): Record<string, string> {
  return { 'x-ratelimit-remaining-tokens': remaining, 'x-ratelimit-reset-tokens': reset }
}

function anthropic(reset: string): Record<string, string> {
  return {
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': reset,
  }
}

/** With the answer's own clock. */
function at(unixSeconds: number, headers: Record<string, string>): Record<string, string> {
  return { ...headers, date: new Date(unixSeconds * 1_000).toUTCString() }
}

describe('a field that was written to be slow to read', () => {
  /** Of these, the first took 0.9 s an answer. */
  test.each([
    ['ratelimit', '\\"'],
    ['ratelimit', '"'],
    ['ratelimit', ',;='],
    ['retry-after', ', '],
    ['retry-after', '1h'],
    ['x-ratelimit-remaining', '0,'],
  ])('%s full of %j is read at once', (name, piece) => {
    const headers = {
      'x-ratelimit-reset': piece.repeat(30_000),
      [name]: `"${piece.repeat(30_000)}\\`,
    }
    const began = performance.now()
    for (let i = 0; i < 20; i++) askedWaitMicros(headers)
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  test('and one that is too long to be sensible asks for nothing', () => {
    expect(askedWaitMicros({ 'retry-after': `${' '.repeat(5_000)}7` })).toBeNull()
  })
})

test('a string that is not closed hides what follows it', () => {
  expect(askedWaitMicros({ ratelimit: '"a";r=0;t=7, "b;r=0;t=9' })).toBe(7e6)
})
