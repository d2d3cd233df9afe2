/**
 * What the fake crew's limits say, the harness reads: a wait that is no shorter than was meant, and
 * little longer. That the words are true is for header-truth.test.ts.
 */
import { describe, expect, test } from 'vitest'
import {
  HEADER_DIALECT_NAMES,
  limitHeaders,
  retryAfter,
} from '../../../../fake-crew/model/limits/headers.ts'
import { askedWaitMicros } from '../../../../src/crew/retry-after.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { SECOND } from '../../sample-profile.ts'

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
