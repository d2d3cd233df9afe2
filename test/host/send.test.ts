/** The promises of `send`, `wakeAt`, `emit` and `budget`, which the engine builds on. */
import { expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import { createNodeHost } from '../../src/host/node/index.ts'
import { UserError } from '../../src/base/mistakes.ts'
import * as act from '../hostile/acts.ts'
import { TEST_HTTP } from '../support/plan.ts'
import { hostileTarget, kickoff, nodeHost, send, status } from './support.ts'

const LIMITS = { timeoutMicros: 5_000_000, maxBytes: 1_000 }
const FINISHED: JournalLine = {
  type: 'resumed',
  instance: 0,
  anchorUnixMs: 0,
  atMicros: 0,
  cutMicros: 0,
  indexes: [],
}

test('sends method, path below the base URL, headers, body and correlation', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(`${target.url}/crews/7/`, {
    http: { headers: { 'x-team': 'blue' } },
    userAgent: 'crewload/9',
  })
  await send(host, kickoff(3))
  await send(host, status(3))
  const [started, polled] = target.calls
  expect(started).toMatchObject({ path: '/crews/7/kickoff', body: '{"inputs":{}}' })
  expect(started?.headers).toMatchObject({
    authorization: 'Bearer secret-token',
    'content-type': 'application/json',
    'user-agent': 'crewload/9',
    'x-correlation-id': 'run/3',
    'x-team': 'blue',
  })
  expect(polled).toMatchObject({ path: '/crews/7/status/some-id', body: '' })
  expect(polled?.headers).not.toHaveProperty('content-type')
})

test('deals tokens round by execution, and gives the preflight the first', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url, { tokens: ['a', 'b'] })
  for (const execution of [-1, 0, 1, 2, 3]) await send(host, status(execution))
  expect(target.calls.map((call) => call.headers['authorization'])).toEqual(
    ['a', 'a', 'b', 'a', 'b'].map((token) => `Bearer ${token}`),
  )
})

test('sends no authorization without a token', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url, { tokens: [] })
  await send(host, status())
  expect(target.calls[0]?.headers).not.toHaveProperty('authorization')
})

test('keeps tokens out of failures', async () => {
  const host = await nodeHost('http://secret-token.invalid', { tokens: ['secret-token'] })
  expect(JSON.stringify(await send(host, kickoff()))).not.toContain('secret-token')
})

test('never calls done before send returns, even for what fails at once', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url)
  const order: string[] = []
  await new Promise<void>((done) => {
    host.send({ ...status(), path: '/a b' }, LIMITS, () => {
      order.push('done')
      done()
    })
    order.push('returned')
  })
  expect(order).toEqual(['returned', 'done'])
})

test('answers a cancelled request once, as cancelled, and after the cancel returns', async () => {
  const target = await hostileTarget({ kickoff: act.silence })
  const host = await nodeHost(target.url)
  const answers: Answer[] = []
  const limits = { ...LIMITS, timeoutMicros: 300_000 }
  const cancel = host.send(kickoff(), limits, (answer) => answers.push(answer))
  await expect.poll(() => target.calls.length).toBe(1)
  expect(cancel()).toBe(true)
  expect(answers).toEqual([])
  cancel()
  await new Promise((done) => setTimeout(done, 400))
  expect(answers).toMatchObject([{ kind: 'failure', class: 'cancelled', written: true }])
})

test('cancels a request that was not sent yet, unwritten', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url)
  const answer = await new Promise<Answer>((done) => {
    expect(host.send(kickoff(), LIMITS, done)()).toBe(false)
  })
  expect(answer).toMatchObject({ class: 'cancelled', written: false })
  expect(target.calls).toEqual([])
})

test('ignores a cancel after the answer', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url)
  const answers: Answer[] = []
  const cancel = host.send(status(), LIMITS, (answer) => answers.push(answer))
  await expect.poll(() => answers.length).toBe(1)
  cancel()
  expect(await send(host, status())).toMatchObject({
    kind: 'answer',
    timing: { newConnection: false },
  })
  expect(answers).toHaveLength(1)
})

test('lets a bug in done reach the top instead of calling it a failure of the target', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url)
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  })
  const thrown = new Promise((caught) => process.once('uncaughtException', caught))
  let calls = 0
  host.send(status(), LIMITS, () => {
    calls++
    throw new Error('a bug of ours')
  })
  expect(await thrown).toMatchObject({ message: 'a bug of ours' })
  expect(calls).toBe(1)
})

test('shows every answer to onAnswer first', async () => {
  const target = await hostileTarget()
  const seen: string[] = []
  const host = await nodeHost(target.url, { onAnswer: (operation) => seen.push(operation) })
  await send(host, kickoff())
  await send(host, status())
  expect(seen).toEqual(['kickoff', 'status'])
})

test('answers what is on its way and what waits as cancelled when it closes', async () => {
  const target = await hostileTarget({ kickoff: act.silence })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const answers = [send(host, kickoff()), send(host, kickoff())]
  await expect.poll(() => target.calls.length).toBe(1)
  await host.close()
  expect(await Promise.all(answers)).toMatchObject([
    { class: 'cancelled', written: true },
    { class: 'cancelled', written: false },
  ])
})

test('spends a hard budget, kickoffs and requests apart', async () => {
  const host = await nodeHost('http://127.0.0.1:1', {
    budget: new SendingBudget({ kickoffs: 1, requests: null }),
  })
  expect([host.budget.spend('kickoff'), host.budget.spend('kickoff')]).toEqual([true, false])
  expect(host.budget.spend('request')).toBe(true)
})

test('counts what emit throws as a journal error', async () => {
  const host = await nodeHost('http://127.0.0.1:1', {
    emit: () => {
      throw new Error('disk full')
    },
  })
  host.emit(FINISHED)
  expect(host.vitals().journalErrors).toBe(1)
})

test('refuses headers that belong to HTTP and tokens that cannot be sent, all at once, untold', async () => {
  const creating = createNodeHost({
    target: 'http://127.0.0.1:1',
    tokens: ['good', 'line\nbreak'],
    http: { ...TEST_HTTP, headers: { connection: 'close', 'bad name': 'x', fine: 'ü' } },
    emit: () => {},
    budget: new SendingBudget({ kickoffs: null, requests: null }),
  })
  const error = await creating.catch((problem: unknown) => problem)
  expect(error).toBeInstanceOf(UserError)
  expect((error as UserError).mistakes.map(({ source, path }) => `${source} ${path}`)).toEqual([
    'headers connection',
    'headers bad name',
    'headers fine',
    'token 2',
  ])
  expect((error as UserError).message).not.toContain('break')
})
