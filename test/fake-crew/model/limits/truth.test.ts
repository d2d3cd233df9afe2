/** What every answer tells of the limits is true, in whatever time the crew lives. */
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../../../fake-crew/model/exchange.ts'
import type { LimitProfile } from '../../../../fake-crew/model/limits/profile.ts'
import { LIMITERS } from '../../../../fake-crew/model/limits/algorithms/list.ts'
import type { Profile } from '../../../../fake-crew/model/profile.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { Client } from '../../client.ts'
import { SECOND } from '../../sample-profile.ts'
import { MINUTE, limited, rule } from './rules.ts'

/** Answers to requests at these times, by a crew of their own. */
function answers(profile: Profile, times: readonly number[]): Reply[] {
  const client = new Client(profile, { anchorUnixMs: 1_795_248_142_345 })
  return times.map((at) => client.ask('GET', '/inputs', {}, at))
}

describe('time', () => {
  test.each([1, 60])('at speed %d calendar windows begin with those of the wall clock', (speed) => {
    const anchorUnixMs = Date.UTC(2026, 10, 21, 12, 0, 40)
    const algorithm = {
      kind: 'fixed-window',
      limit: 1,
      windowMicros: speed * MINUTE,
      from: 'calendar',
    } as const
    const profile = limited([rule({ algorithm })], 'x-ratelimit-epoch', { speed })
    const client = new Client(profile, { anchorUnixMs })
    const { headers } = client.ask('GET', '/inputs')
    expect(headers['x-ratelimit-reset']).toBe(String(Date.UTC(2026, 10, 21, 12, 1) / 1_000))
    expect(client.ask('GET', '/inputs', {}, 20 * SECOND - 1).status).toBe(429)
    expect(client.ask('GET', '/inputs', {}, 20 * SECOND).status).toBe(200)
  })
})

describe('what every answer tells is true', () => {
  const ALGORITHMS: LimitProfile['algorithm'][] = [
    { kind: 'token-bucket', rate: { count: 2, perMicros: 3 * SECOND }, capacity: 4 },
    { kind: 'leaky-bucket', rate: { count: 1, perMicros: SECOND }, burst: 3, excess: 'at once' },
    { kind: 'fixed-window', limit: 4, windowMicros: 5 * SECOND, from: 'calendar' },
    { kind: 'fixed-window', limit: 4, windowMicros: 5 * SECOND, from: 'first hit' },
    { kind: 'sliding-log', limit: 4, windowMicros: 5 * SECOND },
    { kind: 'sliding-counter', limit: 4, windowMicros: 5 * SECOND, estimate: 'exact' },
  ]
  const SEQUENCES = 600

  test('of any two limits, at any speed, after any requests', () => {
    let refusals = 0
    for (let n = 0; n < SEQUENCES; n++) {
      const random = createRandom(n)
      const rules = ['a', 'b'].map((name) =>
        rule({
          name,
          algorithm: random.pick(ALGORITHMS),
          rejected: random.pick(['free', 'counted']),
          blockMicros: random.pick([0, 0, 2 * SECOND]),
        }),
      )
      const profile = limited(rules, 'draft-10', { speed: random.pick([1, 7]) })
      const times: number[] = []
      for (let at = 0; times.length < 8; at += random.pick([0, 1, 400_000, SECOND])) times.push(at)
      const now = times.at(-1)!
      const last = answers(profile, times).at(-1)!
      const left = [...last.headers['ratelimit']!.matchAll(/;r=(\d+)/g)].map(([, r]) => Number(r))
      const more = Math.min(...left)
      const next = answers(profile, [...times, ...Array<number>(more + 1).fill(now)])
      const expected = [...Array<number>(more).fill(200), 429]
      expect(
        next.slice(times.length).map(({ status }) => status),
        `${n}`,
      ).toEqual(expected)
      if (last.status !== 429) continue
      refusals++
      const waitMicros = Number(last.headers['retry-after']) * SECOND
      const kept = answers(profile, [...times, now + waitMicros]).at(-1)!
      const early = answers(profile, [...times, now + waitMicros - SECOND]).at(-1)!
      expect([kept.status, early.status], `${n}`).toEqual([200, 429])
    }
    expect(refusals).toBeGreaterThan(SEQUENCES / 4)
  })
})

test('a rate of any fraction is kept exactly', () => {
  const rate = { count: 0.1, perMicros: SECOND }
  const profile = { kind: 'token-bucket', rate, capacity: 1 } as const
  const bucket = LIMITERS.tokenBucket.algorithm(profile, { anchorUnixMs: 0 })
  const state = bucket.fresh()
  bucket.count(state, 0)
  for (let at = SECOND; at < 10 * SECOND; at += SECOND) {
    expect(bucket.quota(state, at).remaining).toBe(0)
  }
  expect(bucket.quota(state, 10 * SECOND - 1).remaining).toBe(0)
  expect(bucket.quota(state, 10 * SECOND).remaining).toBe(1)
})
