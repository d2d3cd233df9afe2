/** What a request becomes in k6's hands, and what its answer becomes in ours. */
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../src/crew/answer.ts'
import type { CrewRequest } from '../../../src/crew/crew-request.ts'
import { SendingBudget } from '../../../src/engine/sending-budget.ts'
import type { Host } from '../../../src/engine/host.ts'
import { K6Host } from '../../../src/host/k6/index.ts'
import { TEST_HTTP } from '../../support/plan.ts'
import { NO_CONNECTION, settled, StillWorld } from './world.ts'

const LIMITS = { timeoutMicros: 300_000, maxBytes: 10 }

function hostWith(
  options: {
    maxConnections?: number
    tokens?: string[]
    instance?: number
    instances?: number
  } = {},
) {
  const {
    maxConnections = 10,
    tokens = ['sesame-1', 'sesame-2'],
    instance = 0,
    instances = 1,
  } = options
  const world = new StillWorld()
  world.elapsed = 100
  const host = new K6Host(world, {
    target: 'http://crew.test/base/',
    tokens,
    http: { ...TEST_HTTP, maxConnections, headers: { 'x-api-key': 'k' } },
    budget: new SendingBudget({ kickoffs: 1, requests: null }),
    share: { instance, instances },
    userAgent: 'crewload/9',
    traces: 0,
    zeroMs: 0,
  })
  return { world, host }
}

const status = (execution: number): CrewRequest => ({
  operation: 'status',
  execution,
  method: 'GET',
  path: `/status/${execution}`,
  body: null,
  correlation: `run/${execution}`,
})

function sent(host: Host, request = status(0), limits = LIMITS) {
  const answers: Answer[] = []
  const cancel = host.send(request, limits, (answer) => answers.push(answer))
  return { answers, cancel }
}

describe('a request', () => {
  test('goes below the base URL, with token, headers and correlation, and no redirects', () => {
    const { world, host } = hostWith()
    sent(host, { ...status(3), method: 'POST', path: '/kickoff', body: '{}', operation: 'kickoff' })
    const [asked] = world.asked
    expect(asked).toMatchObject({
      method: 'POST',
      url: 'http://crew.test/base/kickoff',
      body: '{}',
    })
    expect(asked!.params).toEqual({
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'crewload/9',
        authorization: 'Bearer sesame-2',
        'x-api-key': 'k',
        'x-correlation-id': 'run/3',
      },
      timeout: 300,
      redirects: 0,
      responseType: 'text',
      tags: { name: 'kickoff' },
    })
  })

  test('that finds no free connection waits for one, and its wait is told', async () => {
    const { world, host } = hostWith({ maxConnections: 2, instances: 2 })
    const first = sent(host)
    const second = sent(host, status(1))
    expect(world.asked).toHaveLength(1)
    await world.pass(50)
    world.asked[0]!.answer({})
    await settled()
    expect(first.answers).toHaveLength(1)
    expect(world.asked[1]!.params.timeout).toBe(250)
    await world.pass(5)
    world.asked[1]!.answer({ timings: { blocked: 2, connecting: 1.5, sending: 0, waiting: 3 } })
    await settled()
    expect(second.answers[0]!.timing).toEqual({
      releasedMicros: 100_000,
      sentMicros: 152_000,
      doneMicros: 155_000,
      newConnection: true,
    })
    expect(host.vitals().connectionsOpened).toBe(1)
  })

  test("has its VU's part of the connections: together they are all of them", () => {
    const open = [0, 1, 2].map((instance) => {
      const { world, host } = hostWith({ maxConnections: 5, instance, instances: 3 })
      for (let i = 0; i < 5; i++) sent(host, status(i))
      return world.asked.length
    })
    expect(open).toEqual([2, 2, 1])
  })

  test('that waits too long was never sent', async () => {
    const { world, host } = hostWith({ maxConnections: 1 })
    sent(host)
    const { answers } = sent(host, status(1))
    await world.pass(300)
    expect(answers).toMatchObject([
      { class: 'timeout', written: false, timing: { sentMicros: null } },
    ])
    world.asked[0]!.answer({})
    await settled()
    expect(world.asked).toHaveLength(1)
  })

  test('that is given up is answered once, after the call; its connection counts as taken till k6 is done', async () => {
    const { world, host } = hostWith({ maxConnections: 1 })
    const { answers, cancel } = sent(host)
    const next = sent(host, status(1))
    expect(cancel()).toBe(true)
    expect(answers).toEqual([])
    await settled()
    expect(answers).toMatchObject([{ class: 'cancelled', written: true }])
    expect(world.asked).toHaveLength(1)
    world.asked[0]!.answer({})
    await settled()
    expect(answers).toHaveLength(1)
    expect(world.asked).toHaveLength(2)
    expect(next.answers).toEqual([])
  })

  test('that is given up while it waits is never sent', async () => {
    const { world, host } = hostWith({ maxConnections: 1 })
    sent(host)
    const { answers, cancel } = sent(host, status(1))
    expect(cancel()).toBe(false)
    world.asked[0]!.answer({})
    await settled()
    expect(answers).toMatchObject([{ class: 'cancelled', written: false }])
    expect(world.asked).toHaveLength(1)
  })
})

async function answered(response: Parameters<StillWorld['asked'][number]['answer']>[0]) {
  const { world, host } = hostWith()
  const { answers } = sent(host)
  world.elapsed += 4
  world.asked[0]!.answer(response)
  await settled()
  return answers
}

describe('an answer', () => {
  test('has names in lower case and no byte order mark', async () => {
    const answers = await answered({ headers: { 'Retry-After': '3', A: 'b, c' }, body: '\uFEFF{}' })
    expect(answers).toMatchObject([
      { kind: 'answer', status: 200, headers: { 'retry-after': '3', a: 'b, c' }, body: '{}' },
    ])
  })

  test('without a body is empty', async () => {
    expect(await answered({ status: 204, body: null })).toMatchObject([{ status: 204, body: '' }])
  })

  test.each([
    ['ten bytes', 'abcdefghij'],
    ['nine bytes in three letters', '€€€'],
  ])('of %s is taken, ten being allowed', async (_, body) => {
    expect(await answered({ body })).toMatchObject([{ kind: 'answer', body }])
  })

  test.each([
    ['eleven bytes', 'abcdefghijk'],
    ['twelve bytes in four letters', '€€€€'],
  ])('of %s is too large, ten being allowed', async (_, body) => {
    const tooLarge = { kind: 'failure', class: 'too-large', status: 200, written: true }
    expect(await answered({ body })).toMatchObject([tooLarge])
  })

  test('that never came says why, whether it was written, and no token', async () => {
    const error = 'dial: connection refused for sesame-1'
    const answers = await answered({ ...NO_CONNECTION, error, error_code: 1212 })
    expect(answers).toMatchObject([
      {
        kind: 'failure',
        class: 'refused',
        detail: 'dial: connection refused for ***',
        written: false,
        status: null,
        timing: { sentMicros: null, doneMicros: 104_000 },
      },
    ])
  })

  test('that k6 refuses to give is a failure too', async () => {
    const { world, host } = hostWith()
    const { answers } = sent(host)
    world.asked[0]!.reject(new Error('unsupported response status: 101'))
    await settled()
    expect(answers).toMatchObject([{ class: 'other', written: true }])
  })
})

test('a line leaves as one line of JSON, without tokens', () => {
  const { world, host } = hostWith()
  const kickoff = emptyColumns()
  host.emit({
    type: 'accepted',
    index: 1,
    instance: 0,
    kickoffId: 'id-sesame-2',
    atMicros: 5,
    kickoff,
  })
  expect(world.lines).toEqual([
    `{"type":"accepted","index":1,"instance":0,"kickoffId":"id-***","atMicros":5,"kickoff":${JSON.stringify(kickoff)}}`,
  ])
})

test('what cannot be known is null, and the budget is the one that was given', () => {
  const { host } = hostWith()
  expect(host.vitals()).toEqual({
    utilisationSustained: null,
    utilisationMean: null,
    connectionsOpened: 0,
    clockSteps: 0,
    journalErrors: 0,
    peakMemoryBytes: null,
  })
  expect([
    host.budget.spend('kickoff'),
    host.budget.spend('kickoff'),
    host.budget.spend('request'),
  ]).toEqual([true, false, true])
})
