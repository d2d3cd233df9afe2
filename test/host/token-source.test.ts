/** A token that is asked for: when, by how many, and what a request gets that it is refused. */
import { expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import { ownBudget } from '../../src/engine/spending.ts'
import type { Credential } from '../../src/host/node/token-source.ts'
import { TokenSource } from '../../src/host/node/token-source.ts'
import { MICROS_PER_SECOND } from '../../src/base/units.ts'
import { startedStub } from '../support/targets/loopback.ts'
import { kickoff, nodeHost, send } from './support.ts'

function credential(token: string, lifetimeMs: number | null): Credential {
  return { header: 'authorization', value: `Bearer ${token}`, secret: token, lifetimeMs }
}

/** The n-th asking gives `token-n`. */
async function issued(lifetimeMs: number | null = null) {
  const clock = { nowMs: 0 }
  const issuer = { asked: 0, fails: false }
  const notes: string[] = []
  const source = await TokenSource.open({
    obtain: async () => {
      const n = ++issuer.asked
      await Promise.resolve()
      if (issuer.fails) throw new Error('the issuer is away')
      return credential(`token-${n}`, lifetimeMs)
    },
    onNote: (note) => notes.push(note),
    nowMs: () => clock.nowMs,
  })
  return { source, clock, issuer, notes }
}

test('a thousand refusals of one token ask for one other', async () => {
  const { source, clock, issuer } = await issued()
  const { current } = source
  source.accepted(current)
  clock.nowMs = 5_000
  const renewed = await Promise.all(Array.from({ length: 1_000 }, () => source.refused(current)))
  expect(renewed.every(Boolean)).toBe(true)
  expect(await source.refused(current)).toBe(true)
  expect([issuer.asked, source.current.value]).toEqual([2, 'Bearer token-2'])
  expect(source.secrets).toEqual(['token-2', 'token-1'])
})

test('a token that was never accepted is not renewed when it is refused', async () => {
  const { source, clock, issuer } = await issued()
  clock.nowMs = 5_000
  expect(await source.refused(source.current)).toBe(false)
  expect(issuer.asked).toBe(1)
})

test('is renewed before its end while requests go on, and waited for after it', async () => {
  const { source, clock, issuer } = await issued(100_000)
  clock.nowMs = 79_999
  expect([source.whenUsable(), issuer.asked]).toEqual([null, 1])
  clock.nowMs = 80_000
  expect([source.whenUsable(), source.whenUsable(), issuer.asked]).toEqual([null, null, 2])
  await expect.poll(() => source.current.value).toBe('Bearer token-2')
  clock.nowMs = 180_000
  await source.whenUsable()
  expect(source.current.value).toBe('Bearer token-3')
})

test('stays in force where no other can be had, and nobody asks more than once a second', async () => {
  const { source, clock, issuer, notes } = await issued(10_000)
  issuer.fails = true
  for (clock.nowMs = 11_000; clock.nowMs < 14_000; clock.nowMs += 100) await source.whenUsable()
  expect([issuer.asked, source.current.value]).toEqual([4, 'Bearer token-1'])
  expect(notes[0]).toBe('the token could not be renewed: the issuer is away')
})

/** Takes what the issuer gave last. */
async function pickyTarget(): Promise<{ url: string; accepts: { token: string }; seen: string[] }> {
  const accepts = { token: 'token-1' }
  const seen: string[] = []
  const target = await startedStub((request, response) => {
    const given = request.headers.authorization ?? ''
    seen.push(given)
    response.statusCode = given === `Bearer ${accepts.token}` ? 200 : 401
    response.end('{"kickoff_id":"a"}')
  })
  onTestFinished(async () => target[Symbol.asyncDispose]())
  return { url: target.url, accepts, seen }
}

test('a refused request is sent once more, with the new token', async () => {
  const { url, accepts, seen } = await pickyTarget()
  const { source, clock } = await issued()
  const host = await nodeHost(url, { tokenSource: source })
  expect(await send(host, kickoff())).toMatchObject({ status: 200 })
  accepts.token = 'token-2'
  clock.nowMs = 5_000
  expect(await send(host, kickoff())).toMatchObject({ status: 200 })
  accepts.token = 'nobody-has-it'
  clock.nowMs = 10_000
  expect(await send(host, kickoff())).toMatchObject({ status: 401 })
  expect(seen.map((given) => given.replace('Bearer token-', ''))).toEqual(['1', '1', '2', '2', '3'])
})

test('the second sending is a request of the budget', async () => {
  const { url, accepts, seen } = await pickyTarget()
  const { source, clock } = await issued()
  const budget = ownBudget({ kickoffs: null, requests: 0 })
  const host = await nodeHost(url, { tokenSource: source, budget })
  await send(host, kickoff())
  accepts.token = 'token-2'
  clock.nowMs = 5_000
  expect(await send(host, kickoff())).toMatchObject({ status: 401 })
  expect(seen).toHaveLength(2)
})

test.each(['the end of the token', 'its refusal'])(
  'a request that is cancelled while it waits after %s has one answer, at once',
  async (event) => {
    const { url, accepts } = await pickyTarget()
    const clock = { nowMs: 0 }
    let asked = 0
    const source = await TokenSource.open({
      obtain: async () => (asked++ === 0 ? credential('token-1', 10_000) : new Promise(() => {})),
      nowMs: () => clock.nowMs,
    })
    const host = await nodeHost(url, { tokenSource: source })
    await send(host, kickoff())
    accepts.token = event === 'its refusal' ? 'token-2' : accepts.token
    clock.nowMs = event === 'its refusal' ? 5_000 : 20_000
    const answers: Answer[] = []
    const limits = { timeoutMicros: 5 * MICROS_PER_SECOND, maxBytes: 1_000 }
    const cancel = host.send(kickoff(), limits, (answer) => answers.push(answer))
    await expect.poll(() => asked).toBe(2)
    cancel()
    await expect.poll(() => answers).toHaveLength(1)
  },
)

test('a header of another name is sent as the source says', async () => {
  const received: unknown[] = []
  await using target = await startedStub((request, response) => {
    received.push([request.headers['x-api-key'], request.headers.authorization])
    response.end('{}')
  })
  const key = { header: 'x-api-key', value: 'key-4711', secret: 'key-4711', lifetimeMs: null }
  const source = await TokenSource.open({ obtain: async () => key })
  await send(await nodeHost(target.url, { tokenSource: source }), kickoff())
  expect(received).toEqual([['key-4711', undefined]])
})
