/** Assertions on a client: each accepts one that behaves, and says what another one did. */
import { crewMatchers, expectCrew } from 'crewload/vitest'
import { describe, expect, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../fake-crew/index.ts'
import type { Place } from './live-client.ts'
import { ask, kickoff, started } from './live-client.ts'
import { SAMPLE } from './sample-profile.ts'

expect.extend(crewMatchers)

/** Its executions take 3 s. */
async function start(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  return started({ clock: 'manual', idSeed: 7, ...options })
}

/** Polls after each of these times. */
async function poll(crew: FakeCrew, id: string, durations: readonly string[]): Promise<void> {
  for (const duration of durations) {
    await crew.advance(duration)
    await ask(crew, `/status/${id}`)
      .then(async (answer) => answer.text())
      .catch(() => null)
  }
}

/** A kickoff with a correlation and an input of its own. */
async function kickoffOf(place: Place, run: number): Promise<void> {
  const body = JSON.stringify({ inputs: { topic: `bees ${run}`, audience: 'x' } })
  await ask(place, '/kickoff', { body, headers: { 'x-correlation-id': `run/${run}` } })
}

/** The first line of the message. */
function wordsOf(assertion: () => void): string {
  try {
    assertion()
  } catch (error) {
    return (error as Error).message.split('\n', 1)[0]!
  }
  return 'it holds'
}

test('kicked off once: retries after a refusal are none, and inputs tell executions apart', async () => {
  const crew = await start()
  crew.fault({ status: { code: 503 }, operations: ['kickoff'], first: 1 })
  await kickoff(crew)
  expect(wordsOf(() => expect(crew).toHaveKickedOffOnce())).toBe(
    'The client started 0 executions, not one.',
  )
  await kickoff(crew)
  expect(crew).toHaveKickedOffOnce()
  await kickoff(crew, 'bees')
  expect(crew).toHaveKickedOffOnce({ topic: 'bees' })
  expect(crew).not.toHaveKickedOffOnce()
  await ask(crew, '/kickoff', { body: '{"inputs": {"topic": {"of": ["a"]}, "audience": "x"}}' })
  expect(crew).toHaveKickedOffOnce({ topic: { of: ['a'] } })
  expect(wordsOf(() => expect(crew).toHaveKickedOffOnce({ topic: { of: ['b'] } }))).toBe(
    'The client started 3 executions, none with these inputs.',
  )
})

test('a kickoff whose answer never arrives has started an execution', async () => {
  const crew = await start()
  crew.fault({ reset: { at: 'before' }, operations: ['kickoff'], first: 1 })
  await kickoff(crew).catch(() => null)
  expect(crew).toHaveKickedOffOnce()
  await kickoff(crew)
  expect(crew).not.toHaveKickedOffOnce()
})

test('polled at most so often, each execution alone', async () => {
  const crew = await start()
  const [first, second] = [await kickoff(crew), await kickoff(crew)]
  await poll(crew, first, ['1s', '1s'])
  await poll(crew, second, ['1s', '1s', '1s'])
  expect(crew).toHavePolledAtMost(3)
  expect(wordsOf(() => expect(crew).toHavePolledAtMost(2))).toMatch(
    /^The client polled [\da-f]{8}… 3 times, not 2 at most\.$/,
  )
})

test('never sooner than the interval: to the millisecond on a manual clock', async () => {
  const crew = await start()
  await poll(crew, await kickoff(crew), ['2s', '1s', '2s'])
  expect(crew).toHavePolledNoSoonerThan('1s')
  expect(wordsOf(() => expect(crew).toHavePolledNoSoonerThan('1001ms'))).toBe(
    'The client polled 1.00 ms sooner than 1001ms after the poll before.',
  )
  expect(crew).toHavePolledNoSoonerThan('1001ms', { tolerance: '1ms' })
  expect(() => expect(crew).toHavePolledNoSoonerThan('soon')).toThrow('expected a duration')
})

test('never sooner than the interval: the first poll after the answer to its kickoff', async () => {
  const crew = await start()
  crew.fault({ latency: '2s', operations: ['kickoff'] })
  const answer = kickoff(crew)
  await expect.poll(() => crew.requests().length).toBe(1)
  await crew.advance('2s')
  await poll(crew, await answer, ['999ms'])
  expect(crew).toHavePolledNoSoonerThan('999ms')
  expect(wordsOf(() => expect(crew).toHavePolledNoSoonerThan('1s'))).toBe(
    'The client polled 1.00 ms sooner than 1s after the kickoff.',
  )
})

test('on the real clock a timer may be early by a little', async () => {
  const crew = await start({ clock: 'real' })
  const path = `/status/${await kickoff(crew)}`
  await ask(crew, path)
  const beganMs = performance.now()
  await ask(crew, path)
  const gapMs = performance.now() - beganMs
  expect(crew).toHavePolledNoSoonerThan('15ms')
  expect(crew).not.toHavePolledNoSoonerThan(`${Math.ceil(gapMs) + 60}ms`)
})

describe('never after the end', () => {
  test('that an answer told', async () => {
    const crew = await start()
    const id = await kickoff(crew)
    await poll(crew, id, ['1s', '2s'])
    expect(crew).toHaveStoppedPollingAtTheEnd()
    await poll(crew, id, ['1s', '1s'])
    expect(wordsOf(() => expect(crew).toHaveStoppedPollingAtTheEnd())).toMatch(
      /^The client polled [\da-f]{8}… 2 times after an answer with its end\.$/,
    )
  })

  test.each([
    ['replaced', { status: { code: 503 } }],
    ['changed', { malformed: {} }],
    ['cut', { truncate: {} }],
    ['lost', { reset: { at: 'before' as const } }],
  ])('an answer that was %s tells nothing', async (_, fault) => {
    const crew = await start()
    const id = await kickoff(crew)
    crew.fault({ ...fault, operations: ['status'], first: 1 })
    await poll(crew, id, ['3s', '1s'])
    expect(crew).toHaveStoppedPollingAtTheEnd()
    await poll(crew, id, ['1s'])
    expect(crew).not.toHaveStoppedPollingAtTheEnd()
  })

  test('a slow answer tells it as well, once it is there', async () => {
    const crew = await start()
    const id = await kickoff(crew)
    crew.fault({ latency: '2s', operations: ['status'] })
    await crew.advance('3s')
    const slow = poll(crew, id, ['0s'])
    await expect.poll(() => crew.requests().length).toBe(2)
    const meanwhile = poll(crew, id, ['1s'])
    await expect.poll(() => crew.requests().length).toBe(3)
    await crew.advance('9s')
    await Promise.all([slow, meanwhile])
    expect(crew).toHaveStoppedPollingAtTheEnd()
  })
})

describe('waited for every Retry-After', () => {
  const asked = { code: 429, headers: { 'retry-after': '7' } }

  test('of a kickoff', async () => {
    const crew = await start()
    crew.fault({ status: asked, operations: ['kickoff'], first: 2 })
    await kickoff(crew)
    await kickoff(crew, 'bees')
    await crew.advance('7s')
    await kickoff(crew)
    expect(crew).toHaveWaitedForRetryAfter()
    crew.reset()
    crew.fault({ status: asked, operations: ['kickoff'], first: 1 })
    await kickoff(crew)
    await crew.advance('6999ms')
    await kickoff(crew)
    expect(wordsOf(() => expect(crew).toHaveWaitedForRetryAfter())).toBe(
      'The client sent a request 1.00 ms before the 7.00 s of Retry-After were over.',
    )
  })

  test('of a kickoff, though its retry has another correlation or another input', async () => {
    const crew = await start()
    const [one, other] = [crew.forTest('one'), crew.forTest('other')]
    one.fault({ status: asked, operations: ['kickoff'], first: 1 })
    await kickoffOf(one, 1)
    await kickoffOf(other, 2)
    expect(crew).toHaveWaitedForRetryAfter()
    await kickoffOf(one, 3)
    expect(crew).not.toHaveWaitedForRetryAfter()
    await crew.advance('7s')
    await kickoffOf(one, 1)
    expect(crew).toHaveWaitedForRetryAfter()
  })

  test.each([
    ['to poll first', { kickoff: '5s' }, ['5s', '0s']],
    ['to poll again', { status: '1s' }, ['0s', '1s']],
  ])('of an accepted kickoff and of a poll: %s', async (_, retryAfter, durations) => {
    const crew = await start({ profile: { ...SAMPLE, scripts: [{ retryAfter }] } })
    await poll(crew, await kickoff(crew), durations)
    expect(crew).toHaveWaitedForRetryAfter()
    await poll(crew, await kickoff(crew), ['0s', '0s'])
    expect(crew).not.toHaveWaitedForRetryAfter()
  })

  test('that is a date', async () => {
    const window = { limit: 1, window: '1h', from: 'first hit' as const }
    const rule = { name: 'polls', operations: ['status' as const], fixedWindow: window }
    const rules = [{ ...rule, refusal: { retryAfter: 'date' as const } }]
    const crew = await start({ profile: { ...SAMPLE, limits: { rules } } })
    const id = await kickoff(crew)
    await poll(crew, id, ['0s', '10m', '51m'])
    expect(crew).toHaveWaitedForRetryAfter()
    await poll(crew, id, ['10m', '10m'])
    expect(crew).not.toHaveWaitedForRetryAfter()
  })
})

test('nothing after it gave up: by a time since the kickoff, or by the clock', async () => {
  const crew = await start()
  await crew.advance('5s')
  await poll(crew, await kickoff(crew), ['20s'])
  const gaveUpMs = crew.clock().now_ms
  expect(crew).toHaveSentNothingAfter('20s')
  expect(crew).toHaveSentNothingAfter(gaveUpMs)
  await kickoff(crew)
  expect(crew).toHaveSentNothingAfter(gaveUpMs)
  await crew.advance('1ms')
  await kickoff(crew)
  const told = "The client sent 1 request after 25.0 s of the crew's clock."
  expect(wordsOf(() => expect(crew).toHaveSentNothingAfter('20s'))).toBe(told)
  expect(wordsOf(() => expect(crew).toHaveSentNothingAfter(gaveUpMs))).toBe(told)
})

test('a crew without requests, or without all of them, proves nothing', async () => {
  const crew = await start()
  expect(wordsOf(() => expect(crew).toHavePolledAtMost(1))).toBe('The client sent no request.')
  await ask(crew, '/nonsense')
  expect(wordsOf(() => expect(crew).toHaveStoppedPollingAtTheEnd())).toBe(
    'The client sent no request of the interface.',
  )
  await ask(crew, '/inputs')
  expect(wordsOf(() => expect(crew).toHaveSentNothingAfter('1s'))).toBe(
    'The client made no kickoff.',
  )
  await kickoff(crew)
  const forgetful = { ...crew, requestsDropped: 3 }
  expect(wordsOf(() => expect(forgetful).toHaveKickedOffOnce())).toBe(
    'The first 3 requests are no longer kept.',
  )
})

test('what is no argument is refused', async () => {
  const crew = await start()
  await poll(crew, await kickoff(crew), ['1s', '1s'])
  const wrong = expectCrew(crew) as unknown as Record<string, (value?: unknown) => void>
  expect(() => wrong['toHavePolledAtMost']!()).toThrow('assertion most: expected a number')
  const words = /^assertion (interval|when): expected a duration like .*$/
  expect(() => wrong['toHavePolledNoSoonerThan']!(1_000)).toThrow(words)
  expect(() => wrong['toHaveSentNothingAfter']!()).toThrow(words)
})

test('what fails prints the timeline, with the requests at fault marked; functions do the same', async () => {
  const crew = await start()
  crew.fault({ status: { code: 503, headers: { 'retry-after': '2' } }, first: 1 })
  await kickoff(crew)
  const id = await kickoff(crew)
  crew.fault({ empty: {}, operations: ['status'], nth: 2, first: 2 })
  await poll(crew, id, [...Array<string>(11).fill('100ms'), '3s', '1s', '1s'])
  const told: string[] = []
  for (const assert of [
    () => expect(crew).toHaveStoppedPollingAtTheEnd(),
    () => expectCrew(crew).toHaveStoppedPollingAtTheEnd(),
  ]) {
    try {
      assert()
    } catch (error) {
      told.push((error as Error).message)
    }
  }
  expect(told[0]).toBe(told[1])
  expect(told[0]).toMatchInlineSnapshot(`
    "The client polled aed0d5d7… 2 times after an answer with its end.

          0.000 s  POST /kickoff -> 503, Retry-After 2, fault status
          0.000 s  POST /kickoff -> 200, starts aed0d5d7…
          0.100 s  GET /status/aed0d5d7… -> 200 running
                 … 9 more
          1.100 s  GET /status/aed0d5d7… -> 200 running
          3.000 s  aed0d5d7… ends: completed
          4.100 s  GET /status/aed0d5d7… -> 200 completed
    >     5.100 s  GET /status/aed0d5d7… -> 200 completed
    >     6.100 s  GET /status/aed0d5d7… -> 200 completed"
  `)
})
