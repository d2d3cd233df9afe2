/** Requests that a deadline cuts short: k6 would warn of each that it gives up. */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../src/crew/answer.ts'
import { TEST_HTTP } from '../../support/plan.ts'
import { hostIn, settled, StillWorld } from './world.ts'

const POLL = {
  operation: 'status',
  execution: 0,
  method: 'GET',
  path: '/status/a',
  body: null,
  correlation: 'run/0',
} as const

function room(connections = 1) {
  const world = new StillWorld()
  const host = hostIn(world, { http: { ...TEST_HTTP, maxConnections: connections } })
  const sent = (timeoutMicros: number): Answer[] => {
    const answers: Answer[] = []
    const limits = { timeoutMicros, maxBytes: 10 }
    host.send(POLL, limits, (answer) => answers.push(answer))
    return answers
  }
  return { world, sent }
}

const CUT = { kind: 'failure', class: 'timeout', detail: 'no answer after 40 ms', written: true }

describe('a request that is cut short', () => {
  test('ends at its limit, while k6 waits on for an answer, which nobody hears', async () => {
    const { world, sent } = room()
    const answers = sent(40_000)
    expect(world.asked[0]!.params.timeout).toBe(2_040)
    await world.pass(39)
    expect(answers).toEqual([])
    await world.pass(1)
    const timing = { sentMicros: 0, doneMicros: 40_000 }
    expect(answers).toMatchObject([{ ...CUT, timing }])
    const next = sent(300_000)
    expect(world.asked).toHaveLength(1)
    world.asked[0]!.answer({})
    await settled()
    expect(answers).toHaveLength(1)
    // Its connection is free again.
    expect(world.asked).toHaveLength(2)
    expect(next).toEqual([])
  })

  test('and answered in time is as any other', async () => {
    const { world, sent } = room()
    const answers = sent(40_000)
    world.asked[0]!.answer({})
    await world.pass(100)
    expect(answers).toMatchObject([{ kind: 'answer', status: 200 }])
    expect(world.timers).toBe(0)
  })

  test('does not end before its limit when a timer of k6 fires too soon', async () => {
    const { world, sent } = room()
    const answers = sent(40_000)
    await world.pass(20)
    world.fireEarly()
    expect(answers).toEqual([])
    await world.pass(20)
    expect(answers).toMatchObject([CUT])
  })

  test('while it waits for a connection neither', async () => {
    const { world, sent } = room()
    sent(300_000)
    const waiting = sent(40_000)
    world.fireEarly()
    expect(waiting).toEqual([])
    await world.pass(40)
    expect(waiting).toMatchObject([{ class: 'timeout', written: false }])
  })
})

test('each of several ends at its own limit, by one timer of k6', async () => {
  const { world, sent } = room()
  const first = sent(40_000)
  const second = sent(70_000)
  expect(world.timers).toBe(1)
  await world.pass(40)
  expect([first, second]).toMatchObject([[CUT], []])
  await world.pass(30)
  expect(second).toMatchObject([{ class: 'timeout', written: false }])
  expect(world.timers).toBe(0)
})

test('one with its full time is given up by k6, which tells how far it came', () => {
  const { world, sent } = room()
  sent(300_000)
  expect(world.asked[0]!.params.timeout).toBe(300)
  expect(world.timers).toBe(0)
})

test('so is one that has waited for a connection', async () => {
  const { world, sent } = room()
  sent(300_000)
  sent(300_000)
  expect(world.timers).toBe(1)
  world.asked[0]!.answer({})
  await settled()
  expect(world.asked).toHaveLength(2)
  expect(world.timers).toBe(0)
})
