/** A token that is asked for: when, by how many, and what a request gets that it is refused. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
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
  const budget = new SendingBudget({ kickoffs: null, requests: 0 })
  const host = await nodeHost(url, { tokenSource: source, budget })
  await send(host, kickoff())
  accepts.token = 'token-2'
  clock.nowMs = 5_000
  expect(await send(host, kickoff())).toMatchObject({ status: 401 })
  expect(seen).toHaveLength(2)
})

/**
 * A host whose source waits for its second token until `answer` is called. The token has ended, or
 * the target refuses it from now on.
 */
async function waiting(event: (typeof EVENTS)[number], patience: { patienceMs?: number } = {}) {
  const { url, accepts, seen } = await pickyTarget()
  const clock = { nowMs: 0 }
  const asked: AbortSignal[] = []
  const notes: string[] = []
  const pending: ((next: Promise<Credential>) => void)[] = []
  const source = await TokenSource.open({
    obtain: async (signal) => {
      if (asked.push(signal) === 1) return credential('token-1', 10_000)
      return new Promise((resolve) => pending.push(resolve))
    },
    nowMs: () => clock.nowMs,
    onNote: (note) => notes.push(note),
    ...patience,
  })
  const host = await nodeHost(url, { tokenSource: source })
  await send(host, kickoff())
  accepts.token = event === 'its refusal' ? 'token-2' : accepts.token
  clock.nowMs = event === 'its refusal' ? 5_000 : 20_000
  const again = async (next: Promise<Credential>): Promise<void> => {
    pending.at(-1)?.(next)
    await setImmediate()
  }
  return { url, host, source, accepts, seen, clock, asked, notes, answer: again }
}

const EVENTS = ['the end of the token', 'its refusal'] as const
const TOKEN_2 = credential('token-2', null)

test.each(EVENTS)(
  'a request that is cancelled while it waits after %s is not sent, and answered at once',
  async (event) => {
    const { host, seen, asked, answer } = await waiting(event)
    const answers: Answer[] = []
    const limits = { timeoutMicros: 5 * MICROS_PER_SECOND, maxBytes: 1_000 }
    const cancel = host.send(kickoff(), limits, (each) => answers.push(each))
    await expect.poll(() => asked).toHaveLength(2)
    const sent = seen.length
    expect(cancel()).toBe(false)
    await answer(Promise.resolve(TOKEN_2))
    await send(host, kickoff())
    expect(answers).toMatchObject([{ kind: 'failure', class: 'cancelled', written: false }])
    expect(seen).toHaveLength(sent + 1)
  },
)

const TOO_LATE = {
  kind: 'failure',
  class: 'timeout',
  detail: 'still waiting for a token after 200 ms',
  written: false,
}

test.each([
  ['the end of the token', TOO_LATE],
  ['its refusal', { kind: 'answer', status: 401 }],
] as const)('no request waits for a token after %s beyond its limit', async (event, expected) => {
  const { host } = await waiting(event)
  const answer = await send(host, kickoff(), 200)
  expect(answer).toMatchObject(expected)
  const { releasedMicros, sentMicros, doneMicros } = answer.timing
  expect(doneMicros - releasedMicros).toBeGreaterThanOrEqual(200_000)
  expect(doneMicros - (sentMicros ?? doneMicros)).toBeLessThan(150_000)
})

test.each(EVENTS)(
  'an issuer that hangs after %s leaves the refusal of the target',
  async (event) => {
    const { host, seen, accepts, answer } = await waiting(event, { patienceMs: 100 })
    accepts.token = 'token-2'
    for (let i = 0; i < 2; i++) expect(await send(host, kickoff())).toMatchObject({ status: 401 })
    expect(new Set(seen)).toEqual(new Set(['Bearer token-1']))
    await answer(Promise.resolve(TOKEN_2))
    expect(await send(host, kickoff())).toMatchObject({ status: 200 })
  },
)

test.each(EVENTS)('the wait for a token after %s is nobody else’s', async (event) => {
  const { host, asked, answer, accepts } = await waiting(event)
  const fromMicros = host.now()
  const given = send(host, kickoff())
  const untilMicros = host.now()
  await expect.poll(() => asked).toHaveLength(2)
  accepts.token = 'token-2'
  const answeredMicros = host.now()
  await answer(Promise.resolve(TOKEN_2))
  const { timing, ...rest } = await given
  expect(rest).toMatchObject({ status: 200 })
  expect(timing.releasedMicros).toBeGreaterThanOrEqual(fromMicros)
  expect(timing.releasedMicros).toBeLessThanOrEqual(untilMicros)
  expect(timing.sentMicros).toBeGreaterThanOrEqual(answeredMicros)
})

test.each(EVENTS)('after a failed asking nobody waits for the next after %s', async (event) => {
  const { host, asked, answer, clock, seen, accepts } = await waiting(event)
  const status = event === 'its refusal' ? 401 : 200
  const first = send(host, kickoff())
  await expect.poll(() => asked).toHaveLength(2)
  await answer(Promise.reject(new Error('away')))
  expect(await first).toMatchObject({ status })
  clock.nowMs += 2_000
  expect(await send(host, kickoff())).toMatchObject({ status })
  expect(asked).toHaveLength(3)
  expect(new Set(seen)).toEqual(new Set(['Bearer token-1']))
  accepts.token = 'token-2'
  await answer(Promise.resolve(TOKEN_2))
  expect(await send(host, kickoff())).toMatchObject({ status: 200 })
})

test('a token is renewed by a timer while a host uses it, without a request', async () => {
  const { source, clock, issuer } = await issued(100_000)
  clock.nowMs = 80_000
  await setTimeout(20)
  expect(issuer.asked).toBe(1)
  const host = await nodeHost('http://127.0.0.1:1', { tokenSource: source })
  await expect.poll(() => source.current.value).toBe('Bearer token-2')
  await host.close()
  clock.nowMs = 180_000
  await setTimeout(20)
  expect(issuer.asked).toBe(2)
})

test('the asking ends with the last host, which answers who waits; the next may ask', async () => {
  const { host, url, source, asked, answer } = await waiting('the end of the token')
  const other = await nodeHost(url, { tokenSource: source })
  const waits = [send(host, kickoff()), send(other, kickoff())]
  await host.close()
  expect(await waits[0]).toMatchObject({ class: 'cancelled' })
  expect(asked[1]?.aborted).toBe(false)
  await other.close()
  expect(await waits[1]).toMatchObject({ class: 'cancelled' })
  expect(asked[1]?.aborted).toBe(true)
  const next = await nodeHost(url, { tokenSource: source })
  const given = send(next, kickoff())
  await expect.poll(() => asked).toHaveLength(3)
  await answer(Promise.resolve(credential('token-1', null)))
  expect(await given).toMatchObject({ status: 200 })
})

test('a new credential that HTTP cannot carry leaves the old one in force', async () => {
  const { host, notes, answer, asked } = await waiting('the end of the token')
  const given = send(host, kickoff())
  await expect.poll(() => asked).toHaveLength(2)
  await answer(Promise.resolve({ header: 'host', value: 'x', secret: 'x', lifetimeMs: null }))
  expect(await given).toMatchObject({ status: 200 })
  expect(notes).toEqual([expect.stringContaining('HTTP itself sets this header')])
})

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
