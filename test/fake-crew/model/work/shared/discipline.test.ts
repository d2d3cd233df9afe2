/** Queue disciplines: whom a free worker takes next, by what theory says of their waits. */
import { describe, expect, test } from 'vitest'
import { parseProfileText } from '../../../../../fake-crew/model/parse.ts'
import { createRandom } from '../../../../../src/base/random.ts'
import { Client, TOKENS } from '../../../client.ts'
import { SECOND } from '../../../sample-profile.ts'
import { areExperimentsRun } from '../../../../experiments.ts'

const LATER = 1e13

function crewOf(queue: string, duration = '10s', capacity = 'workers: 1'): Client {
  const text = `inputs: [who]
tasks: [{ id: work, agent: Worker, duration: ${duration}, output: 1B }]
capacity: { ${capacity}, queue: { ${queue} } }`
  return new Client(parseProfileText(text, 'queue.yaml'))
}

/** The waits in seconds of those with this input, in order of acceptance. */
function waitsOf(client: Client, who: unknown, asked: readonly unknown[]): number[] {
  return [...client.crew.ledger(LATER)]
    .filter((_, n) => asked[n] === who)
    .map((row) => (row.started_ms! - row.accepted_ms) / 1_000)
}

/** Ten at time zero for a tenant who floods, then two for another one a second later. */
function flooded(client: Client): { flood: number[]; other: number[] } {
  const asked = [...Array.from({ length: 10 }, () => 'flood'), 'other', 'other']
  for (const [n, who] of asked.entries()) client.kickoff(n < 10 ? 0 : SECOND, { who })
  return { flood: waitsOf(client, 'flood', asked), other: waitsOf(client, 'other', asked) }
}

describe('one tenant floods', () => {
  test('fifo: the other one waits for all of it', () => {
    expect(flooded(crewOf('discipline: fifo')).other).toEqual([99, 109])
  })

  test('fair: the other one waits for one execution before each of its own', () => {
    const { flood, other } = flooded(crewOf('discipline: fair, by: { input: who }'))
    expect(other).toEqual([19, 39])
    expect(flood).toEqual([0, 10, 30, 50, 60, 70, 80, 90, 100, 110])
  })

  test('the ledger says whose turn each was, and who was served in which order', () => {
    const client = crewOf('discipline: fair, by: { input: who }')
    flooded(client)
    const rows = [...client.crew.ledger(LATER)]
    expect(rows[9]!.queue).toEqual({ tenant: 'flood', served: 11 })
    expect(rows[10]!.queue).toEqual({ tenant: 'other', served: 2 })
    const waiting = crewOf('discipline: fair, by: { input: who }')
    for (const who of ['a', 'b']) waiting.kickoff(0, { who })
    expect([...waiting.crew.ledger(0)].map(({ queue }) => queue)).toEqual([
      { tenant: 'a', served: 0 },
      { tenant: 'b', served: null },
    ])
    const plain = [...crewOf('discipline: fifo').crew.ledger(0)]
    expect(plain.every((row) => row.queue === undefined)).toBe(true)
  })

  test('with more workers, each free one takes the next turn', () => {
    const client = crewOf('discipline: fair, by: { input: who }', '10s', 'workers: 3')
    expect(flooded(client).other).toEqual([9, 19])
  })

  test('tenants come from a header or from the token, too', () => {
    for (const by of ['{ header: X-Tenant }', 'token']) {
      const client = crewOf(`discipline: fair, by: ${by}`)
      const kickoff = (tenant: string, token: string, at: number): void => {
        const headers = { 'x-tenant': tenant, authorization: `Bearer ${token}` }
        client.ask('POST', '/kickoff', { body: '{"inputs":{"who":""}}', headers }, at)
      }
      for (let n = 0; n < 10; n++) kickoff('flood', TOKENS.organization, 0)
      kickoff('other', TOKENS.user, SECOND)
      expect([...client.crew.ledger(LATER)].at(-1)!.started_ms).toBe(20_000)
    }
  })
})

/** Waits of the served by priority, with `rho` of the time for priorities 1 and 0 each. */
function waitsAt(queue: string, rho: number): { first: number; second: number; all: number } {
  const duration = '{ gamma: { mean: 1s, cv: 1 } }'
  const client = crewOf(queue, duration)
  const random = createRandom(7)
  const asked: number[] = []
  let at = 0
  for (let n = 0; n < 40_000; n++) {
    at += (SECOND * random.exponential()) / (2 * rho)
    asked.push(random.next() < 0.5 ? 1 : 0)
    client.kickoff(at, { who: asked.at(-1) })
  }
  const [first, second] = [1, 0].map((who) => meanOf(waitsOf(client, who, asked)))
  return { first: first!, second: second!, all: (first! + second!) / 2 }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

test.runIf(areExperimentsRun)(
  'priorities: waits by Cobham, and a mean that no discipline changes',
  () => {
    // M/M/1, 0.3 of the load each: W1 = R / (1 - 0.3), W2 = R / ((1 - 0.3) (1 - 0.6)), R = 0.6.
    const { first, second, all } = waitsAt('discipline: priority, by: { input: who }', 0.3)
    const fifo = waitsAt('discipline: fifo', 0.3)
    const fair = waitsAt('discipline: fair, by: { input: who }', 0.3)
    expect(first / (0.6 / 0.7)).toBeCloseTo(1, 1)
    expect(second / (0.6 / (0.7 * 0.4))).toBeCloseTo(1, 1)
    expect(fifo.all / (0.6 / 0.4)).toBeCloseTo(1, 1)
    // Kleinrock's conservation law, for the same work in the same order of arrival.
    expect(all / fifo.all).toBeCloseTo(1, 1)
    expect(fair.all / fifo.all).toBeCloseTo(1, 1)
  },
)

test('what is no number has priority 0, and equals are served first come', () => {
  const client = crewOf('discipline: priority, by: { input: who }')
  const asked = ['first', -1, '3', 'high', 2, null, '3']
  for (const who of asked) client.kickoff(0, { who })
  const rows = [...client.crew.ledger(LATER)]
  expect(rows.map((row) => row.queue?.priority)).toEqual([0, -1, 3, 0, 2, 0, 3])
  expect(rows.map((row) => row.queue?.served)).toEqual([0, 6, 1, 4, 3, 5, 2])
})

test('a full queue refuses as before, and an execution that a person holds up queues again', () => {
  const full = crewOf('discipline: fair, by: token', '10s', 'workers: 1, queueLimit: 2')
  const statuses = [0, 0, 0, 0].map((at) => full.kickoffReply(at, { who: 1 }).status)
  expect(statuses).toEqual([200, 200, 200, 503])
  const text = `inputs: [who]
tasks:
  - { id: ask, agent: A, duration: 1s, asks: { for: 3s } }
  - { id: work, agent: A, duration: 10s }
capacity: { workers: 1, queue: { discipline: priority, by: { input: who } } }`
  const client = new Client(parseProfileText(text, 'asks.yaml'))
  for (const who of [5, 1, 2]) client.kickoff(0, { who })
  // All are asked by 3 s; the first has its answer at 4 s, the others at 5 s and 6 s.
  expect([...client.crew.ledger(LATER)].map((row) => row.ended_ms)).toEqual([
    14_000, 34_000, 24_000,
  ])
})

function mistakes(queue: string): string {
  try {
    crewOf(queue)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('mistakes name their place and what is allowed', () => {
  expect(mistakes('discipline: lifo')).toMatch(/queue\.discipline.*fifo, fair, priority/s)
  expect(mistakes('discipline: fair')).toMatch(/queue\.by.*token, \{ header: NAME \}/s)
  expect(mistakes('discipline: fifo, by: token')).toMatch(/nothing with fifo/)
  expect(mistakes('discipline: fair, by: { input: whom }')).toMatch(
    /by\.input.*one of the inputs: who/s,
  )
  expect(mistakes('discipline: fair, by: user')).toMatch(/queue\.by/)
})
