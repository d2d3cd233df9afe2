/** What headers promise is held against what experiments show. */
import { describe, expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../bench/truth/limits/judge.ts'
import { inferBeside } from '../../../../../bench/truth/limits/shared.ts'
import { inferIn, worldOf } from '../../../../../bench/truth/limits/trial.ts'
import type { World } from '../../../../../bench/truth/limits/world.ts'
import type { HeaderDialect } from '../../../../../fake-crew/model/limits/headers.ts'
import { HEADER_DIALECT_NAMES } from '../../../../../fake-crew/model/limits/headers.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { countsIn } from '../../../../../src/study/limits/analyse/infer/evidence/promise.ts'
import { profileWorld } from '../../profile-world.ts'

/** Of answers that carry headers of that dialect. */
function telling(limiters: string | readonly string[], headers: HeaderDialect, seed = 1): World {
  const anchorUnixMs = Date.UTC(2026, 5, 1, 6, 0, 17) + 777 * (seed - 1)
  return profileWorld(limiters, seed, { headers, anchorUnixMs, jitterMs: 10, serviceMs: () => 10 })
}

function logOf12(retryAfter: string, headers: HeaderDialect): World {
  return telling(
    `slidingLog: { limit: 12, window: 20s }, refusal: { retryAfter: ${retryAfter} }`,
    headers,
  )
}

/** What is concluded of 31 in 45.09 s, with a block of that length. */
function blockOf(blockMs: number, seed: number): Conclusion {
  const window = 'fixedWindow: { limit: 31, window: 45090ms, from: first hit }'
  return inferIn(telling(`${window}, block: ${blockMs}ms`, 'draft-7', seed), seed).conclusion
}

describe('a block that a refusal begins', () => {
  test.each([5_010, 5_100, 5_121])(
    'shows although the window would outlast it, seed %i',
    (seed) => {
      const drawn = drawLimiter(seed)
      const { conclusion } = inferIn(worldOf(drawn, 'draft-10'), seed)
      expect(drawn.kind).toBe('penalty')
      expect(conclusion).toMatchObject({ outcome: 'settled', rateLimit: { kind: 'penalty' } })
      expect(conclusion.requests).toBeLessThanOrEqual(60)
    },
  )

  test('shows although it is a little longer than the window', () => {
    const drawn = drawLimiter(6_603)
    const { conclusion } = inferIn(worldOf(drawn, 'x-ratelimit-duration'), 6_603)
    expect(drawn.kind).toBe('penalty')
    expect(conclusion.rateLimit).toMatchObject({ kind: 'penalty', limit: { value: 8 } })
  })

  test('shows although it is a little shorter than the window', () => {
    expect(blockOf(43_600, 3).rateLimit).toMatchObject({ kind: 'penalty' })
  })

  test('is not ruled out where it ends within rounding of it', () => {
    const { rateLimit } = blockOf(44_028, 4)
    expect([rateLimit.kind, ...rateLimit.sameAs]).toContain('penalty')
  })

  test('is not ruled out where the limit was not used up', () => {
    const { conclusion } = inferIn(worldOf(drawLimiter(5_038), 'draft-10'), 5_038)
    expect(conclusion.headers).toMatchObject({ usedUp: false })
    expect([conclusion.rateLimit.kind, ...conclusion.rateLimit.sameAs]).toContain('penalty')
  })
})

describe('a bucket that holds back, and tells its count when the answer leaves', () => {
  test.each([
    [97_316, 'draft-6'],
    [97_426, 'draft-10'],
    [97_210, 'draft-7'],
    [97_798, 'draft-7'],
  ] as const)('is named within 60 requests, seed %i, %s', (seed, dialect) => {
    const drawn = drawLimiter(seed)
    const { conclusion } = inferIn(worldOf(drawn, dialect), seed)
    expect(drawn.kind).toBe('leaky-delayed')
    expect(conclusion.requests).toBeLessThanOrEqual(60)
    expect(conclusion).toMatchObject({
      outcome: 'settled',
      rateLimit: { kind: 'leaky-bucket', delaying: true },
    })
    const judged = judge(drawn, conclusion)
    expect(judged).toMatchObject({ kindRight: true, limitExact: true, covered: true })
    expect(judged.claimClose).not.toBe(false)
  })
})

test('what few requests leave open is answered with more of the budget, headers and all', () => {
  const drawn = drawLimiter(97_860)
  const { conclusion } = inferIn(worldOf(drawn, 'draft-10'), 97_860)
  expect(conclusion.requests).toBeGreaterThan(60)
  expect(conclusion).toMatchObject({ outcome: 'settled', rateLimit: { kind: 'leaky-bucket' } })
  expect(judge(drawn, conclusion)).toMatchObject({ kindRight: true, limitExact: true })
})

test('a reset in Unix seconds with decimals is no more exact than the Date it counts from', () => {
  const window =
    'fixedWindow: { limit: 120, window: 1m, from: first hit }, refusal: { retryAfter: none }'
  for (const seed of [1, 2, 3]) {
    for (const before of [0, 1]) {
      const world = telling(window, 'slowapi', seed)
      // A client whose request begins the window, before the study.
      world.stranger(before)
      const { conclusion } = inferIn(world, seed, { mostToTest: 200 })
      expect(conclusion).toMatchObject({
        outcome: 'settled',
        rateLimit: { kind: 'fixed-window', limit: { value: 120 } },
        headers: { truthful: true, usedUp: true, lies: [] },
        others: 0,
      })
      const { low, high } = conclusion.rateLimit.windowMs!
      expect(low).toBeLessThanOrEqual(60_000)
      expect(high).toBeGreaterThanOrEqual(60_000)
    }
  }
})

describe('one request a window', () => {
  test.each([
    ['fixedWindow: { limit: 1, window: 17429ms, from: calendar }', 'fixed-window'],
    ['slidingCounter: { limit: 1, window: 3813ms }', 'sliding-counter'],
  ])('is told within 60 requests: %s', (limiter, kind) => {
    for (const dialect of ['draft-10', 'slowapi'] as const) {
      for (const seed of [1, 2, 3, 4]) {
        const { conclusion } = inferIn(telling(limiter, dialect, seed), seed)
        expect(conclusion.requests).toBeLessThanOrEqual(60)
        expect(conclusion).toMatchObject({
          outcome: 'settled',
          rateLimit: { kind, limit: { value: 1 } },
          headers: { truthful: true, lies: [] },
        })
      }
    }
  })
})

test('a fixed window is named beside a second limit, and no block is made up for it', () => {
  const limits = [
    'fixedWindow: { limit: 20, window: 10s, from: calendar }',
    'fixedWindow: { limit: 900, window: 1m, from: calendar }',
  ]
  for (const seed of [17, 21, 25]) {
    const { conclusion } = inferIn(telling(limits, 'draft-10', seed), seed)
    expect(conclusion).toMatchObject({
      outcome: 'settled',
      rateLimit: { kind: 'fixed-window', limit: { value: 20 } },
    })
  }
})

describe.each(HEADER_DIALECT_NAMES.filter((name) => name !== 'none'))('%s', (name) => {
  test('a true promise is checked and claimed within 60 requests', () => {
    const { conclusion } = inferIn(logOf12('seconds', name), 1)
    expect(conclusion.requests).toBeLessThanOrEqual(60)
    expect(conclusion).toMatchObject({
      outcome: 'settled',
      rateLimit: { kind: 'sliding-log', limit: { value: 12, low: 12, high: 12 } },
      headers: { limit: 12, truthful: true, usedUp: true, lies: [] },
    })
    const { value } = conclusion.rateLimit.windowMs!
    expect(Math.abs(value / 20_000 - 1)).toBeLessThan(0.05)
  })

  test('a limit that is too large to be used up is told as promised', () => {
    const window = 'fixedWindow: { limit: 3000, window: 1m, from: calendar }'
    const { conclusion } = inferIn(telling(window, name), 1)
    expect(conclusion.requests).toBeLessThanOrEqual(60)
    expect(conclusion).toMatchObject({
      rateLimit: { kind: 'fixed-window', limit: { value: 3_000 } },
      headers: { limit: 3_000, truthful: null, usedUp: false },
    })
    expect(conclusion.rateLimit.safePerSecond).toBeGreaterThan(40)
    expect(conclusion.rateLimit.safePerSecond).toBeLessThanOrEqual(51)
  })
})

test.each(['draft-10', 'draft-7', 'x-ratelimit-epoch'] as const)(
  'a count of %s that lies is found out, and not believed',
  (name) => {
    const world = logOf12('none', name)
    const { conclusion } = inferIn(world, 1, {}, () => {
      world.evidence.forEach((one, i) => {
        world.evidence[i] = { ...one, headers: boasting(one.headers) }
      })
    })
    expect(conclusion).toMatchObject({
      rateLimit: { kind: 'sliding-log', limit: { value: 12 } },
      headers: { truthful: false },
    })
    expect(conclusion.headers!.lies[0]).toMatchObject({ code: 'left' })
  },
)

function more(_: string, key: string, count: string): string {
  return `${key}=${Number(count) + 30}`
}

/** 30 more are left than the truth is. */
function boasting(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (name === 'ratelimit') {
      return [name, value.replaceAll(/\b(r|remaining|limit)=(\d+)/g, more)]
    }
    const isCount = name.includes('remaining')
    return [name, isCount && Number(value) < 30 ? String(Number(value) + 30) : value]
  })
  return Object.fromEntries(entries)
}

test('requests of others are told although no limit explains the headers', () => {
  const drawn = drawLimiter(50_011)
  const { conclusion } = inferBeside(drawn, 0.4, 'draft-10')!
  expect(conclusion.outcome).not.toBe('settled')
  expect(conclusion.others).toBeGreaterThanOrEqual(2)
})

test('a Retry-After that is too short is a lie', () => {
  const { conclusion } = inferIn(logOf12('early', 'none'), 1)
  expect(conclusion.headers).toMatchObject({
    dialect: 'Retry-After',
    truthful: false,
    lies: [{ code: 'wait-short' }],
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
      { code: 'limit', promised: 30, found: 12 },
      { code: 'window', promised: 60_000 },
    ],
  })
})

test('nothing is said of headers where there are none, or they are not to be read', () => {
  expect(inferIn(logOf12('none', 'none'), 1).conclusion.headers).toBeNull()
  const world = logOf12('seconds', 'draft-6')
  expect(inferIn(world, 1, { readHeaders: false }).conclusion.headers).toBeNull()
})

test.each([
  [
    {
      'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
      ratelimit: '"burst";r=9;t=5,"daily";r=800;t=60',
    },
    [
      { key: '"burst"', limit: 100, windowMs: 60_000, left: 9, resetMs: 5_000 },
      { key: '"daily"', limit: 1_000, windowMs: 86_400_000, left: 800, resetMs: 60_000 },
    ],
  ],
  [{ 'ratelimit-policy': '10;w=1' }, [{ limit: 10, windowMs: 1_000, left: null }]],
  [
    { 'ratelimit-policy': '10;w=60', ratelimit: 'limit=10, remaining=7, reset=50' },
    [{ limit: 10, windowMs: 60_000, left: 7, resetMs: 50_000 }],
  ],
  [{ 'x-ratelimit-limit': '60' }, [{ limit: 60, windowMs: null, left: null }]],
  [
    { 'x-ratelimit-limit-requests': '500', 'x-ratelimit-remaining-requests': '4' },
    [{ dialect: 'X-RateLimit', limit: 500, left: 4 }],
  ],
  [
    { 'anthropic-ratelimit-requests-limit': '50' },
    [{ dialect: 'Anthropic-RateLimit', limit: 50, windowMs: null }],
  ],
  [{ 'ratelimit-policy': '"a";w=1', ratelimit: 'nonsense;;=' }, []],
])('%o is read', (headers, told) => {
  expect(countsIn(headers as Record<string, string>)).toMatchObject(told)
})

test('a date in Retry-After is rounded twice, and no lie', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const bucket = 'tokenBucket: { rate: 1/s, capacity: 21 }, refusal: { retryAfter: date }'
    const { outcome, headers } = inferIn(profileWorld(bucket, seed), seed).conclusion
    expect(outcome).toBe('settled')
    expect(headers).toMatchObject({ truthful: true, lies: [] })
  }
})

test.each([150, 12])('%i in flight are told as that, which headers call so', (limit) => {
  for (const serviceMs of [2, 400]) {
    const limiter = `concurrency: { limit: ${limit} }`
    const told = { headers: 'draft-10', jitterMs: 3, serviceMs: () => serviceMs } as const
    for (const seed of [1, 2, 3]) {
      const { rateLimit, headers } = inferIn(profileWorld(limiter, seed, told), seed).conclusion
      expect(rateLimit).toMatchObject({ kind: 'concurrency', concurrency: { value: limit } })
      expect(rateLimit.safePerSecond).toBeNull()
      expect(headers).toMatchObject({ limit, lies: [] })
    }
  }
})
