/** What headers promise is held against what experiments show. */
import { describe, expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../bench/truth/limits/judge.ts'
import { inferBeside } from '../../../../../bench/truth/limits/shared.ts'
import { inferIn, worldOf } from '../../../../../bench/truth/limits/trial.ts'
import { World } from '../../../../../bench/truth/limits/world.ts'
import type { LimitProfile } from '../../../../../fake-crew/model/limits/profile.ts'
import type { HeaderDialect } from '../../../../../fake-crew/model/limits/headers.ts'
import { HEADER_DIALECT_NAMES } from '../../../../../fake-crew/model/limits/headers.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { toldIn } from '../../../../../src/study/limits/analyse/infer/headers/promise.ts'
import { profileWorld } from '../../profile-world.ts'

const serviceMs = (): number => 10

const MINUTE = { limit: 3_000, windowMicros: 60_000_000 }

function logOf12(retryAfter: LimitProfile['refusal']['retryAfter'], headers: HeaderDialect): World {
  const algorithm = { kind: 'sliding-log', limit: 12, windowMicros: 20_000_000 } as const
  return worldOfLimit(algorithm, headers, retryAfter)
}

function worldOfLimit(
  algorithm: LimitProfile['algorithm'],
  headers: HeaderDialect,
  retryAfter: LimitProfile['refusal']['retryAfter'] = 'seconds',
): World {
  return worldOfLimits([limitOf(algorithm, retryAfter)], headers)
}

function limitOf(
  algorithm: LimitProfile['algorithm'],
  retryAfter: LimitProfile['refusal']['retryAfter'] = 'seconds',
  name = 'polls',
): LimitProfile {
  return {
    name,
    operations: ['status'],
    quota: 'shared',
    per: 'all',
    algorithm,
    rejected: 'free',
    blockMicros: 0,
    refusal: { status: 429, retryAfter },
  }
}

function worldOfLimits(limits: readonly LimitProfile[], headers: HeaderDialect, seed = 1): World {
  const anchorUnixMs = Date.UTC(2026, 5, 1, 6, 0, 17) + 777 * (seed - 1)
  return new World({ seed, limits, headers, anchorUnixMs, jitterMs: 10, serviceMs })
}

/** What is concluded of 31 in 45.09 s, with a block of that length. */
function blockOf(blockMicros: number, seed: number): Conclusion {
  const window = { limit: 31, windowMicros: 45_090_000, from: 'first hit' } as const
  const limit = { ...limitOf({ kind: 'fixed-window', ...window }), blockMicros }
  return inferIn(worldOfLimits([limit], 'draft-7'), seed).conclusion
}

describe('a block that a refusal begins', () => {
  test.each([5_010, 5_100, 5_121])(
    'shows although the window would outlast it, seed %i',
    (seed) => {
      const drawn = drawLimiter(seed)
      const { conclusion } = inferIn(worldOf(drawn, 'draft-10'), seed)
      expect(drawn.kind).toBe('penalty')
      expect(conclusion).toMatchObject({ outcome: 'settled', finding: { kind: 'penalty' } })
      expect(conclusion.requests).toBeLessThanOrEqual(60)
    },
  )

  test('shows although it is a little longer than the window', () => {
    const drawn = drawLimiter(6_603)
    const { conclusion } = inferIn(worldOf(drawn, 'x-ratelimit-duration'), 6_603)
    expect(drawn.kind).toBe('penalty')
    expect(conclusion.finding).toMatchObject({ kind: 'penalty', limit: { value: 8 } })
  })

  test.each([1, 2, 3])('shows although it is a little shorter than the window, seed %i', (seed) => {
    expect(blockOf(43_600_000, seed).finding).toMatchObject({ kind: 'penalty' })
  })

  test.each([2, 3, 4])('is not ruled out where it ends within rounding of it, seed %i', (seed) => {
    const { finding } = blockOf(44_028_000, seed)
    expect([finding.kind, ...finding.sameAs]).toContain('penalty')
  })

  test('is not ruled out where the limit was not used up', () => {
    const { conclusion } = inferIn(worldOf(drawLimiter(5_038), 'draft-10'), 5_038)
    expect(conclusion.headers).toMatchObject({ usedUp: false })
    expect([conclusion.finding.kind, ...conclusion.finding.sameAs]).toContain('penalty')
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
      finding: { kind: 'leaky-bucket', delaying: true },
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
  expect(conclusion).toMatchObject({ outcome: 'settled', finding: { kind: 'leaky-bucket' } })
  expect(judge(drawn, conclusion)).toMatchObject({ kindRight: true, limitExact: true })
})

test('a reset in Unix seconds with decimals is no more exact than the Date it counts from', () => {
  const window = {
    ...MINUTE,
    kind: 'fixed-window',
    limit: 120,
    from: 'first hit',
  } as const
  for (const seed of [1, 2, 3]) {
    for (const before of [0, 1]) {
      const world = worldOfLimits([limitOf(window, 'none')], 'slowapi', seed)
      // A client whose request begins the window, before the study.
      world.stranger(before)
      const { conclusion } = inferIn(world, seed, { mostToTest: 200 })
      expect(conclusion).toMatchObject({
        outcome: 'settled',
        finding: { kind: 'fixed-window', limit: { value: 120 } },
        headers: { truthful: true, usedUp: true, lies: [] },
        others: 0,
      })
      const { low, high } = conclusion.finding.windowMs!
      expect(low).toBeLessThanOrEqual(60_000)
      expect(high).toBeGreaterThanOrEqual(60_000)
    }
  }
})

test('a fixed window is named beside a second limit, and no block is made up for it', () => {
  const fast = { kind: 'fixed-window', limit: 20, windowMicros: 10_000_000 } as const
  const slow = { ...MINUTE, kind: 'fixed-window', limit: 900, from: 'calendar' } as const
  const limits = [limitOf({ ...fast, from: 'calendar' }), limitOf(slow, 'seconds', 'slow')]
  for (let seed = 17; seed <= 25; seed++) {
    const { conclusion } = inferIn(worldOfLimits(limits, 'draft-10', seed), seed)
    expect(conclusion).toMatchObject({
      outcome: 'settled',
      finding: { kind: 'fixed-window', limit: { value: 20 } },
    })
  }
})

describe.each(HEADER_DIALECT_NAMES.filter((name) => name !== 'none'))('%s', (name) => {
  test('a true promise is checked and claimed within 60 requests', () => {
    const { conclusion } = inferIn(logOf12('seconds', name), 1)
    expect(conclusion.requests).toBeLessThanOrEqual(60)
    expect(conclusion).toMatchObject({
      outcome: 'settled',
      finding: { kind: 'sliding-log', limit: { value: 12, low: 12, high: 12 } },
      headers: { limit: 12, truthful: true, usedUp: true, lies: [] },
    })
    const { value } = conclusion.finding.windowMs!
    expect(Math.abs(value / 20_000 - 1)).toBeLessThan(0.05)
  })

  test('a limit that is too large to be used up is told as promised', () => {
    const world = worldOfLimit({ kind: 'fixed-window', ...MINUTE, from: 'calendar' }, name)
    const { conclusion } = inferIn(world, 1)
    expect(conclusion.requests).toBeLessThanOrEqual(60)
    expect(conclusion).toMatchObject({
      finding: { kind: 'fixed-window', limit: { value: 3_000 } },
      headers: { limit: 3_000, truthful: null, usedUp: false },
    })
    expect(conclusion.finding.safePerSecond).toBeGreaterThan(40)
    expect(conclusion.finding.safePerSecond).toBeLessThanOrEqual(51)
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
      finding: { kind: 'sliding-log', limit: { value: 12 } },
      headers: { truthful: false },
    })
    expect(conclusion.headers!.lies[0]).toMatchObject({ code: 'left' })
  },
)

test('further limits that draft-10 tells are promised beside the one that is used up', () => {
  const burst = { kind: 'sliding-log', limit: 12, windowMicros: 20_000_000 } as const
  const hourly = { ...MINUTE, kind: 'fixed-window', limit: 900, from: 'calendar' } as const
  const limits = [limitOf(burst), limitOf(hourly, 'seconds', 'hourly')]
  const { conclusion } = inferIn(worldOfLimits(limits, 'draft-10'), 1)
  expect(conclusion).toMatchObject({
    outcome: 'settled',
    finding: { kind: 'sliding-log', limit: { value: 12 } },
    also: [
      {
        basis: 'promised',
        kind: 'unknown',
        limit: { value: 900 },
        windowMs: { value: 60_000 },
        safePerSecond: 15,
      },
    ],
  })
})

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

test('requests that headers count and this client has not sent are told as another client', () => {
  const alone = inferIn(logOf12('seconds', 'draft-10'), 1).conclusion
  expect(alone.others).toBe(0)
  const world = logOf12('seconds', 'draft-10')
  const { conclusion } = inferIn(world, 1, {}, () => world.stranger(2))
  expect(conclusion.others).toBeGreaterThanOrEqual(2)
  expect(conclusion.headers).toMatchObject({ limit: 12, lies: [] })
})

test('requests of others are told although no limit explains the headers', () => {
  const drawn = drawLimiter(50_011)
  expect(inferIn(worldOf(drawn, 'draft-10'), 1).conclusion.others).toBe(0)
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

test('without headers nothing is said of them', () => {
  expect(inferIn(logOf12('none', 'none'), 1).conclusion.headers).toBeNull()
})

test('headers are not read when that is not wanted', () => {
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
  expect(toldIn(headers as Record<string, string>)).toMatchObject(told)
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
    const limits = [limitOf({ kind: 'concurrency', limit }, 'none')]
    const anchorUnixMs = Date.UTC(2026, 5, 1, 6)
    const told = { limits, headers: 'draft-10', anchorUnixMs, jitterMs: 3 } as const
    for (const seed of [1, 2, 3]) {
      const world = new World({ seed, ...told, serviceMs: () => serviceMs })
      const { finding, headers } = inferIn(world, seed).conclusion
      expect(finding).toMatchObject({ kind: 'concurrency', concurrency: { value: limit } })
      expect(finding.safePerSecond).toBeNull()
      expect(headers).toMatchObject({ limit, lies: [] })
    }
  }
})
