/** What may cost money: everything but a fake crew on this machine. */
import { describe, expect, test } from 'vitest'
import { TargetError } from '../../../src/run/errors.ts'
import { isPaid, NO_FAKE } from '../../../src/run/target/paid.ts'
import { run } from '../../../src/run/run.ts'
import { enginesThatSend } from '../../support/k6/k6.ts'
import type { Answers } from '../../support/targets/loopback.ts'
import { startedFakeCrew, startedProxy, startedStub } from '../../support/targets/loopback.ts'

const NO_TUNNEL = 'http://127.0.0.1:9'

async function paid(url: string): Promise<boolean> {
  return isPaid(new URL(url), {})
}

function json(value: unknown): Answers {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
}

const CLOCK = { now_ms: 5, anchor_unix_ms: 1.7e12, speed: 1 }

test('a fake crew is free, and so is a proxy in front of one', async () => {
  await using crew = await startedFakeCrew()
  await using proxy = await startedProxy(crew.url)
  await using second = await startedProxy(proxy.url)
  expect(await Promise.all([crew.url, proxy.url, second.url].map(paid))).toEqual([
    false,
    false,
    false,
  ])
})

test('a proxy costs what its target costs, which is not contacted elsewhere', async () => {
  await using stub = await startedStub()
  await using before = await startedProxy(stub.url)
  await using elsewhere = await startedProxy('https://crew.example')
  expect(await paid(before.url)).toBe(true)
  expect(await paid(elsewhere.url)).toBe(true)
})

test('a proxy of itself ends', async () => {
  const state = { url: '' }
  await using loop = await startedStub((request, response) =>
    json({ ...CLOCK, forwards_to: state.url })(request, response),
  )
  state.url = loop.url
  expect(await paid(loop.url)).toBe(true)
})

test.each([
  ['no path', undefined],
  ['a page for every path', (_, response) => response.end('<!doctype html>')],
  ['null', json(null)],
  ['a clock without a speed', json({ ...CLOCK, speed: undefined })],
  ['a clock of words', json({ ...CLOCK, now_ms: 'noon' })],
  ['an error with a clock', (_, response) => response.writeHead(500).end(JSON.stringify(CLOCK))],
] satisfies [string, Answers | undefined][])(
  'a target that answers with %s is paid',
  async (_, answers) => {
    await using stub = await startedStub(answers)
    expect(await paid(stub.url)).toBe(true)
    expect(stub.paths).toEqual(['/__fake__/clock'])
  },
)

test('where nothing listens, something that costs money may listen next', async () => {
  expect(await paid(NO_TUNNEL)).toBe(true)
})

describe('a run of it without a budget', async () => {
  const scenario = { name: 'x', arrivals: { clients: 2, iterations: 2 }, inputs: {} }
  const engines = await enginesThatSend('a paid crew')

  test.each(engines)('is refused before the first kickoff: %j', async (engine) => {
    await using stub = await startedStub(json({ inputs: [] }))
    const ended = run(scenario, { target: stub.url, out: false, engine })
    await expect(ended).rejects.toThrow(NO_FAKE)
    expect(new Set(stub.paths)).toEqual(new Set(['/__fake__/clock', '/inputs']))
  })

  test('ends sooner where no crew answers', async () => {
    const ended = run(scenario, { target: NO_TUNNEL, out: false })
    await expect(ended).rejects.toThrow(TargetError)
  })
})
