/** What headers promise is held against what experiments show. */
import { expect, test } from 'vitest'
import { inferIn } from '../../../../../bench/limits/trial.ts'
import { World } from '../../../../../bench/limits/world.ts'
import type { LimitProfile } from '../../../../../fake-crew/model/limits/profile.ts'
import type { HeaderDialect } from '../../../../../fake-crew/model/limits/headers.ts'
import { promiseIn } from '../../../../../src/study/limits/analyse/infer/headers/promise.ts'
import type { Observed } from '../../../../../src/study/limits/analyse/infer/interface.ts'

const serviceMs = (): number => 10

function logOf12(retryAfter: LimitProfile['refusal']['retryAfter'], headers: HeaderDialect): World {
  const limit: LimitProfile = {
    name: 'polls',
    operations: ['status'],
    quota: 'shared',
    per: 'all',
    algorithm: { kind: 'sliding-log', limit: 12, windowMicros: 20_000_000 },
    rejected: 'free',
    blockMicros: 0,
    refusal: { status: 429, retryAfter },
  }
  return new World({ seed: 1, limits: [limit], headers, anchorUnixMs: 0, jitterMs: 10, serviceMs })
}

test.each(['draft-10', 'draft-7', 'draft-6'] as const)(
  'true headers of %s are borne out',
  (name) => {
    const { conclusion } = inferIn(logOf12('seconds', name), 1)
    expect(conclusion.finding).toMatchObject({ kind: 'sliding-log', limit: { value: 12 } })
    expect(conclusion.headers).toEqual({
      dialect: 'RateLimit',
      limit: 12,
      windowMs: 20_000,
      truthful: true,
      lies: [],
    })
  },
)

test('a Retry-After that is too short is a lie', () => {
  const { conclusion } = inferIn(logOf12('early', 'none'), 1)
  expect(conclusion.headers).toMatchObject({
    dialect: 'Retry-After',
    truthful: false,
    lies: [expect.stringContaining('too short')],
  })
})

test('headers that promise more than gets through are a lie', () => {
  const world = logOf12('seconds', 'draft-6')
  const boast = { 'ratelimit-policy': '30;w=60' }
  const { conclusion } = inferIn(world, 1, {}, () => {
    world.evidence.forEach((one, i) => (world.evidence[i] = { ...one, headers: boast }))
  })
  expect(conclusion.headers).toMatchObject({
    limit: 30,
    truthful: false,
    lies: [
      'The headers promise 30 requests, and 12 get through.',
      expect.stringContaining('The headers promise a window of 60.0 s, and it is'),
    ],
  })
})

test('without headers nothing is said of them', () => {
  expect(inferIn(logOf12('none', 'none'), 1).conclusion.headers).toBeNull()
})

test('headers are not read when that is not wanted', () => {
  const world = logOf12('seconds', 'draft-6')
  expect(inferIn(world, 1, { readHeaders: false }).conclusion.headers).toBeNull()
})

test.each([
  [{ 'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400' }, 'RateLimit', 100, 60_000],
  [{ 'ratelimit-policy': '10;w=1' }, 'RateLimit', 10, 1_000],
  [{ 'x-ratelimit-limit': '60' }, 'X-RateLimit', 60, null],
  [{ 'x-ratelimit-limit-requests': '500' }, 'X-RateLimit', 500, null],
  [{ 'anthropic-ratelimit-requests-limit': '50' }, 'Anthropic-RateLimit', 50, null],
])('%o is read', (headers, dialect, limit, windowMs) => {
  const answer: Observed = { sentMs: 0, receivedMs: 1, answer: 'accepted', status: 200, headers }
  expect(promiseIn([answer])).toEqual({ dialect, limit, windowMs })
})
