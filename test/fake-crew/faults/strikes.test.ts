/** Which requests a fault strikes, asked of the model on a clock of our own. */
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../fake-crew/model/faults/fault.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { Client, bodyOf } from '../client.ts'
import { SECOND, sampleProfile, sampleTask } from '../sample-profile.ts'

/** A fault as its author writes it, without braces; by default it answers 502. */
function faultOf(settings = '', kind = 'status: { code: 502 }'): Fault {
  const [fault] = parseFaults(`{ name: fault, ${kind}, ${settings} }`, 'faults')
  return fault!
}

function clientWith(...faults: Fault[]): Client {
  return new Client(sampleProfile({ faults }))
}

function statuses(client: Client, count: number, path = '/inputs'): number[] {
  return Array.from({ length: count }, () => client.ask('GET', path).status)
}

test('what is refused for its method or its token uses no fault up', () => {
  const client = clientWith(faultOf('operations: [kickoff], first: 1'))
  const nobody = { headers: { authorization: 'Bearer nobody' } }
  expect(client.ask('GET', '/kickoff').status).toBe(405)
  expect(client.ask('OPTIONS', '/kickoff').status).toBe(204)
  expect(client.ask('POST', '/kickoff', nobody).status).toBe(401)
  expect([client.kickoffReply().status, client.kickoffReply().status]).toEqual([502, 200])
})

test('a wait that a fault asks for is time of the crew, which speed divides', () => {
  const fault = faultOf('', 'status: { code: 502, headers: { Retry-After: "90", x-other: "90" } }')
  const client = new Client(sampleProfile({ speed: 60, faults: [fault] }))
  expect(client.ask('GET', '/inputs').headers).toMatchObject({
    'retry-after': '2',
    'x-other': '90',
  })
})

describe('strikes', () => {
  test.each([
    ['all without a limit', '', [502, 502, 502, 502, 502, 502]],
    ['the first so many', 'first: 2', [502, 502, 200, 200, 200, 200]],
    ['every so manyth', 'nth: 3', [200, 200, 502, 200, 200, 502]],
    ['one of them', 'only: 3', [200, 200, 502, 200, 200, 200]],
    ['every so manyth of the first', 'first: 4, nth: 2', [200, 502, 200, 502, 200, 200]],
    ['none by no chance', 'chance: 0', [200, 200, 200, 200, 200, 200]],
    ['none of another operation', 'operations: [kickoff]', [200, 200, 200, 200, 200, 200]],
  ])('%s', (_, changes, wanted) => {
    expect(statuses(clientWith(faultOf(changes)), 6)).toEqual(wanted)
  })

  test('by chance, a share', () => {
    const struck = statuses(clientWith(faultOf('chance: 0.25')), 4_000).filter((s) => s === 502)
    expect(Math.abs(struck.length / 4_000 - 0.25)).toBeLessThan(0.02)
  })

  test('no path that the interface does not have', () => {
    expect(clientWith(faultOf()).ask('GET', '/nowhere').status).toBe(404)
  })

  test('within its window, and counts no request outside it', () => {
    const client = clientWith(faultOf('window: { from: 1s, for: 1s }, first: 1'))
    const at = (seconds: number): number =>
      client.ask('GET', '/inputs', {}, seconds * SECOND).status
    expect([0, 0.9, 1, 1.5, 2].map(at)).toEqual([200, 200, 502, 200, 200])
  })
})

/**
 * Which of an execution's ten polls are struck, with those of another execution in between or not.
 */
function struckPolls(client: Client, crowded: boolean): boolean[] {
  const [mine, other] = [client.kickoff(), client.kickoff()]
  return Array.from({ length: 10 }, () => {
    if (crowded) for (let n = 0; n < 3; n++) client.status(other, 0)
    return client.status(mine, 0).status === 502
  })
}

describe('draws', () => {
  const fault = faultOf('operations: [status], chance: 0.5')

  test('of an execution are the same, whatever is asked about others', () => {
    const alone = struckPolls(clientWith(fault), false)
    expect(new Set(alone)).toEqual(new Set([true, false]))
    expect(struckPolls(clientWith(fault), true)).toEqual(alone)
  })

  test('follow the name and the seed', () => {
    const polls = [{}, { name: 'other' }, { seed: 9 }, { seed: 10 }].map((changes) =>
      struckPolls(clientWith({ ...fault, ...changes }), false).join(),
    )
    expect(new Set(polls).size).toBe(4)
  })

  test('of faults change nothing else: executions are the same with them and without', () => {
    const duration = { kind: 'uniform', min: 0, max: 10 * SECOND } as const
    const tasks = [{ ...sampleTask('research', SECOND), duration }]
    const ends = [[], [faultOf('operations: [status]')]].map((faults) => {
      const client = new Client(sampleProfile({ tasks, faults }))
      for (let n = 0; n < 5; n++) client.kickoff()
      return [...client.crew.ledger(100 * SECOND)].map((row) => row.ended_ms)
    })
    expect(ends[1]).toEqual(ends[0])
  })
})

describe('several at once', () => {
  test('take hold one after the other', () => {
    const latency = faultOf('', 'latency: 5ms')
    const drip = faultOf('', 'drip: { pieces: 2, over: 7ms }')
    const reply = clientWith(latency, latency, faultOf(), drip).ask('GET', '/inputs')
    expect(reply).toMatchObject({ status: 502, delayMicros: 10_000, delivery: { kind: 'drip' } })
  })

  test('who answers in place of the operation also says how', () => {
    const drip = faultOf('', 'drip: { pieces: 2, over: 7ms }')
    const hang = faultOf('', 'hang: { carriedOut: false }')
    const client = clientWith(drip, hang)
    expect(client.kickoffReply().delivery).toEqual({ kind: 'nothing', ending: 'open' })
    expect(client.crew.count).toBe(0)
  })

  test.each(['interface', 'platform'] as const)(
    'do not flip twice what has ended, in the dialect %s',
    (dialect) => {
      const flips = ['running', 'failed', 'failed'].map((to) => faultOf('', `flip: { to: ${to} }`))
      const failing = { ...sampleTask('research', SECOND), failure: { chance: 1, message: 'No' } }
      for (const tasks of [[failing], [sampleTask('research', SECOND)]]) {
        const client = new Client(sampleProfile({ dialect, tasks, faults: flips }))
        const id = client.kickoff()
        client.status(id, 2 * SECOND)
        const told = bodyOf(client.status(id, 2 * SECOND))
        expect(told).toMatchObject(
          dialect === 'interface' ? { status: 'running' } : { result: null },
        )
        expect(client.crew.faults.list().map(({ touched }) => touched)).toEqual([1, 0, 0])
      }
    },
  )

  test('have names of their own', () => {
    const names = clientWith(faultOf(), faultOf(), faultOf()).crew.faults.list()
    expect(names.map(({ fault }) => fault.name)).toEqual(['fault', 'fault 2', 'fault 3'])
  })
})

describe('the words of the dialect', () => {
  test.each([
    ['interface', { error: 'Bad Gateway', message: 'A fault of the fake crew' }],
    ['platform', { detail: 'Bad Gateway' }],
  ] as const)('%s', (dialect, body) => {
    const client = new Client(sampleProfile({ dialect, faults: [faultOf()] }))
    expect(bodyOf(client.ask('GET', '/inputs'))).toEqual(body)
  })
})

describe('marks', () => {
  test('say which fault touched which answer', () => {
    const client = clientWith({ ...faultOf('operations: [status], first: 1'), name: 'gateway' })
    const id = client.kickoff()
    client.ask('GET', `/status/${id}`, { headers: { 'x-correlation-id': 'run/3' } }, SECOND)
    client.status(id, SECOND)
    const mark = {
      fault: 'gateway',
      operation: 'status',
      at_ms: 1_000,
      correlation: 'run/3',
      kickoff_id: id,
    }
    expect(client.crew.faults.marks.all()).toEqual([mark])
    expect([...client.crew.ledger(SECOND)][0]!.faults).toEqual([mark])
    expect(client.crew.faults.list()).toMatchObject([{ touched: 1 }])
  })

  test('are missing where no fault was', () => {
    const client = clientWith(faultOf('operations: [inputs]'))
    client.kickoff()
    expect([...client.crew.ledger(0)][0]).not.toHaveProperty('faults')
  })
})

describe('while it runs', () => {
  test('faults are added, by their own time, and cleared', () => {
    const client = clientWith()
    client.crew.faults.add([{ ...faultOf('window: { for: 1s }'), name: 'late' }], 10 * SECOND)
    const at = (seconds: number): number =>
      client.ask('GET', '/inputs', {}, seconds * SECOND).status
    expect([at(10), at(10.9), at(11)]).toEqual([502, 502, 200])
    client.crew.faults.add([faultOf(), { ...faultOf(), name: 'other' }], 12 * SECOND)
    expect([client.crew.faults.clear(12 * SECOND, 'fault'), at(12)]).toEqual([1, 502])
    expect([client.crew.faults.clear(12 * SECOND), at(12)]).toEqual([2, 200])
    expect(client.crew.faults.clear(12 * SECOND, 'fault')).toBe(0)
  })

  test('it is told when each was on, cleared or not', () => {
    const client = clientWith({ ...faultOf(), name: 'for good' })
    const { faults } = client.crew
    const windows = faultOf('window: { for: 1s, every: 4s }')
    faults.add([{ ...windows, name: 'windows' }], 10 * SECOND)
    faults.add([{ ...faultOf('', 'restart: { loses: all }'), name: 'early' }], 11 * SECOND)
    faults.clear(14.5 * SECOND, 'windows')
    expect(faults.spells(20 * SECOND)).toEqual([
      {
        fault: 'windows',
        kind: 'status',
        always: false,
        spells: [
          { from_ms: 10_000, to_ms: 11_000 },
          { from_ms: 14_000, to_ms: 14_500 },
        ],
      },
      {
        fault: 'for good',
        kind: 'status',
        always: true,
        spells: [{ from_ms: 0, to_ms: null }],
      },
      {
        fault: 'early',
        kind: 'restart',
        always: false,
        spells: [{ from_ms: 11_000, to_ms: 11_000 }],
      },
    ])
  })
})
