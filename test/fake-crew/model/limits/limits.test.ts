/** Limits before a crew: whom they count, how they stand together, and what is heard of them. */
import { describe, expect, test } from 'vitest'
import type { FakeRequest } from '../../../../fake-crew/model/exchange.ts'
import { LIMITERS } from '../../../../fake-crew/model/limits/algorithms/list.ts'
import { RuleQuotas } from '../../../../fake-crew/model/limits/limits.ts'
import { Client, INPUTS, TOKENS, bodyOf } from '../../client.ts'
import { SECOND, constant, sampleProfile } from '../../sample-profile.ts'
import { MINUTE, ONCE, limited, rule } from './rules.ts'

function statuses(client: Client, asked: readonly Partial<FakeRequest>[]): number[] {
  return asked.map((change) => client.ask('GET', '/inputs', change).status)
}

function refusalsIn(metrics: string): string[] {
  return metrics.split('\n').filter((line) => line.startsWith('fake_crew_refused'))
}

describe('calendar windows that no day holds a whole number of', () => {
  const HOUR = 60 * MINUTE
  const ofHours = (hours: number) => {
    const window = { windowMicros: hours * HOUR, limit: 1 } as const
    return limited([rule({ algorithm: { kind: 'fixed-window', from: 'calendar', ...window } })])
  }
  const anchorUnixMs = Date.UTC(2026, 10, 22)

  test('begin anew at midnight, UTC', () => {
    const client = new Client(ofHours(7), { anchorUnixMs: anchorUnixMs + 5 * 3_600_000 })
    const asked = [5, 6.9, 7, 14, 21, 23.9, 24, 24.1, 31].map((hour) => (hour - 5) * HOUR)
    const said = asked.map((at) => client.ask('GET', '/inputs', {}, at).status)
    expect(said).toEqual([200, 429, 200, 200, 200, 429, 200, 429, 200])
  })

  test('go on over days where they are longer than one', () => {
    const client = new Client(ofHours(48), { anchorUnixMs: 0 })
    const asked = [0, 24, 47.9, 48].map((hour) => hour * HOUR)
    const said = asked.map((at) => client.ask('GET', '/inputs', {}, at).status)
    expect(said).toEqual([200, 429, 429, 200])
  })
})

describe('what is heard of a limit', () => {
  test('nothing, without one', () => {
    expect(new Client(limited([])).ask('GET', '/inputs').headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
    })
  })

  test('where it stands, at every answer', () => {
    const client = new Client(limited([rule()], 'draft-6'))
    const heard = [0, SECOND, 2.5 * SECOND].map((at) => client.ask('GET', '/inputs', {}, at))
    expect(heard.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(heard.map(({ headers }) => headers)).toMatchObject([
      { 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '60' },
      { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '59' },
      { 'ratelimit-remaining': '0', 'ratelimit-reset': '58', 'retry-after': '58' },
    ])
    expect(heard[1]!.headers).not.toHaveProperty('retry-after')
  })

  test('a refusal speaks the dialect of the crew', () => {
    const said = (['interface', 'platform'] as const).map((dialect) => {
      const profile = limited([rule({ algorithm: ONCE })], 'none', { dialect })
      const client = new Client(profile)
      client.ask('GET', '/inputs')
      return bodyOf(client.ask('GET', '/inputs'))
    })
    expect(said).toEqual([
      { error: 'Too Many Requests', message: 'Too many requests; try again later' },
      { detail: 'Too Many Requests' },
    ])
  })

  test.each([
    [429, 'Too Many Requests'],
    [503, 'Service Unavailable'],
    [403, 'Forbidden'],
    [529, 'Overloaded'],
  ] as const)('a refusal with %d says %s', (status, error) => {
    const refusal = { status, retryAfter: 'none' } as const
    const client = new Client(limited([rule({ algorithm: ONCE, refusal })]))
    client.ask('GET', '/inputs')
    const refused = client.ask('GET', '/inputs')
    expect(refused.status).toBe(status)
    expect(bodyOf(refused)).toMatchObject({ error })
    expect(refused.headers).not.toHaveProperty('retry-after')
  })

  test.each([
    ['{"detail":"Expected available in {seconds} seconds."}', 'application/json'],
    ['<h1>Service Unavailable</h1>', 'text/html'],
    ['Retry later', 'text/plain; charset=utf-8'],
  ])('a refusal has the words of its limiter: %s', (body, type) => {
    const refusal = { status: 429, retryAfter: 'seconds', body } as const
    const client = new Client(limited([rule({ algorithm: ONCE, refusal })]))
    client.ask('GET', '/inputs')
    const refused = client.ask('GET', '/inputs')
    const { 'content-type': shown, 'retry-after': wait = '' } = refused.headers
    expect(refused.body).toBe(body.replace('{seconds}', wait))
    expect(shown).toBe(type)
  })

  test('slowapi says when to come back in every answer, a second late', () => {
    const window = { limit: 2, windowMicros: MINUTE } as const
    const algorithm = { kind: 'fixed-window', from: 'first hit', ...window } as const
    const client = new Client(limited([rule({ algorithm })], 'slowapi'), { anchorUnixMs: 500 })
    const heard = [0, SECOND, 2.5 * SECOND].map((at) => client.ask('GET', '/inputs', {}, at))
    const told = heard.map(({ status, headers }) => [status, headers['retry-after']])
    expect(told).toEqual([
      [200, '61'],
      [200, '60'],
      [429, '58'],
    ])
    expect(heard.map(({ headers }) => headers['x-ratelimit-reset'])).toEqual(
      Array.from(heard, () => '61.5'),
    )
  })

  test('metrics count its refusals, and say nothing of limits where there are none', () => {
    const client = new Client(limited([rule(), rule({ name: 'idle', operations: ['kickoff'] })]))
    for (let n = 0; n < 5; n++) client.ask('GET', '/inputs')
    expect(refusalsIn(client.crew.metrics(0))).toEqual([
      'fake_crew_refused_total{limit="default"} 3',
      'fake_crew_refused_total{limit="idle"} 0',
    ])
    expect(refusalsIn(new Client(sampleProfile()).crew.metrics(0))).toEqual([])
  })
})

describe('whom a limit counts', () => {
  const user = { headers: { authorization: `Bearer ${TOKENS.user}` } }

  test.each([
    ['token', [200, 429, 200, 429]],
    ['address', [200, 429, 429, 200]],
    ['all', [200, 429, 429, 429]],
  ] as const)('per %s', (per, expected) => {
    const client = new Client(limited([rule({ per, algorithm: ONCE })]))
    const asked = [{}, {}, user, { ...user, address: '127.0.0.2' }]
    expect(statuses(client, asked)).toEqual(expected)
  })

  test.each([
    ['shared', [200, 429, 429, 429]],
    ['each', [200, 404, 429, 429]],
    ['path', [200, 404, 404, 429]],
  ] as const)('a quota that is %s', (quota, expected) => {
    const client = new Client(limited([rule({ quota, algorithm: ONCE })]))
    const paths = ['/inputs', '/status/a', '/status/b', '/status/a?again']
    expect(paths.map((path) => client.ask('GET', path).status)).toEqual(expected)
  })

  test('an operation that it does not name is neither counted nor told of it', () => {
    const client = new Client(limited([rule({ operations: ['kickoff'], algorithm: ONCE })]))
    const reads = [client.ask('GET', '/inputs'), client.ask('GET', '/inputs')]
    expect(reads.map(({ status, headers }) => [status, headers['ratelimit']])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    expect([client.kickoffReply().status, client.kickoffReply().status]).toEqual([200, 429])
  })

  test('what is answered before it costs nothing; what the operation refuses does', () => {
    const client = new Client(limited([rule()]))
    client.ask('GET', '/inputs', { headers: { authorization: 'Bearer wrong' } })
    client.ask('OPTIONS', '/inputs')
    client.ask('DELETE', '/inputs')
    client.ask('GET', '/nowhere')
    expect(client.ask('POST', '/kickoff', { body: '{' }).status).toBe(400)
    expect(statuses(client, [{}, {}])).toEqual([200, 429])
  })

  test('it is forgotten when its quota is whole again', () => {
    const profile = rule({ per: 'address' })
    const window = { kind: 'sliding-log', limit: 2, windowMicros: SECOND } as const
    const algorithm = LIMITERS.slidingLog.algorithm(window, { anchorUnixMs: 0 })
    const limit = new RuleQuotas(profile, algorithm)
    let most = 0
    for (let n = 0; n < 50_000; n++) {
      const at = n * 10_000
      const address = `10.0.${n >> 8}.${n & 255}`
      limit
        .meet({ operation: 'status', path: '/status/a', token: 'a', address }, at)
        .settle(true, at)
      most = Math.max(most, limit.size)
    }
    // A hundred addresses have asked within the last second.
    expect(most).toBeGreaterThanOrEqual(100)
    expect(most).toBeLessThanOrEqual(202)
  })
})

describe('several limits at once', () => {
  const burst = rule({ name: 'burst', algorithm: { ...ONCE, windowMicros: SECOND } })
  const daily = rule({
    name: 'daily',
    algorithm: { kind: 'sliding-log', limit: 2, windowMicros: 1_440 * MINUTE },
    refusal: { status: 403, retryAfter: 'seconds' },
  })

  test.each([
    ['free', 200],
    ['counted', 403],
  ] as const)('a request that one refuses is %s for the other', (rejected, later) => {
    const client = new Client(limited([burst, { ...daily, rejected }]))
    expect(statuses(client, [{}, {}])).toEqual([200, 429])
    expect(client.ask('GET', '/inputs', {}, SECOND).status).toBe(later)
  })

  test('the one that refuses for longest has the word', () => {
    const client = new Client(limited([burst, daily]))
    const heard = [0, SECOND, 1.5 * SECOND].map((at) => client.ask('GET', '/inputs', {}, at))
    expect(heard.map(({ status }) => status)).toEqual([200, 200, 403])
    expect(heard[2]!.headers).toMatchObject({
      'retry-after': '86399',
      'ratelimit-policy': '"burst";q=1;w=1,"daily";q=2;w=86400',
      ratelimit: '"burst";r=0;t=1,"daily";r=0;t=86399',
    })
  })

  test('Retry-After holds for the others too', () => {
    const counting = { ...daily, rejected: 'counted' } as const
    const client = new Client(limited([burst, counting]))
    client.ask('GET', '/inputs')
    const { status, headers } = client.ask('GET', '/inputs')
    expect([status, headers['retry-after']]).toEqual([429, '86400'])
  })
})

test('the latency of a refusal is that of its operation', () => {
  const latency = { inputs: constant(7_000), kickoff: constant(0), status: constant(0) }
  const http = { latency, pool: null }
  const client = new Client(limited([rule({ algorithm: ONCE })], 'none', { http }))
  client.ask('GET', '/inputs', { body: JSON.stringify({ inputs: INPUTS }) })
  expect(client.ask('GET', '/inputs')).toMatchObject({ status: 429, delayMicros: 7_000 })
})
