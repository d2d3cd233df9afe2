/** Executions that share a quota, tokens, a processor, or workers whose number changes. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../../../fake-crew/model/profile.ts'
import type { LedgerRow } from '../../../../../src/crew/ledger.ts'
import { parseProfileText } from '../../../../../fake-crew/model/parse.ts'
import { Processor } from '../../../../../fake-crew/model/work/shared/slowdown.ts'
import { createRandom } from '../../../../../src/base/random.ts'
import { areExperimentsRun } from '../../../../experiments.ts'
import { Client, TOKENS, bodyOf } from '../../../client.ts'
import { SECOND } from '../../../sample-profile.ts'

const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

/** One task of `duration`, and what the capacity says besides. */
function crewOf(duration: string, capacity: string, more = ''): Client {
  return new Client(
    profileOf(`[{ id: work, agent: Worker, duration: ${duration} }]`, capacity, more),
  )
}

function profileOf(tasks: string, capacity: string, more = ''): Profile {
  return parseProfileText(`tasks: ${tasks}\ncapacity: { ${capacity} }\n${more}`, 'shared.yaml')
}

/** Kicks off `count` executions at once, and returns the ledger of a day later. */
function atOnce(client: Client, count: number): LedgerRow[] {
  for (let n = 0; n < count; n++) client.kickoff(0, {})
  return [...client.crew.ledger(DAY)]
}

function ends(rows: readonly LedgerRow[]): number[] {
  return rows.map((row) => row.ended_ms! / 1_000)
}

describe('a quota of calls', () => {
  test('passes them one after the other, at its rate', () => {
    const rows = atOnce(crewOf('1s', 'workers: 10, quota: { calls: 30/m }'), 4)
    expect(ends(rows)).toEqual([1, 3, 5, 7])
    expect(rows.map(({ tasks }) => tasks[0]!.quota_wait)).toEqual([0, 2, 4, 6])
    expect(rows.map(({ tasks }) => tasks[0]!.execution_time)).toEqual([1, 3, 5, 7])
    expect(rows.every(({ started_ms }) => started_ms === 0)).toBe(true)
  })

  test('lets a burst pass after a pause, and no more', () => {
    const rows = atOnce(crewOf('1s', 'workers: 10, quota: { calls: 30/m, burst: 3 }'), 5)
    expect(ends(rows)).toEqual([1, 1, 1, 3, 5])
  })

  test('is spread over the time of each task', () => {
    const rows = atOnce(crewOf('3s', 'workers: 2, quota: { calls: 60/m, perTask: 3 }'), 2)
    // One call a second: those of the first at 0, 2 and 4 s, those of the second at 1, 3 and 5 s.
    expect(ends(rows)).toEqual([5, 6])
  })

  test('caps the crew at calls over calls of an execution, however many workers it has', () => {
    for (const workers of [4, 5, 40]) {
      const quota = `workers: ${workers}, quota: { calls: 240/m, perTask: 3 }`
      const rows = atOnce(crewOf('2.6s', quota), 400)
      // Of 1,200 calls at 4 a second, the first passes at once.
      const last = Math.max(...ends(rows))
      expect(last).toBeGreaterThanOrEqual(1_199 / 4 + 2.6 / 3)
      expect(last).toBeLessThan(1.01 * (1_199 / 4 + 2.6 / 3))
    }
  })

  test('of windows passes as many in each of them, and none carries over', () => {
    const client = crewOf('1s', 'workers: 10, quota: { calls: 2/m, refill: window }')
    client.kickoff(150 * SECOND, {})
    for (let n = 0; n < 4; n++) client.kickoff(150 * SECOND, {})
    expect(ends([...client.crew.ledger(DAY)])).toEqual([151, 151, 181, 181, 241])
  })

  test('is waited for by clients that try again, in no order, and nobody is lost', () => {
    const rows = atOnce(crewOf('1s', 'workers: 50, quota: { calls: 60/m, when: retry }'), 50)
    const begun = ends(rows).toSorted((a, b) => a - b)
    expect(rows.every(({ outcome }) => outcome === 'completed')).toBe(true)
    for (const [n, end] of begun.entries()) expect(end).toBeGreaterThanOrEqual(1 + n - 1e-6)
    expect(ends(rows)).not.toEqual(begun)
    expect(begun.at(-1)!).toBeLessThan(200)
  })

  test('fails the task that it refuses, and says so', () => {
    const client = crewOf('1s', 'workers: 10, quota: { calls: 60/m, burst: 2, when: fail }')
    const ids = [0, 1, 2].map(() => client.kickoff(0, {}))
    const rows = [...client.crew.ledger(DAY)]
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'failed'])
    expect(rows[2]!.ended_ms).toBe(0)
    expect(bodyOf(client.status(ids[2]!, DAY))).toMatchObject({
      status: 'error',
      error: 'Error code: 429 - Rate limit reached',
    })
  })
})

test('a quota of tokens passes calls as their tokens are there', () => {
  const tokens = 'tokens: { perMinute: 600, perCall: 300 }'
  expect(ends(atOnce(crewOf('1s', `workers: 10, ${tokens}`), 4))).toEqual([1, 1, 31, 61])
})

test('a call that needs more tokens than a minute has, passes all the same', () => {
  for (const when of ['wait', 'retry']) {
    const tokens = `tokens: { perMinute: 600, perCall: 900, when: ${when} }`
    const rows = atOnce(crewOf('1s', `workers: 10, ${tokens}`), 3)
    expect(rows.every(({ outcome }) => outcome === 'completed')).toBe(true)
  }
})

describe('a shared processor', () => {
  test('works at an equal share of its speed for each', () => {
    const client = new Client(
      profileOf(
        '[{ id: work, agent: Worker, duration: { uniform: { min: 1s, max: 9s } } }]',
        'workers: 10, slowdown: { shared: 1 }',
      ),
    )
    const rows = atOnce(client, 5)
    const own = rows.map(({ tasks: [task] }) => task!.execution_time - task!.slowed!)
    const byTime = own.toSorted((a, b) => a - b)
    // By hand: while k are left, each second of them takes k seconds.
    let at = 0
    const wanted = byTime.map((time, i) => (at += (time - (byTime[i - 1] ?? 0)) * (5 - i)))
    const found = ends(rows).toSorted((a, b) => a - b)
    for (const [i, end] of found.entries()) expect(end).toBeCloseTo(wanted[i]!, 1)
  })

  test('slows nothing down that it has room for', () => {
    const rows = atOnce(crewOf('4s', 'workers: 3, slowdown: { shared: 3 }'), 6)
    expect(ends(rows)).toEqual([4, 4, 4, 8, 8, 8])
    expect(rows.every(({ tasks }) => tasks[0]!.slowed === 0)).toBe(true)
  })

  test('of one has the mean stay of processor sharing, service over what is idle', () => {
    // M/G/1-PS is insensitive to the distribution: E[T] = E[S] / (1 - rho); here rho is 0.5.
    const random = createRandom(3)
    const processor = new Processor<number>(1)
    const [arrived, stays]: [number[], number[]] = [[], []]
    let at = 0
    let service = 0
    for (let n = 0; n < 60_000; n++) {
      at += 2 * SECOND * random.exponential()
      for (let next = processor.nextMicros; next <= at; next = processor.nextMicros) {
        stays.push(next - arrived[processor.pop()!]!)
      }
      const work = SECOND * (random.next() < 0.9 ? 0.5 : 5.5)
      service += work
      arrived.push(at)
      processor.add(n, work, at)
    }
    const meanService = service / arrived.length
    const wanted = meanService / (1 - meanService / (at / arrived.length))
    expect(meanOf(stays) / wanted).toBeGreaterThan(0.97)
    expect(meanOf(stays) / wanted).toBeLessThan(1.03)
  })
})

test('workers become more while executions wait, and fewer while they are idle', () => {
  const client = crewOf('10s', 'workers: { from: 1, to: 3, upAfter: 4s, downAfter: 30s }')
  for (let n = 0; n < 6; n++) client.kickoff(0, {})
  // The second worker is ready at 4 s, the third at 8 s; at 58 s and 88 s one of them goes.
  expect(starts([...client.crew.ledger(DAY)])).toEqual([0, 4, 8, 10, 14, 18])
  const later = crewOf('10s', 'workers: { from: 1, to: 3, upAfter: 4s, downAfter: 30s }')
  for (let n = 0; n < 6; n++) later.kickoff(0, {})
  for (let n = 0; n < 3; n++) later.kickoff(50 * SECOND, {})
  for (let n = 0; n < 3; n++) later.kickoff(200 * SECOND, {})
  expect(starts([...later.crew.ledger(DAY)]).slice(6)).toEqual([50, 50, 54, 200, 204, 208])
})

function starts(rows: readonly LedgerRow[]): number[] {
  return rows.map((row) => row.started_ms! / 1_000)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

const TASKS = `
  - { id: a, agent: A, duration: { uniform: { min: 1s, max: 4s } }, failure: { chance: 20% } }
  - { id: b, agent: B, duration: 2s, asks: { for: { uniform: { min: 1s, max: 9s } }, chance: 30% } }
  - { id: c, agent: C, duration: 1s, asks: { for: 3s, chance: 30%, holdsWorker: true } }`

interface Play {
  gaps: number[]
  capacity: string
  /** How often the crew is asked between two kickoffs. */
  polls: number
}

/** The ledger a day after kickoffs, with a restart in between. */
function played({ gaps, capacity, polls }: Play): LedgerRow[] {
  const more = `stuck: 3%
overhead: 300ms
faults: [{ name: again, restart: { loses: running }, window: { from: 40s, for: 1s } }]`
  const client = new Client(profileOf(TASKS, capacity, more))
  let at = 0
  for (const gap of gaps) {
    const from = at
    at += gap * 1_000 + 0.5
    for (let poll = 0; poll < polls; poll++) {
      const micros = from + ((at - from) * poll) / polls
      for (const row of [...client.crew.ledger(micros)].slice(-3)) {
        client.status(row.kickoff_id, micros)
      }
    }
    client.kickoffReply(at, {})
  }
  return [...client.crew.ledger(at + DAY)]
}

const gaps = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 30 })
const places = fc.constantFrom(
  'workers: 2, queueLimit: 3',
  'workers: 3',
  'workers: 1, queueLimit: 5, coldStart: { delay: 3s, idle: 10s }',
)

test('sharing of what is never short changes no execution', () => {
  fc.assert(
    fc.property(
      gaps,
      places,
      fc.constantFrom(
        'quota: { calls: 1000000/s, burst: 1000000, perTask: 3 }',
        'tokens: { perMinute: 1000000000, perCall: 1 }',
        'slowdown: { shared: 99 }',
      ),
      (each, place, shared) => {
        const alone = played({ gaps: each, capacity: place, polls: 0 })
        const rows = played({ gaps: each, capacity: `${place}, ${shared}`, polls: 0 })
        const waits = { quota_wait: 0, slowed: 0 }
        expect(rows).toEqual(
          alone.map((row) =>
            about({ ...row, tasks: row.tasks.map((task) => ({ ...task, ...waits })) }),
          ),
        )
      },
    ),
    { seed: 5, numRuns: areExperimentsRun ? 60 : 30 },
  )
})

const close = (value: number): unknown => expect.closeTo(value, 6)

/** The same with numbers that match to six digits: two ways of adding differ in the last ones. */
function about(value: unknown): unknown {
  if (typeof value === 'number') return close(value)
  if (Array.isArray(value)) return value.map(about)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, about(each)]))
}

test('nobody who asks how executions fare changes how they fare', () => {
  fc.assert(
    fc.property(
      gaps,
      places,
      fc.constantFrom(
        'quota: { calls: 40/m, perTask: 2 }',
        'quota: { calls: 40/m, burst: 3, when: retry }',
        'quota: { calls: 60/m, when: fail }',
        'quota: { calls: 20/m, refill: window }, tokens: { perMinute: 9000, perCall: { uniform: { min: 1, max: 900 } } }',
        'slowdown: { shared: 1 }, quota: { calls: 90/m }',
        'queue: { discipline: fair, by: { header: x-tenant } }',
        'queue: { discipline: priority, by: token }, quota: { calls: 90/m }',
      ),
      (each, place, shared) => {
        const capacity = `${place}, ${shared}`
        expect(played({ gaps: each, capacity, polls: 7 })).toEqual(
          played({ gaps: each, capacity, polls: 0 }),
        )
      },
    ),
    { seed: 6, numRuns: areExperimentsRun ? 60 : 30 },
  )
})

test('a follower reads what a request reads', () => {
  const client = crewOf(
    '3s',
    'workers: 2, quota: { calls: 30/m, perTask: 2 }, slowdown: { shared: 1 }',
  )
  const ids = [0, 1, 2, 3].map(() => client.kickoff(0, {}))
  const headers = { authorization: `Bearer ${TOKENS.organization}` }
  const followed = ids.map((id) => {
    const request = { method: 'GET', path: `/status/${id}`, headers, body: null, address: '::1' }
    return client.crew.follow(request, 0)
  })
  for (let at = 0; at < 40 * SECOND; at += SECOND / 4) {
    for (const [n, id] of ids.entries()) {
      expect(followed[n]?.answer(at)?.body).toEqual(client.status(id, at).body)
    }
  }
})
