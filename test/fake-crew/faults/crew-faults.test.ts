/**
 * Faults of the crew as a whole, on a clock of our own: restarts, tokens that are good no more, a
 * wrong wall clock.
 */
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../fake-crew/model/faults/fault.ts'
import type { RestartLoses } from '../../../fake-crew/model/work/executions.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { Client, TOKENS, bodyOf } from '../client.ts'
import { limited, rule } from '../model/limits/rules.ts'
import { SECOND, sampleProfile } from '../sample-profile.ts'

/** A list of faults in the flow style of YAML. */
function faultsOf(text: string): Fault[] {
  return parseFaults(`[${text}]`, 'faults')
}

/** Executions take three seconds; the crew restarts at 4 s. */
function restarting(loses: RestartLoses, changes: Partial<Profile> = {}): Client {
  const faults = faultsOf(`{ restart: { loses: ${loses} }, window: { from: 4s } }`)
  return new Client(sampleProfile({ faults, ...changes }))
}

function stateOf(client: Client, id: string, seconds: number): unknown {
  const { status, body } = client.status(id, seconds * SECOND)
  return status === 200 ? (JSON.parse(body!) as { status: string }).status : status
}

describe('a restart', () => {
  test.each<[RestartLoses, unknown, unknown]>([
    ['all', 404, 404],
    ['running', 'completed', 404],
    ['none', 'completed', 'completed'],
  ])('that loses %s: ended %s, running %s', (loses, ended, running) => {
    const client = restarting(loses)
    const [before, during] = [client.kickoff(0), client.kickoff(2 * SECOND)]
    expect([stateOf(client, before, 3.9), stateOf(client, during, 3.9)]).toEqual([
      'completed',
      'running',
    ])
    expect([stateOf(client, before, 9), stateOf(client, during, 9)]).toEqual([ended, running])
    expect(stateOf(client, client.kickoff(10 * SECOND), 13)).toBe('completed')
  })

  test('is in the ledger: what it lost never ends', () => {
    const client = restarting('running')
    client.kickoff(0)
    client.kickoff(2 * SECOND)
    const rows = [...client.crew.ledger(20 * SECOND)]
    expect(rows).toMatchObject([
      { outcome: 'completed', ended_ms: 3_000 },
      { outcome: 'lost', started_ms: 2_000, ended_ms: null, output_hash: null },
    ])
    expect(rows[1]!.tasks).toHaveLength(1)
    expect(client.crew.metrics(20 * SECOND)).toMatch(/state="running"} 0\n/)
  })

  test('frees the workers, and the queue that waited for them', () => {
    const { capacity } = sampleProfile()
    const client = restarting('running', { capacity: { ...capacity, workers: 1, queueLimit: 1 } })
    client.kickoff(2 * SECOND)
    client.kickoff(2 * SECOND)
    expect(client.kickoffReply(3 * SECOND).status).toBe(503)
    const [first, second] = [client.kickoff(5 * SECOND), client.kickoff(5 * SECOND)]
    expect(client.kickoffReply(5 * SECOND).status).toBe(503)
    expect([stateOf(client, first, 8), stateOf(client, second, 11)]).toEqual([
      'completed',
      'completed',
    ])
  })

  test('happens each time, however seldom somebody asks', () => {
    const window = '{ from: 1s, for: 500ms, every: 10s }'
    const faults = faultsOf(`{ restart: { loses: all }, window: ${window} }`)
    const client = new Client(sampleProfile({ faults }))
    const id = client.kickoff(2 * SECOND)
    expect(stateOf(client, id, 5)).toBe('completed')
    expect(stateOf(client, id, 35)).toBe(404)
    expect(client.crew.faults.list()).toMatchObject([{ touched: 4 }])
  })

  test('cuts the line, and refuses new connections while it lasts', () => {
    const window = '{ from: 1s, for: 2s, every: 10s }'
    const faults = faultsOf(`{ restart: { loses: none }, window: ${window} }`)
    const { crew } = new Client(sampleProfile({ faults }))
    const stateAt = (seconds: number) => crew.faults.connectionState(seconds * SECOND)
    expect(stateAt(0)).toMatchObject({
      refusing: false,
      cutMicros: -Infinity,
      nextCutMicros: SECOND,
    })
    expect(stateAt(1)).toMatchObject({ refusing: true, cutMicros: SECOND, untilMicros: 3 * SECOND })
    expect(stateAt(3)).toMatchObject({
      refusing: false,
      cutMicros: SECOND,
      untilMicros: 11 * SECOND,
    })
    expect(stateAt(11)).toMatchObject({ refusing: true, cutMicros: 11 * SECOND })
  })

  test('comes at once when it is added without a time', () => {
    const client = new Client(sampleProfile())
    const id = client.kickoff(0)
    client.crew.faults.add(faultsOf('{ restart: { loses: all } }'), 5 * SECOND)
    expect(client.crew.faults.connectionState(5 * SECOND)).toMatchObject({
      refusing: false,
      cutMicros: 5 * SECOND,
    })
    expect(stateOf(client, id, 5)).toBe(404)
    expect(stateOf(client, client.kickoff(6 * SECOND), 60)).toBe('completed')
  })

  test('comes sooner with speed', () => {
    const client = restarting('all', { speed: 2 })
    const id = client.kickoff(0)
    expect([stateOf(client, id, 1.9), stateOf(client, id, 2)]).toEqual(['completed', 404])
  })
})

/** What it is answered at 9 s and at 10 s, when one is revoked. */
function statusWith(token: string, of: 'organization' | 'user' | 'any'): unknown {
  const faults = faultsOf(`{ denied: { token: ${of} }, window: { from: 10s } }`)
  const client = new Client(sampleProfile({ faults }))
  const headers = { authorization: `Bearer ${token}` }
  return [9, 10].map((s) => client.ask('GET', '/inputs', { headers }, s * SECOND).status)
}

describe('a token that is good no more', () => {
  test.each([
    [TOKENS.organization, 'organization', [200, 401]],
    [TOKENS.user, 'user', [200, 401]],
    [TOKENS.user, 'organization', [200, 200]],
    [TOKENS.user, 'any', [200, 401]],
  ] as const)('%s, where the one of the %s was revoked', (token, of, statuses) => {
    expect(statusWith(token, of)).toEqual(statuses)
  })

  test('says that it expired', () => {
    const faults = faultsOf('{ denied: { why: expired } }')
    const reply = new Client(sampleProfile({ faults })).ask('GET', '/inputs')
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/)
    expect(bodyOf(reply)).toMatchObject({ error: 'Unauthorized' })
  })
})

function counts(status: number, restarts: number): string[] {
  return [
    `fake_crew_faults_total{kind="status"} ${status}`,
    `fake_crew_faults_total{kind="restart"} ${restarts}`,
  ]
}

describe('what faults have touched', () => {
  test('is counted by kind, also of those that were cleared', () => {
    const broken = '{ status: { code: 502 } }'
    const restart = '{ restart: { loses: none }, window: { from: 10s, for: 1s } }'
    const client = new Client(sampleProfile({ faults: faultsOf(`${broken}, ${restart}`) }))
    const counted = (seconds: number): string[] =>
      client.crew.metrics(seconds * SECOND).match(/^fake_crew_faults_total.*/gm) ?? []
    expect(counted(0)).toEqual(counts(0, 0))
    client.ask('GET', '/inputs')
    client.ask('GET', '/inputs')
    expect(counted(9)).toEqual(counts(2, 0))
    client.crew.faults.clear(9 * SECOND, 'status')
    client.ask('GET', '/inputs', {}, 9 * SECOND)
    expect(counted(10)).toEqual(counts(2, 1))
    client.crew.faults.add(faultsOf(broken), 10 * SECOND)
    client.ask('GET', '/inputs', {}, 10 * SECOND)
    expect(counted(10)).toEqual(counts(3, 1))
    expect(new Client(sampleProfile()).crew.metrics(0)).not.toContain('fake_crew_faults')
  })
})

describe('a wrong wall clock', () => {
  test.each([
    ['behind: 60s', 'Wed, 31 Dec 2025 23:59:05 GMT'],
    ['ahead: 1h', 'Thu, 01 Jan 2026 01:00:05 GMT'],
  ])('%s tells its own date', (skew, date) => {
    const faults = faultsOf(`{ clockSkew: { ${skew} } }`)
    const client = new Client(sampleProfile({ faults }), { anchorUnixMs: Date.UTC(2026, 0, 1) })
    expect(client.ask('GET', '/inputs', {}, 5 * SECOND).headers['date']).toBe(date)
  })

  test('tells the times of an execution by the same clock', () => {
    const faults = faultsOf('{ clockSkew: { ahead: 1h }, window: { from: 2s } }')
    const client = new Client(sampleProfile({ faults, dialect: 'platform' }), {
      anchorUnixMs: Date.UTC(2026, 0, 1),
    })
    const id = client.kickoff()
    expect(bodyOf(client.status(id, SECOND))).toMatchObject({
      progress: { started_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:01.000Z' },
    })
    expect(bodyOf(client.status(id, 2 * SECOND))).toMatchObject({
      progress: { started_at: '2026-01-01T01:00:00.000Z', updated_at: '2026-01-01T01:00:02.000Z' },
    })
  })

  test.each([
    ['x-ratelimit-epoch', 'x-ratelimit-reset', '1767225610', '1767225550'],
    [
      'anthropic',
      'anthropic-ratelimit-requests-reset',
      '2026-01-01T00:00:10Z',
      '2025-12-31T23:59:10Z',
    ],
    ['x-ratelimit-delta', 'x-ratelimit-reset', '10', '10'],
    ['x-ratelimit-duration', 'x-ratelimit-reset-requests', '10s', '10s'],
  ] as const)('tells the resets of %s by the same clock', (headers, name, right, wrong) => {
    const algorithm = {
      kind: 'fixed-window',
      limit: 9,
      windowMicros: 10 * SECOND,
      from: 'first hit',
    } as const
    const told = [[], faultsOf('{ clockSkew: { behind: 60s } }')].map((faults) =>
      new Client(limited([rule({ algorithm })], headers, { faults }), {
        anchorUnixMs: Date.UTC(2026, 0, 1),
      }).ask('GET', '/inputs'),
    )
    expect(told.map((reply) => reply.headers[name])).toEqual([right, wrong])
  })

  test('tells a Retry-After that is a date by the same clock', () => {
    const limit =
      '{ status: { code: 429, headers: { retry-after: "Thu, 01 Jan 2026 00:00:30 GMT" } } }'
    const faults = faultsOf(`${limit}, { clockSkew: { ahead: 1m } }`)
    const client = new Client(sampleProfile({ faults }))
    const told = client.ask('GET', '/inputs').headers['retry-after']
    expect(told).toBe('Thu, 01 Jan 2026 00:01:30 GMT')
    const latency = faultsOf('{ latency: 1us }')
    expect(new Client(sampleProfile({ faults: latency })).ask('GET', '/inputs').headers).toEqual(
      new Client(sampleProfile()).ask('GET', '/inputs').headers,
    )
  })
})
