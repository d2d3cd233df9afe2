/** Connections in virtual time: reused, limited, closed when idle, opened ahead. */
import { expect, test } from 'vitest'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Box } from './support.ts'
import {
  answered,
  ask,
  kickoff,
  plainNetwork,
  plainProfile,
  send,
  settle,
  virtualHost,
} from './support.ts'

const MS = MICROS_PER_MS

test('a kept connection carries the next request without a set-up', () => {
  const host = virtualHost({ network: plainNetwork(10, 4) })
  ask(host, kickoff(0))
  expect(ask(host, kickoff(1)).timing).toMatchObject({
    releasedMicros: 14 * MS,
    sentMicros: 14 * MS,
    newConnection: false,
  })
  expect(host.vitals().connectionsOpened).toBe(1)
})

test.each([
  ['just before its time a connection is kept', 99.999, 1],
  ['at its time it is closed', 100, 2],
])('%s', (_, idleMs, opened) => {
  const host = virtualHost({ network: plainNetwork(10), http: { keepAliveMicros: 100 * MS } })
  ask(host, kickoff(0))
  host.wakeAt(host.now() + idleMs * MS, () => send(host, kickoff(1)))
  settle(host)
  expect(host.vitals().connectionsOpened).toBe(opened)
})

test('the connection used last goes first, so that the others grow cold', () => {
  const host = virtualHost({ network: plainNetwork(10), http: { keepAliveMicros: 25 * MS } })
  const pair = (): Box[] => [send(host, kickoff(0)), send(host, kickoff(1))]
  answered(host, pair())
  for (let i = 0; i < 3; i++) ask(host, kickoff(i))
  expect(host.vitals().connectionsOpened).toBe(2)
  answered(host, pair())
  expect(host.vitals().connectionsOpened, 'the second one was idle too long').toBe(3)
})

test('at the limit requests wait in line for a connection, and their wait is told', () => {
  const host = virtualHost({ network: plainNetwork(10, 4), http: { maxConnections: 1 } })
  const boxes = [0, 1, 2].map((i) => send(host, kickoff(i)))
  settle(host)
  expect(boxes.map(sentMs)).toEqual([4, 14, 24])
  expect(boxes.map(({ answer }) => answer?.timing.newConnection)).toEqual([true, false, false])
  expect(host.vitals().connectionsOpened).toBe(1)
})

test('whoever waits too long in line fails unwritten, and gives up its place', () => {
  const host = virtualHost({ network: plainNetwork(10), http: { maxConnections: 1 } })
  const [first, second, third] = [0, 1, 2].map((i) =>
    send(host, kickoff(i), { timeoutMs: i === 1 ? 5 : 1_000 }),
  ) as [Box, Box, Box]
  settle(host)
  expect(second.answer).toMatchObject({ class: 'timeout', written: false })
  expect([first, third].map(sentMs)).toEqual([0, 10])
})

test('a connection that comes free earlier serves whoever waits for one being opened', () => {
  const network = plainNetwork(10, 40)
  const host = virtualHost({ network, http: { preOpenConnections: 1 } })
  const before = host.now()
  const boxes = [0, 1].map((i) => send(host, kickoff(i)))
  settle(host)
  expect(boxes.map((box) => sentMs(box)! - before / MS)).toEqual([0, 10])
})

test('the failure of a dial whose owner was served meanwhile is nobody’s', () => {
  const network = plainNetwork(10, 0, { loss: { connection: 0.5, request: 0, answer: 0 } })
  const host = virtualHost({ network, http: { preOpenConnections: 10, maxConnections: 20 } })
  const opened = host.vitals().connectionsOpened!
  expect(opened).toBeGreaterThan(0)
  const boxes = Array.from({ length: opened * 2 }, (_, i) => send(host, kickoff(i)))
  settle(host)
  expect(boxes.map(({ answer }) => answer?.kind)).toEqual(boxes.map(() => 'answer'))
})

test('a connection whose request timed out is closed, and another is opened for who waits', () => {
  const host = virtualHost({
    network: plainNetwork(10, 4),
    profile: plainProfile(50),
    http: { maxConnections: 1 },
  })
  const late = send(host, kickoff(0), { timeoutMs: 20 })
  const next = send(host, kickoff(1))
  settle(host)
  expect(late.answer).toMatchObject({ class: 'timeout' })
  expect(next.answer?.timing).toMatchObject({ sentMicros: 24 * MS, newConnection: true })
})

test('connections are opened before the clock starts, within the limit', () => {
  const host = virtualHost({
    network: plainNetwork(10, 4),
    http: { preOpenConnections: 8, maxConnections: 3 },
  })
  host.startClock()
  expect([host.now(), host.vitals().connectionsOpened]).toEqual([0, 3])
  expect(host.anchorUnixMs).toBe(Date.UTC(2000, 0, 1) + 4)
  expect(ask(host, kickoff()).timing).toEqual({
    releasedMicros: 0,
    sentMicros: 0,
    doneMicros: 10 * MS,
    newConnection: true,
  })
  expect([...host.ledger()][0]!.accepted_ms * MS + host.crewOffsetMicros).toBe(5 * MS)
})

function sentMs({ answer }: Box): number | undefined {
  const sent = answer?.timing.sentMicros
  return sent === null || sent === undefined ? undefined : sent / MS
}
