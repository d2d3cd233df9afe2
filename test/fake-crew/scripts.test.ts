/** Scripts for single executions: whom they are for, and what becomes of these and of no others. */
import { describe, expect, test } from 'vitest'
import { checkProfile } from '../../fake-crew/profiles.ts'
import { FAULT_KIND_NAMES, definitionNamed } from '../../fake-crew/model/faults/kinds/list.ts'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import { Client, TOKENS, bodyOf } from './client.ts'
import { SAMPLE, SECOND, written } from './sample-profile.ts'

const HOUR = 3_600 * SECOND

/** Two tasks of 1 s and 2 s, and these scripts. */
function clientOf(scripts: string, changes: Partial<WrittenProfile> = {}): Client {
  const profile = { ...SAMPLE, tokens: {}, ...written(`scripts: ${scripts}`), ...changes }
  return new Client(checkProfile(profile, 'x').profile)
}

/** The statuses of polls at these seconds. */
function polled(client: Client, id: string, seconds: readonly number[]): unknown[] {
  return seconds.map((second) => {
    const { status, body } = client.status(id, second * SECOND)
    return status === 200 ? (JSON.parse(body!) as { status: string }).status : status
  })
}

function endsOf(client: Client): (number | null)[] {
  return [...client.crew.ledger(HOUR)].map(({ ended_ms: ms }) => ms)
}

describe('a script is for', () => {
  const slow = '[{ when: { WHEN }, tasks: { writing: { duration: 60s } } }]'

  test.each<[string, (number | null)[]]>([
    ['', [61_000, 61_000, 61_000, 61_000]],
    ['ordinal: 2', [3_000, 3_000, 61_000, 3_000]],
    ['input: { topic: bees }', [3_000, 61_000, 3_000, 61_000]],
    ['input: { topic: bees, audience: all }', [3_000, 3_000, 3_000, 3_000]],
    ['token: user', [3_000, 3_000, 3_000, 61_000]],
    ['correlation: run/7', [3_000, 61_000, 3_000, 3_000]],
    ['input: { topic: bees }, token: user', [3_000, 3_000, 3_000, 61_000]],
  ])('the kickoffs with { %s }', (when, ends) => {
    const client = clientOf(slow.replace('WHEN', when))
    const kickoff = (topic: string, headers: Record<string, string> = {}): void => {
      const body = JSON.stringify({ inputs: { topic, audience: 'x' } })
      expect(client.ask('POST', '/kickoff', { body, headers }).status).toBe(200)
    }
    kickoff('tides')
    kickoff('bees', { 'x-correlation-id': 'run/7' })
    kickoff('storms')
    kickoff('bees', { authorization: `Bearer ${TOKENS.user}` })
    expect(endsOf(client)).toEqual(ends)
  })

  const nested = { topic: 'bees', place: { city: 'Bonn', floor: 2 }, stops: [{ at: 1 }, null] }

  test.each<[string, boolean]>([
    ['topic: { topic: bees }', true],
    ['topic: { place: { city: Bonn } }', true],
    ['topic: { place: { city: Bonn, door: 1 } }', false],
    ['topic: { place: {} }', true],
    ['topic: { place: [] }', false],
    ['topic: { place: Bonn }', false],
    ['topic: { stops: [{ at: 1 }, null] }', true],
    ['topic: { stops: [{}, null] }', true],
    ['topic: { stops: [{ at: 1 }] }', false],
    ['topic: { stops: [null, { at: 1 }] }', false],
    ['topic: { stops: {} }', false],
  ])('{ input: { %s } } fits nested inputs: %s', (input, fits) => {
    const client = clientOf(slow.replace('WHEN', `input: { ${input} }`))
    client.kickoff(0, { topic: nested, audience: 'x' })
    expect(endsOf(client)).toEqual([fits ? 61_000 : 3_000])
  })

  test('no value but of JSON', () => {
    const profile = { ...SAMPLE, ...written('scripts: [{ when: { input: { topic: [.inf] } } }]') }
    expect(() => checkProfile(profile, 'x')).toThrow(
      'scripts[0].when.input.topic[0]: expected a value of JSON (found Infinity)',
    )
  })

  test('the first that fits, and times are divided by speed', () => {
    const scripts =
      '[{ when: { ordinal: 0 }, tasks: { research: { duration: 9s } } }, { outcome: stuck }]'
    const client = clientOf(scripts, { speed: 2 })
    for (let n = 0; n < 2; n++) client.kickoff()
    expect(endsOf(client)).toEqual([5_500, null])
  })
})

test('it fails at a task, with the words that it gives', () => {
  const client = clientOf('[{ tasks: { writing: { fails: "no tea left" } } }]')
  const id = client.kickoff()
  expect(bodyOf(client.status(id, HOUR))).toMatchObject({ status: 'error', error: 'no tea left' })
  const [row] = client.crew.ledger(HOUR)
  expect([row!.outcome, row!.tasks.map(({ task_id: task }) => task)]).toEqual([
    'failed',
    ['research'],
  ])
})

test.each(['interface', 'platform'] as const)('%s: outputs and usage are as given', (dialect) => {
  const scripts = '[{ tasks: { writing: { output: "42" } }, usage: { total_tokens: 1700 } }]'
  const client = clientOf(scripts, { dialect })
  const answer = bodyOf(client.status(client.kickoff(), 3 * SECOND))
  const result = dialect === 'platform' ? '42' : { output: '42', tasks: [{}, { output: '42' }] }
  expect(answer).toMatchObject({ result, usage_metrics: { total_tokens: 1_700 } })
})

test('completed: no chance makes it fail or stay', () => {
  const [task] = SAMPLE.tasks
  const tasks = [{ ...task!, failure: { chance: 1 } }]
  const client = clientOf('[{ when: { ordinal: 1 }, outcome: completed }]', { tasks, stuck: 0.5 })
  for (let n = 0; n < 2; n++) client.kickoff()
  expect([...client.crew.ledger(HOUR)][1]!.outcome).toBe('completed')
})

describe('faults of a script', () => {
  test('count the polls of its execution alone', () => {
    const fault = '{ name: third, status: { code: 503 }, nth: 3, first: 3 }'
    const client = clientOf(`[{ when: { input: { topic: bees } }, faults: [${fault}] }]`)
    const [mine, other, another] = [
      client.kickoff(0, { topic: 'bees', audience: 'x' }),
      client.kickoff(0),
      client.kickoff(0, { topic: 'bees', audience: 'x' }),
    ]
    const seconds = [0, 0.1, 0.2, 0.3]
    expect(polled(client, other, seconds)).toEqual(Array(4).fill('running'))
    expect(polled(client, mine, [0.3, 0.3])).toEqual(['running', 'running'])
    expect(polled(client, another, [0.3, 0.3, 0.3, 0.3])).toEqual([
      'running',
      'running',
      503,
      'running',
    ])
    expect(polled(client, mine, [0.3, 0.3])).toEqual([503, 'running'])
    const marked = [...client.crew.ledger(SECOND)].map(({ faults = [] }) => faults.length)
    expect(marked).toEqual([1, 0, 1])
    expect(client.crew.metrics(SECOND)).toContain('fake_crew_faults_total{kind="status"} 2\n')
  })

  test('of a kickoff hide its execution for a while, or misname it', () => {
    const hidden = clientOf('[{ faults: [{ notFound: { for: 2s } }] }]')
    expect(polled(hidden, hidden.kickoff(), [0, 1.9, 2])).toEqual([404, 404, 'running'])
    const misnamed = clientOf('[{ when: { ordinal: 1 }, faults: [{ wrongId: {} }] }]')
    const ids = [misnamed.kickoff(), misnamed.kickoff(), misnamed.kickoff()]
    expect(ids.map((id) => polled(misnamed, id, [1])[0])).toEqual(['running', 404, 'running'])
    const marked = [...misnamed.crew.ledger(SECOND)].map(({ faults = [] }) => faults.length)
    expect(marked).toEqual([0, 1, 0])
  })

  const ownKinds = FAULT_KIND_NAMES.map((kind) => {
    const { reach, scriptProblem, examples } = definitionNamed(kind)
    const fault = `{ name: own, ${kind}: ${JSON.stringify(examples[0][kind])} }`
    const shared = `expected a fault of requests: ${kind} strikes connections`
    const refusal = reach === 'connections' ? shared : scriptProblem
    return { kind, script: `{ when: { ordinal: 1 }, faults: [${fault}] }`, refusal }
  })

  test.each(ownKinds.filter(({ refusal }) => refusal === undefined))(
    'of the kind $kind happen',
    ({ script }) => {
      const client = clientOf(`[${script}]`)
      client.kickoff()
      client.kickoff()
      const [, row] = [...client.crew.ledger(0)]
      for (const second of [0, 1.5, 4, 5]) {
        const path = `/status/${row!.kickoff_id}`
        client.ask('GET', path, { idleMicros: SECOND }, second * SECOND)
      }
      const marked = [...client.crew.ledger(HOUR)].map(({ faults = [] }) => faults.length > 0)
      expect(marked).toEqual([false, true])
    },
  )

  test.each(ownKinds.filter(({ refusal }) => refusal !== undefined))(
    'of the kind $kind cannot happen, and are refused',
    ({ kind, script, refusal }) => {
      expect(() => clientOf(`[${script}]`)).toThrow(`scripts[0].faults[0].${kind}: ${refusal}`)
    },
  )

  test.each([
    'only: 2',
    'nth: 2',
    'first: 1',
    'window: { from: 1s }',
    'episodes: { off: 1s, on: 1s }',
  ])('of a kickoff have no %s', (setting) => {
    expect(() => clientOf(`[{ faults: [{ wrongId: {}, ${setting} }] }]`)).toThrow(
      `scripts[0].faults[0].${setting.split(':', 1)[0]}: expected nothing here: wrongId strikes`,
    )
  })

  test.each(['kickoff', 'inputs', 'resume', 'kickoff, status'])(
    'of the operations %s are refused',
    (operations) => {
      const fault = `{ status: { code: 503 }, operations: [${operations}] }`
      expect(() => clientOf(`[{ faults: [${fault}] }]`)).toThrow(
        'scripts[0].faults[0].operations: expected only status',
      )
    },
  )

  test('have times that count from the kickoff', () => {
    const window = '{ from: 1s, for: 1s }'
    const client = clientOf(`[{ faults: [{ status: { code: 500 }, window: ${window} }] }]`)
    const id = client.kickoff(10 * SECOND)
    expect(polled(client, id, [10.5, 11.5, 12.5])).toEqual(['running', 500, 'running'])
  })
})

test('Retry-After stands on the answer to the kickoff, and on polls before the end', () => {
  const scripts = '[{ retryAfter: { kickoff: 20s, status: 3s } }]'
  const client = clientOf(scripts, { speed: 2 })
  const reply = client.kickoffReply()
  const { kickoff_id: id } = bodyOf(reply) as { kickoff_id: string }
  const waits = [0, 1].map((second) => client.status(id, second * SECOND).headers['retry-after'])
  expect([reply.headers['retry-after'], ...waits]).toEqual(['10', '2', '2'])
  expect(client.status(id, 2 * SECOND).headers).not.toHaveProperty('retry-after')
})

describe('an execution that advances by polls', () => {
  test('completes a task at each, whatever the time, and the ledger says when', () => {
    const client = clientOf('[{ when: { ordinal: 0 }, advances: each poll }]', {
      capacity: { workers: 1 },
    })
    const id = client.kickoff()
    expect(endsOf(client)).toEqual([null])
    expect(bodyOf(client.status(id, HOUR))).toMatchObject({ progress: { completed_tasks: 1 } })
    expect(bodyOf(client.status(id, HOUR + SECOND))).toMatchObject({ status: 'completed' })
    const [row] = client.crew.ledger(2 * HOUR)
    expect(row).toMatchObject({
      started_ms: 0,
      ended_ms: 3_601_000,
      tasks: [{ execution_time: 3_600 }, { execution_time: 1 }],
    })
    expect(client.crew.metrics(2 * HOUR)).toMatch(/state="completed"} 1\n/)
  })

  test('waits for its turn, and occupies no worker', () => {
    const client = clientOf('[{ when: { ordinal: 1 }, advances: each poll }]', {
      capacity: { workers: 1 },
    })
    const ids = [client.kickoff(), client.kickoff(), client.kickoff()]
    expect(polled(client, ids[1]!, [1, 2, 3])).toEqual(['running', 'running', 'running'])
    expect(polled(client, ids[1]!, [3.5])).toEqual(['completed'])
    expect(endsOf(client)).toEqual([3_000, 3_500, 6_000])
  })

  test('fails by polls, or stays', () => {
    const client = clientOf(
      '[{ when: { ordinal: 0 }, advances: each poll, tasks: { writing: { fails: No } } }, ' +
        '{ advances: each poll, outcome: stuck }]',
    )
    const ids = [client.kickoff(), client.kickoff()]
    expect(polled(client, ids[0]!, [1, 2])).toEqual(['running', 'error'])
    expect(polled(client, ids[1]!, [2, 3, 4])).toEqual(['running', 'running', 'running'])
  })
})

test('every mistake is told at once, with its place', () => {
  const wrong = `[{ when: { topic: x }, tasks: { wrting: { duration: soon } }, retryAfter: { kickoff: 1.5s } }]`
  const told = [
    'scripts[0].when.topic: unknown key',
    'scripts[0].tasks.wrting.duration: expected a duration',
    'scripts[0].tasks.wrting: expected the id of a task: research, writing',
    'scripts[0].retryAfter.kickoff: expected whole seconds',
  ]
  for (const words of told) expect(() => clientOf(wrong)).toThrow(words)
})
