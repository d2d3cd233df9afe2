/**
 * Lanes: connections are counted exactly, reused warm first, and a wait for one shows as a wait.
 */
import { expect, test } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import * as act from '../hostile/acts.ts'
import type { Act } from '../hostile/server.ts'
import { hostileTarget, kickoff, nodeHost, send, status } from './support.ts'

const ok: Act = act.json({})

function slow(ms: number): Act {
  return (socket, call) => setTimeout(() => ok(socket, call), ms)
}

function closesAfter(ms: number): Act {
  return (socket, call) => {
    ok(socket, call)
    setTimeout(() => socket.end(), ms)
  }
}

function waitMicros({ timing }: Answer): number {
  return (timing.sentMicros ?? Number.NaN) - timing.releasedMicros
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

test('reuses a connection and says which request opened it', async () => {
  const target = await hostileTarget({ status: ok })
  const host = await nodeHost(target.url)
  const fresh = []
  for (let i = 0; i < 5; i++) fresh.push((await send(host, status())).timing.newConnection)
  expect(fresh).toEqual([true, false, false, false, false])
  expect(target.connections()).toBe(1)
  expect(host.vitals().connectionsOpened).toBe(1)
})

test('takes the connection used last, so that the others may rest', async () => {
  const target = await hostileTarget({ status: slow(10) })
  const host = await nodeHost(target.url)
  await Promise.all([send(host, status()), send(host, status()), send(host, status())])
  for (let i = 0; i < 4; i++) await send(host, status())
  const used = target.calls.slice(3).map((call) => call.connection)
  expect(new Set(used).size).toBe(1)
})

test('opens no more than maxConnections; the others wait their turn, and the wait is not service time', async () => {
  const target = await hostileTarget({ kickoff: slow(40) })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const answers = await Promise.all([0, 1, 2].map((index) => send(host, kickoff(index))))
  expect(target.calls.map((call) => call.headers['x-correlation-id'])).toEqual([
    'run/0',
    'run/1',
    'run/2',
  ])
  expect(target.connections()).toBe(1)
  const { sentMicros, doneMicros } = answers[2]!.timing
  expect(waitMicros(answers[2]!)).toBeGreaterThan(70_000)
  expect(doneMicros - (sentMicros ?? 0)).toBeLessThan(waitMicros(answers[2]!))
})

test('times out in the line, unwritten, when no connection gets free', async () => {
  const target = await hostileTarget({ kickoff: act.silence })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const first = send(host, kickoff(), 1_000)
  expect(await send(host, kickoff(), 50)).toMatchObject({
    class: 'timeout',
    written: false,
    detail: 'still waiting for a free connection after 50 ms',
    timing: { sentMicros: null },
  })
  expect(await first).toMatchObject({ class: 'timeout', written: true })
})

test('serves who waits when a connection is lost', async () => {
  const target = await hostileTarget({ kickoff: act.inTurn(act.resetAtOnce, ok) })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const [lost, served] = await Promise.all([send(host, kickoff()), send(host, kickoff())])
  expect(lost).toMatchObject({ class: 'reset' })
  expect(served).toMatchObject({ kind: 'answer', timing: { newConnection: true } })
})

test('opens connections before the clock starts, and sends nothing on them', async () => {
  const target = await hostileTarget({ status: ok })
  const host = await nodeHost(target.url, { http: { preOpenConnections: 3 } })
  expect(host.vitals().connectionsOpened).toBe(3)
  expect(target.calls).toEqual([])
  host.startClock()
  const answer = await send(host, status())
  expect(answer.timing.newConnection).toBe(true)
  expect(target.connections()).toBe(3)
})

test('starts without pre-opened connections where they fail', async () => {
  const target = await hostileTarget()
  await target.close()
  const host = await nodeHost(target.url, { http: { preOpenConnections: 3 } })
  expect(host.vitals().connectionsOpened).toBe(0)
})

test('opens a new connection where the last one was closed while idle, without a failure', async () => {
  const target = await hostileTarget({ kickoff: closesAfter(10) })
  const host = await nodeHost(target.url)
  for (let i = 0; i < 3; i++) {
    expect(await send(host, kickoff())).toMatchObject({
      kind: 'answer',
      timing: { newConnection: true },
    })
    await sleep(30)
  }
  expect(target.connections()).toBe(3)
})

test('never sends a request twice, however badly a connection ends', async () => {
  const target = await hostileTarget({ status: act.inTurn(ok, act.endAtOnce, ok) })
  const host = await nodeHost(target.url)
  await send(host, status())
  expect(await send(host, status())).toMatchObject({ class: 'closed', written: true })
  expect(target.calls).toHaveLength(2)
})

test('does not reuse a connection that the answer closes', async () => {
  const closing = act.json({}, 200, { connection: 'close' })
  const target = await hostileTarget({ status: closing })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const answers = await Promise.all([send(host, status()), send(host, status())])
  expect(answers.map((answer) => answer.timing.newConnection)).toEqual([true, true])
})

test('does not reuse a connection of HTTP/1.0', async () => {
  const target = await hostileTarget({ status: act.rawThenEnd('HTTP/1.0 200 OK\r\n\r\n{}') })
  const host = await nodeHost(target.url, { http: { maxConnections: 1 } })
  const answers = await Promise.all([send(host, status()), send(host, status())])
  expect(answers.map((answer) => answer.kind)).toEqual(['answer', 'answer'])
  expect(target.connections()).toBe(2)
})

test('closes connections that were idle for keepAliveMicros, used or not', async () => {
  const target = await hostileTarget({ status: ok })
  const host = await nodeHost(target.url, {
    http: { preOpenConnections: 2, keepAliveMicros: 200_000 },
  })
  await send(host, status())
  await sleep(600)
  const answer = await send(host, status())
  expect(answer).toMatchObject({ kind: 'answer', timing: { newConnection: true } })
  expect(target.connections()).toBe(3)
})

test('closes a connection that was idle, though an answer before took longer than that', async () => {
  const target = await hostileTarget({ status: slow(250) })
  const host = await nodeHost(target.url, { http: { keepAliveMicros: 100_000 } })
  await send(host, status())
  await sleep(500)
  expect(await send(host, status())).toMatchObject({ timing: { newConnection: true } })
  expect(target.connections()).toBe(2)
})

test('does not flood a target that accepts and closes', async () => {
  const target = await hostileTarget({}, (socket) => socket.end())
  const host = await nodeHost(target.url)
  expect(await send(host, kickoff())).toMatchObject({ kind: 'failure', class: 'closed' })
  expect(target.connections()).toBe(1)
})

test('fails only the request whose connection could not be opened', async () => {
  const held: (() => void)[] = []
  const hold: Act = (socket, call) => held.push(() => ok(socket, call))
  const target = await hostileTarget({ kickoff: hold })
  const host = await nodeHost(target.url)
  const served = send(host, kickoff())
  await expect.poll(() => target.calls.length).toBe(1)
  await target.refuse()
  expect(await send(host, kickoff())).toMatchObject({ class: 'refused', written: false })
  held[0]?.()
  expect(await served).toMatchObject({ kind: 'answer' })
})
