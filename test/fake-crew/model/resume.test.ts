/** `POST /resume` to the fake crew's model: what it answers, and what becomes of the execution. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { checkProfile } from '../../../fake-crew/model/parse.ts'
import { Client, TOKENS, bodyOf } from '../client.ts'
import { SECOND, written } from '../sample-profile.ts'
import { areExperimentsRun } from '../../experiments.ts'

const HOUR = 3_600 * SECOND

/** `draft` takes 1 s, then a person is asked; `print` takes 2 s. */
function crew(more = '', asks = '{}', dialect = 'platform'): Profile {
  const text = `
dialect: ${dialect}
tasks:
  - { id: draft, agent: Writer, duration: 1s, asks: ${asks} }
  - { id: print, agent: Printer, duration: 2s }
${more}
`
  return checkProfile(written(text), 'test').profile
}

const url = (name: string): string => `http://127.0.0.1:9/${name}`

interface Answer {
  task?: string
  approve?: unknown
  live?: boolean
  more?: object
}

function resume(client: Client, id: string, seconds: number, answer: Answer = {}) {
  const { task = 'draft', approve = true, live = false, more } = answer
  const ids = live ? { executionId: id, taskId: task } : { execution_id: id, task_id: task }
  const body = JSON.stringify({ ...ids, human_feedback: 'so', is_approve: approve, ...more })
  return client.ask('POST', '/resume', { body }, Math.round(seconds * SECOND))
}

function stateAt(client: Client, id: string, seconds: number): unknown {
  return (bodyOf(client.status(id, seconds * SECOND)) as { state: unknown }).state
}

function rowOf(client: Client, seconds: number): LedgerRow {
  return client.crew.ledger(seconds * SECOND).next().value as LedgerRow
}

describe('a person who answers by resume alone', () => {
  test('is waited for, and a yes completes the task', () => {
    const client = new Client(crew())
    const id = client.kickoff()
    expect(stateAt(client, id, 1_000)).toBe('PAUSED')
    expect(resume(client, id, 1_000.5).status).toBe(200)
    expect(stateAt(client, id, 1_000.5)).toBe('RUNNING')
    expect(stateAt(client, id, 1_002.4)).toBe('RUNNING')
    expect(stateAt(client, id, 1_002.5)).toBe('SUCCESS')
    expect(rowOf(client, 2_000)).toMatchObject({
      outcome: 'completed',
      ended_ms: 1_002_500,
      asked: [{ task_id: 'draft', from_ms: 1_000, to_ms: 1_000_500, approved: true }],
    })
  })

  test('repeats the task with a no, and is asked again', () => {
    const client = new Client(crew())
    const id = client.kickoff()
    resume(client, id, 10, { approve: false })
    expect([10.9, 11].map((at) => stateAt(client, id, at))).toEqual(['STARTED', 'PAUSED'])
    resume(client, id, 20)
    expect(stateAt(client, id, 22)).toBe('SUCCESS')
    expect(rowOf(client, 30).asked).toEqual([
      { task_id: 'draft', from_ms: 1_000, to_ms: 10_000, approved: false },
      { task_id: 'draft', from_ms: 11_000, to_ms: 20_000, approved: true },
    ])
    expect(rowOf(client, 30).tasks[0]).toMatchObject({ execution_time: 20 })
  })

  test.each(['{ holdsWorker: true }', '{}'])(
    'has a worker that waits, or serves others: %s',
    (asks) => {
      const client = new Client(crew('capacity: { workers: 1 }', asks))
      const [first, second] = [client.kickoff(), client.kickoff()]
      const isHeld = asks !== '{}'
      expect(stateAt(client, second, 5)).toBe(isHeld ? 'PENDING' : 'PAUSED')
      resume(client, first, 6, { approve: false })
      expect(stateAt(client, second, 6.5)).toBe(isHeld ? 'PENDING' : 'PAUSED')
      resume(client, first, 8)
      expect(stateAt(client, first, 10)).toBe('SUCCESS')
      expect(stateAt(client, second, 10)).toBe(isHeld ? 'STARTED' : 'PAUSED')
    },
  )

  test('may answer before a person who would answer by themselves', () => {
    const client = new Client(crew('', '{ for: 60s }'))
    const id = client.kickoff()
    resume(client, id, 5)
    expect(stateAt(client, id, 7)).toBe('SUCCESS')
    expect(stateAt(client, id, 100)).toBe('SUCCESS')
    expect(rowOf(client, 100).asked).toHaveLength(1)
  })

  test('leaves what a restart has lost alone', () => {
    const faults = 'faults: [{ restart: { loses: running }, window: { from: 5s } }]'
    const client = new Client(crew(faults))
    const id = client.kickoff()
    expect(stateAt(client, id, 4)).toBe('PAUSED')
    expect(resume(client, id, 6).status).toBe(200)
    expect(rowOf(client, 60)).toMatchObject({ outcome: 'lost', asked: [{ to_ms: null }] })
  })

  test('is asked about single executions by a script', () => {
    const script = 'scripts: [{ when: { ordinal: 1 }, tasks: { print: { asks: {} } } }]'
    const client = new Client(crew(script, '{ chance: 0 }'))
    const [plain, asking] = [client.kickoff(), client.kickoff()]
    expect([plain, asking].map((id) => stateAt(client, id, 4))).toEqual(['SUCCESS', 'PAUSED'])
    resume(client, asking, 5, { task: 'print' })
    expect(stateAt(client, asking, 5)).toBe('SUCCESS')
  })
})

describe('an answer that nobody waits for', () => {
  test.each<[string, (client: Client, id: string) => void]>([
    ['about another task', (client, id) => resume(client, id, 5, { task: 'print' })],
    ['before anybody is asked', (client, id) => resume(client, id, 0.5)],
  ])('%s changes nothing', (_, answer) => {
    const client = new Client(crew())
    const id = client.kickoff()
    answer(client, id)
    expect(stateAt(client, id, 6)).toBe('PAUSED')
    expect(rowOf(client, 6).asked).toEqual([{ task_id: 'draft', from_ms: 1_000, to_ms: null }])
  })

  test('to an unknown id is accepted by platforms, where it then ends as failed', () => {
    const id = '00000000-0000-4000-8000-000000000000'
    const client = new Client(crew())
    expect(stateAt(client, id, 0)).toBe('NOT FOUND')
    expect(resume(client, id, 1).status).toBe(200)
    expect(stateAt(client, id, 2)).toBe('FAILED')
    const documented = new Client(crew('', '{}', 'interface'))
    expect(resume(documented, id, 1).status).toBe(404)
    expect(documented.status(id, 2 * SECOND).status).toBe(404)
  })
})

describe('the two forms of its body', () => {
  test.each([
    ['interface', false],
    ['platform', false],
    ['platform-2026-10', true],
  ] as const)('%s takes one and refuses the other', (dialect, live) => {
    const client = new Client(crew('', '{}', dialect))
    const id = client.kickoff()
    const refused = resume(client, id, 5, { live: !live })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain(live ? 'executionId, taskId' : 'execution_id, task_id')
    expect(resume(client, id, 6, { live }).status).toBe(200)
    expect(rowOf(client, 60)).toMatchObject({ outcome: 'completed' })
  })

  test('only the two ids are needed, and anything but false approves', () => {
    const client = new Client(crew())
    const id = client.kickoff()
    expect(resume(client, id, 5, { approve: 'false' }).status).toBe(200)
    expect(stateAt(client, id, 7)).toBe('SUCCESS')
  })

  test.each([
    ['no JSON', { body: '{' }, 400],
    ['a list', { body: '[]' }, 400],
    ['a form', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    ['a user token that may not', { headers: { authorization: `Bearer ${TOKENS.user}` } }, 403],
    ['no token', { headers: { authorization: undefined } }, 401],
  ])('%s is refused', (_, request, status) => {
    const client = new Client(crew('tokens: { user: { resume: false } }', '{}', 'interface'))
    expect(client.ask('POST', '/resume', request).status).toBe(status)
  })
})

test('the dialect platform-2026-10 hides it, and says where executions come from', () => {
  const client = new Client(crew('', '{}', 'platform-2026-10'))
  const id = (bodyOf(client.ask('POST', '/kickoff')) as { kickoff_id: string }).kickoff_id
  expect(bodyOf(client.status(id, 0))).toMatchObject({
    state: 'STARTED',
    triggered_by: 'api',
    execution_origin: 'deployment',
  })
  expect(stateAt(client, id, 5)).toBe('NOT FOUND')
  const plain = new Client(crew())
  expect(plain.ask('POST', '/kickoff').status).toBe(500)
  expect(bodyOf(plain.status(plain.kickoff(), 0))).not.toHaveProperty('triggered_by')
})

test('webhooks that the answer does not name get nothing more', () => {
  const kickoff = JSON.stringify({ inputs: {}, taskWebhookUrl: url('first') })
  const pushed = [{ taskWebhookUrl: url('second') }, {}].map((more) => {
    const client = new Client(crew())
    const reply = client.ask('POST', '/kickoff', { body: kickoff })
    const { kickoff_id: id } = bodyOf(reply) as { kickoff_id: string }
    resume(client, id, 5, { more })
    return client.crew.duePushes(HOUR).map((push) => push.url)
  })
  expect(pushed).toEqual([[url('second'), url('second')], []])
})

interface Played {
  kickoffs: number[]
  answers: { who: number; at: number; approve: boolean }[]
  workers: number
  holds: boolean
}

const played: fc.Arbitrary<Played> = fc.record({
  kickoffs: fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 12 }),
  answers: fc.array(
    fc.record({
      who: fc.nat(11),
      at: fc.integer({ min: 0, max: 60_000 }),
      approve: fc.boolean(),
    }),
    { maxLength: 40 },
  ),
  workers: fc.integer({ min: 1, max: 3 }),
  holds: fc.boolean(),
})

/** What every order of kickoffs and answers keeps. */
test('each answer closes at most one question, and questions never overlap', () => {
  fc.assert(
    fc.property(played, ({ kickoffs, answers, workers, holds }) => {
      const client = new Client(
        crew(`capacity: { workers: ${workers} }`, `{ holdsWorker: ${holds} }`),
      )
      const ids: string[] = []
      let accepted = 0
      const events = [
        ...kickoffs.map((at) => ({ at, kind: 'kickoff' as const })),
        ...answers.map((answer) => ({ ...answer, kind: 'answer' as const })),
      ].sort((a, b) => a.at - b.at)
      for (const event of events) {
        const micros = event.at * 1_000
        if (event.kind === 'kickoff') ids.push(client.kickoff(micros))
        else if (ids[event.who] !== undefined) {
          const id = ids[event.who]!
          const isAsked = stateAt(client, id, event.at / 1_000) === 'PAUSED'
          if (isAsked) accepted++
          resume(client, id, event.at / 1_000, { approve: event.approve })
        }
      }
      const rows = [...client.crew.ledger(HOUR)]
      const asked = rows.flatMap((row) => row.asked ?? [])
      expect(asked.filter(({ to_ms }) => to_ms !== null)).toHaveLength(accepted)
      for (const { asked: own = [], outcome, accepted_ms: sinceMs } of rows) {
        for (const [at, { from_ms, to_ms }] of own.entries()) {
          expect(from_ms).toBeGreaterThanOrEqual((own[at - 1]?.to_ms ?? sinceMs) + 1_000 - 1e-6)
          expect(to_ms ?? Infinity).toBeGreaterThanOrEqual(from_ms)
        }
        expect(outcome === 'completed').toBe(own.at(-1)?.approved === true)
      }
    }),
    { numRuns: areExperimentsRun ? 150 : 40, seed: 11 },
  )
})

/** Of a kickoff and of each answer, because what an answer does not name gets nothing more. */
const HOOKS = { taskWebhookUrl: url('task'), crewWebhookUrl: url('crew') }

test('pushes are sent when the ledger says, whatever microsecond an answer comes at', () => {
  const micros = fc.integer({ min: 1, max: 9_999_999 })
  const answer = fc.record({ after: micros, approve: fc.boolean() })
  fc.assert(
    fc.property(micros, fc.array(answer, { maxLength: 12 }), fc.boolean(), (at, answers, holds) => {
      const client = new Client(crew('', `{ holdsWorker: ${holds} }`))
      const body = JSON.stringify({ inputs: {}, ...HOOKS })
      const reply = client.ask('POST', '/kickoff', { body }, at)
      const { kickoff_id: id } = bodyOf(reply) as { kickoff_id: string }
      let now = at
      const sentMicros = answers.flatMap(({ after, approve }) => {
        const sent = client.push(now, now + after)
        now += after
        resume(client, id, now / SECOND, { approve, more: HOOKS })
        return sent
      })
      sentMicros.push(...client.push(now, HOUR))
      const { asked = [], ended_ms, pushes } = client.crew.ledger(HOUR).next().value as LedgerRow
      const approved = asked.filter((each) => each.approved === true)
      const [yes] = approved.map(({ to_ms }) => to_ms)
      const expected = yes === undefined ? [] : [yes, ended_ms, ended_ms]
      expect(pushes!.map(({ at_ms }) => at_ms)).toEqual(expected)
      expect(sentMicros.map((each) => each / 1_000)).toEqual(expected)
    }),
    { numRuns: areExperimentsRun ? 300 : 60, seed: 12 },
  )
})

test('an answer that wakes the crew is followed to the end, by pushes and by polls', () => {
  const cold = 'capacity: { coldStart: { delay: 5s, idle: 10s } }'
  const client = new Client(crew(cold, '{ shows: not-found }', 'interface'))
  const reply = client.ask('POST', '/kickoff', { body: JSON.stringify({ inputs: {}, ...HOOKS }) })
  const { kickoff_id: id } = bodyOf(reply) as { kickoff_id: string }
  const headers = { authorization: `Bearer ${TOKENS.organization}` }
  const poll = { method: 'GET', path: `/status/${id}`, headers, body: null, address: '127.0.0.1' }
  const followed = client.crew.follow(poll, 0)!
  const shown = (seconds: number): [number, boolean] => {
    const { status, body } = followed.answer(seconds * SECOND)!
    return [status, body!.includes('"status":"completed"')]
  }
  const pushed = (from: number, until: number): number[] =>
    client.push(from * SECOND, until * SECOND).map((at) => at / SECOND)
  expect([pushed(0, 99), shown(99)]).toEqual([[], [404, false]])
  resume(client, id, 100, { more: HOOKS })
  expect([pushed(100, 101), shown(101)]).toEqual([[], [200, false]])
  expect([pushed(101, 106), shown(106)]).toEqual([[105], [200, false]])
  expect([pushed(106, 107), shown(107)]).toEqual([
    [107, 107],
    [200, true],
  ])
})
