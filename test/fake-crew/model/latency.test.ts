import { describe, expect, test } from 'vitest'
import type { HttpProfile } from '../../../fake-crew/model/profile.ts'
import { Client } from '../client.ts'
import { SECOND, constant, sampleProfile } from '../sample-profile.ts'

const SPREAD = { kind: 'lognormal', median: 20_000, p95: 80_000 } as const

function withHttp(http: Partial<HttpProfile>, speed = 1): Client {
  const profile = sampleProfile({ speed })
  return new Client({ ...profile, http: { ...profile.http, ...http } })
}

const latency = { inputs: constant(1_000), kickoff: SPREAD, status: SPREAD }

describe('HTTP latency', () => {
  test('of a poll depends on its execution and its number alone', () => {
    const alone = withHttp({ latency })
    const id = alone.kickoff()
    const expected = [0, 1, 2].map(() => alone.status(id, 0).delayMicros)

    const crowded = withHttp({ latency })
    crowded.kickoff()
    const other = crowded.kickoff()
    const others: number[] = []
    const found = [0, 1, 2].map(() => {
      others.push(crowded.status(other, 0).delayMicros)
      crowded.ask('GET', '/inputs')
      return crowded.status(id, 0).delayMicros
    })
    expect(found).toEqual(expected)
    expect(new Set([...expected, ...others]).size).toBe(6)
  })

  test('of a kickoff depends on the kickoffs before it alone', () => {
    const alone = withHttp({ latency })
    const expected = [0, 1, 2].map(() => alone.kickoffReply().delayMicros)
    const crowded = withHttp({ latency })
    const found = [0, 1, 2].map(() => {
      crowded.ask('GET', '/inputs')
      return crowded.kickoffReply().delayMicros
    })
    expect(found).toEqual(expected)
  })

  test('is by operation, and not divided by the speed', () => {
    expect(withHttp({ latency }, 60).ask('GET', '/inputs').delayMicros).toBe(1_000)
  })

  test('is not spent on a path that the interface does not have', () => {
    expect(withHttp({ latency }).ask('GET', '/nowhere').delayMicros).toBe(0)
  })

  test('grows with load behind a pool', () => {
    const client = withHttp({
      latency: { ...latency, inputs: constant(SECOND) },
      pool: { size: 2 },
    })
    const delays = [0, 0, 0, 0, 0].map(() => client.ask('GET', '/inputs').delayMicros)
    expect(delays.map((delay) => delay / SECOND)).toEqual([1, 1, 2, 2, 3])
    expect(client.ask('GET', '/inputs', {}, 10 * SECOND).delayMicros).toBe(SECOND)
  })
})
