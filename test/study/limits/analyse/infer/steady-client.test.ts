/** What is told to be safe is held against the limiters of the fake crew. */
import { describe, expect, test } from 'vitest'
import type { FakeRequest } from '../../../../../fake-crew/model/exchange.ts'
import { LimitSet } from '../../../../../fake-crew/model/limits/limits.ts'
import type { Profile } from '../../../../../fake-crew/model/profile.ts'
import { parseProfileText } from '../../../../../fake-crew/profiles.ts'
import { createRandom } from '../../../../../src/base/random.ts'
import { UNKNOWN } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import type { RateLimit } from '../../../../../src/study/limits/document.ts'
import {
  forgottenAfterMs,
  safePerSecond,
  waitMsAfterRefusal,
} from '../../../../../src/study/limits/analyse/infer/steady-client.ts'

const ANCHOR_UNIX_MS = Date.UTC(2026, 10, 21, 8, 15)
const JITTER_MS = 20
const ASKER = { operation: 'status', token: 'a', address: '127.0.0.1' } as const
const REQUEST: FakeRequest = {
  method: 'GET',
  path: '/status/1',
  headers: {},
  body: null,
  address: '127.0.0.1',
}

/** Read once each. */
const profiles = new Map<string, Profile>()

function profileOf(rule: string): Profile {
  const known = profiles.get(rule)
  if (known !== undefined) return known
  const text = `{ description: limited, inputs: [topic], tasks: [{ id: a, agent: A, duration: 1s }], limits: { rules: [{ name: one, operations: [status], ${rule} }] } }`
  const profile = parseProfileText(text, 'limited.yaml')
  profiles.set(rule, profile)
  return profile
}

function limiter(rule: string): (ms: number) => boolean {
  const model = new LimitSet(profileOf(rule), ANCHOR_UNIX_MS)
  return (ms) => model.meet(REQUEST, ASKER, Math.round(ms * 1_000)).kind === 'admitted'
}

/** Refusals of a client that asks so often a second, over `windows` of a window. */
function refusedAt(rule: string, perSecond: number, seed: number): number {
  const isLetIn = limiter(rule)
  const random = createRandom(seed).fork('arrivals')
  const everyMs = 1_000 / perSecond
  const beginMs = random.next() * 10_000
  const requests = 2_000
  return Array.from({ length: requests }, (_, i) => {
    return isLetIn(beginMs + i * everyMs + random.next() * JITTER_MS)
  }).filter((isIn) => !isIn).length
}

function exactly(value: number): { value: number; low: number; high: number } {
  return { value, low: value, high: value }
}

const SMALL = [1, 2, 3, 5, 20]

describe('a steady client at the safe rate is never refused', () => {
  const windows = [
    ['fixed-window', 'fixedWindow: { limit: N, window: 2s, from: calendar }'],
    ['fixed-window', 'fixedWindow: { limit: N, window: 2s, from: first hit }'],
    ['sliding-log', 'slidingLog: { limit: N, window: 2s }'],
    ['sliding-counter', 'slidingCounter: { limit: N, window: 2s }'],
    ['sliding-counter', 'slidingCounter: { limit: N, window: 2s }, rejected: counted'],
    ['penalty', 'slidingLog: { limit: N, window: 2s }, block: 5s'],
  ] as const
  const all = windows.flatMap(([kind, rule]) =>
    SMALL.map((limit) => [kind, rule.replace('N', String(limit)), limit, 2_000] as const),
  )
  const buckets = SMALL.flatMap((limit) => [
    ['token-bucket', `tokenBucket: { rate: 20/s, capacity: ${limit} }`, limit, 50] as const,
    ['token-bucket', `leakyBucket: { rate: 100/s, burst: ${limit - 1} }`, limit, 10] as const,
  ])

  test.each([...all, ...buckets])('of a %s: %s', (kind, rule, limit, windowMs) => {
    const safe = safePerSecond(
      { kind, limit: exactly(limit), windowMs: exactly(windowMs), aligned: null },
      JITTER_MS,
    )
    for (const seed of [1, 2, 3, 4, 5]) expect(refusedAt(rule, safe!, seed)).toBe(0)
    // It is no lower than it has to be: one more in each window, or a bit more than a token.
    const faster = kind === 'token-bucket' ? safe! * 1.1 : safe! + 1_000 / windowMs
    expect([1, 2, 3, 4, 5].some((seed) => refusedAt(rule, faster, seed) > 0)).toBe(true)
  })

  test('of a window that each request prolongs: one in each, whatever its limit', () => {
    const rule = 'fixedWindow: { limit: 20, window: 2s, from: last hit }, rejected: counted'
    const window = { limit: exactly(20), windowMs: exactly(2_000), aligned: 'last-hit' } as const
    const safe = safePerSecond({ kind: 'fixed-window', ...window }, JITTER_MS)
    for (const seed of [1, 2, 3, 4, 5]) expect(refusedAt(rule, safe!, seed)).toBe(0)
    expect(refusedAt(rule, 1.1 * safe!, 1)).toBeGreaterThan(0)
  })

  test('of any other kind no rate is told', () => {
    const of = { limit: exactly(3), windowMs: exactly(1_000), aligned: null }
    expect(safePerSecond({ kind: 'concurrency', ...of }, 0)).toBeNull()
    expect(safePerSecond({ kind: 'unknown', ...of }, 0)).toBeNull()
  })
})

const FINDINGS: [string, Partial<RateLimit>][] = [
  ['slidingLog: { limit: 3, window: 2s }', { kind: 'sliding-log' }],
  ['slidingLog: { limit: 3, window: 2s }, rejected: counted', { kind: 'sliding-log' }],
  ['fixedWindow: { limit: 3, window: 2s }', { kind: 'fixed-window' }],
  ['slidingCounter: { limit: 3, window: 2s }', { kind: 'sliding-counter', countsRefused: false }],
  [
    'slidingCounter: { limit: 3, window: 2s }, rejected: counted',
    { kind: 'sliding-counter', countsRefused: true },
  ],
  [
    'slidingLog: { limit: 3, window: 2s }, block: 500ms',
    { kind: 'penalty', blockMs: exactly(500) },
  ],
  [
    'fixedWindow: { limit: 3, window: 2s }, block: 5s',
    { kind: 'penalty', blockMs: exactly(5_000) },
  ],
].map(([rule, rateLimit]) => [
  rule as string,
  { limit: exactly(3), windowMs: exactly(2_000), ...(rateLimit as Partial<RateLimit>) },
])
FINDINGS.push([
  'tokenBucket: { rate: 2/s, capacity: 3 }, rejected: counted',
  { kind: 'token-bucket', ratePerSecond: exactly(2), capacity: exactly(3) },
])

/** Requests at random times, until one is refused and 20 more; the time of the last. */
function untilRefused(isLetIn: (ms: number) => boolean, seed: number): number {
  const random = createRandom(seed).fork('client')
  let ms = random.next() * 5_000
  for (;;) {
    ms += random.next() < 0.5 ? 0.01 : random.next() * 700
    if (!isLetIn(ms)) break
  }
  for (let i = 0; i < 20; i++) isLetIn((ms += 0.001))
  return ms
}

test.each(FINDINGS)(
  'after a refusal by %s a client waits long enough, and no longer',
  (rule, own) => {
    const waitMs = waitMsAfterRefusal({ ...UNKNOWN, ...own })!
    const isOpenAfter = (share: number): boolean[] =>
      Array.from({ length: 400 }, (_, seed) => {
        const isLetIn = limiter(rule)
        const refusedMs = untilRefused(isLetIn, seed)
        return isLetIn(refusedMs + share * waitMs)
      })
    expect(isOpenAfter(1.0001)).not.toContain(false)
    expect(isOpenAfter(0.85)).toContain(false)
  },
)

test.each(FINDINGS)('what %s has counted is forgotten after that time', (rule, own) => {
  const rateLimit = { ...UNKNOWN, ...own }
  const limit = (rateLimit.limit ?? rateLimit.capacity)!.value
  for (let seed = 0; seed < 200; seed++) {
    const isLetIn = limiter(rule)
    const ms = untilRefused(isLetIn, seed) + forgottenAfterMs(rateLimit) * 1.0001
    const burst = Array.from({ length: limit }, (_, i) => isLetIn(ms + i * 0.001))
    expect(burst).not.toContain(false)
  }
})
