/**
 * What the fake crew's limits say, the harness reads: who waits as long as it was asked to is let
 * in, and waits little longer than that.
 */
import { describe, expect, test } from 'vitest'
import type { LimitProfile } from '../../../../fake-crew/model/limits/profile.ts'
import type { HeaderDialect } from '../../../../fake-crew/model/limits/headers.ts'
import { HEADER_DIALECT_NAMES, limitHeaders } from '../../../../fake-crew/model/limits/headers.ts'
import { retryAfter } from '../../../../fake-crew/model/limits/limits.ts'
import { askedWaitMicros } from '../../../../src/crew/retry-after.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { Client } from '../../client.ts'
import { SECOND } from '../../sample-profile.ts'
import { limited, rule } from './rules.ts'

const ANCHOR_UNIX_MS = 1_795_248_142_345
const TELLING = HEADER_DIALECT_NAMES.filter((dialect) => dialect !== 'none')

/**
 * How much later than meant a wait may be read: whole seconds, and a `Date` that is told in whole
 * seconds.
 */
const ROUNDING: Record<(typeof TELLING)[number], number> = {
  'draft-10': SECOND,
  'draft-7': SECOND,
  'draft-6': SECOND,
  'x-ratelimit-epoch': 2 * SECOND,
  'x-ratelimit-delta': SECOND,
  'x-ratelimit-duration': 1_000,
  anthropic: 2 * SECOND,
  // It adds a second and rounds down.
  slowapi: SECOND + 1,
  kong: SECOND,
}

function dateAt(unixMs: number): string {
  return new Date(unixMs).toUTCString()
}

describe('a quota that is used up', () => {
  test.each(TELLING)('as %s tells it, at any moment', (dialect) => {
    const random = createRandom(11)
    for (let n = 0; n < 300; n++) {
      const nowUnixMs = ANCHOR_UNIX_MS + random.int(100_000_000)
      const waitMicros = random.int(random.pick([2, 5_000, 3 * SECOND, 20_000 * SECOND]))
      const quota = { limit: 9, remaining: 0, moreMicros: waitMicros, fullMicros: waitMicros }
      const told = { name: 'default', windowMicros: 60 * SECOND, quota }
      const headers = { ...limitHeaders(dialect, [told], nowUnixMs), date: dateAt(nowUnixMs) }
      const read = askedWaitMicros(headers)
      expect(read, `${n}`).toBeGreaterThanOrEqual(waitMicros)
      expect(read, `${n}`).toBeLessThan(waitMicros + ROUNDING[dialect])
    }
  })

  test.each([
    ['seconds', SECOND],
    ['date', 2 * SECOND],
    ['fractional', 1_000],
  ] as const)('as Retry-After of the form %s tells it', (form, rounding) => {
    const random = createRandom(12)
    for (let n = 0; n < 300; n++) {
      const nowUnixMs = ANCHOR_UNIX_MS + random.int(100_000_000)
      const waitMicros = random.int(20_000 * SECOND)
      const text = retryAfter(form, waitMicros, nowUnixMs)!
      const read = askedWaitMicros({ 'retry-after': text, date: dateAt(nowUnixMs) })
      expect(read, `${n}`).toBeGreaterThanOrEqual(waitMicros)
      expect(read, `${n}`).toBeLessThan(waitMicros + rounding)
    }
  })
})

describe('whoever waits as long is let in', () => {
  const ALGORITHMS: LimitProfile['algorithm'][] = [
    { kind: 'token-bucket', rate: { count: 2, perMicros: 3 * SECOND }, capacity: 4 },
    { kind: 'leaky-bucket', rate: { count: 1, perMicros: SECOND }, burst: 3, excess: 'at once' },
    { kind: 'fixed-window', limit: 4, windowMicros: 5 * SECOND, from: 'calendar' },
    { kind: 'fixed-window', limit: 4, windowMicros: 5 * SECOND, from: 'first hit' },
    { kind: 'sliding-log', limit: 4, windowMicros: 5 * SECOND },
    { kind: 'sliding-counter', limit: 4, windowMicros: 5 * SECOND, estimate: 'exact' },
  ]
  const CASES = TELLING.flatMap((dialect) =>
    ALGORITHMS.map((algorithm) => [dialect, algorithm.kind, algorithm] as const),
  )

  test.each(CASES)('%s, %s', (dialect, _, algorithm) => {
    let waited = 0
    for (let seed = 0; seed < 3; seed++) waited += obeyed(dialect, algorithm, seed)
    expect(waited).toBeGreaterThan(6)
  })
})

/**
 * Asks at random moments; where nothing is left, waits as long as it reads. Gives how often it
 * waited.
 */
function obeyed(
  dialect: HeaderDialect,
  algorithm: LimitProfile['algorithm'],
  seed: number,
): number {
  const random = createRandom(seed)
  const rules = [rule({ algorithm, rejected: random.pick(['free', 'counted']) })]
  const client = new Client(limited(rules, dialect), { anchorUnixMs: ANCHOR_UNIX_MS })
  let waited = 0
  for (let n = 0, at = 0; n < 40; n++) {
    const { status, headers } = client.ask('GET', '/inputs', {}, at)
    expect(status, `seed ${seed}, request ${n}`).toBe(200)
    const wait = askedWaitMicros({ ...headers, date: dateAt(ANCHOR_UNIX_MS + at / 1_000) })
    if (wait !== null) waited++
    at += (wait ?? 0) + random.pick([0, 1, 300_000])
  }
  return waited
}
