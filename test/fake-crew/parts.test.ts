/** Scripts said while the crew runs, and tests that share one crew: each has its own part of it. */
import { crewMatchers } from 'crewload/vitest'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../fake-crew/index.ts'
import { startFakeProxy } from '../../fake-crew/index.ts'
import { ask, kickoff, started } from './live-client.ts'
import { SAMPLE } from './sample-profile.ts'

expect.extend(crewMatchers)

/** Its executions take 1 s and 2 s. */
async function start(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  return started({ clock: 'manual', ...options })
}

/** In seconds. */
function tookOf(crew: Pick<FakeCrew, 'ledger'>): (number | null)[] {
  return crew
    .ledger()
    .map(({ accepted_ms: from, ended_ms: to }) => (to === null ? null : (to - from) / 1_000))
}

async function control(
  { url }: Pick<FakeCrew, 'url'>,
  [method, path]: [string, string],
  { body, test }: { body?: string; test?: string } = {},
): Promise<{ status: number; said: unknown }> {
  const headers = test === undefined ? {} : { 'x-crewload-test': test }
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const answer = await fetch(`${url}/__fake__/${path}`, init)
  const text = await answer.text()
  const lines = text.split('\n').filter((line) => line !== '')
  return { status: answer.status, said: lines.map((line) => JSON.parse(line) as unknown) }
}

describe('a script', () => {
  test('goes before all that were there, and ends by its handle or its block', async () => {
    const scripts = [{ tasks: { writing: { duration: '10s' } } }]
    const crew = await start({ profile: { ...SAMPLE, scripts } })
    const first = crew.script({ tasks: { writing: { duration: '20s' } } })
    {
      using second = crew.script({ when: { input: { topic: 'bees' } }, outcome: 'stuck' })
      expect([first.name, second.name]).toEqual(['script 2', 'script 3'])
      await kickoff(crew, 'bees')
      await kickoff(crew)
    }
    await kickoff(crew, 'bees')
    first.end()
    first.end()
    await kickoff(crew)
    await crew.advance('1m')
    expect(tookOf(crew)).toEqual([null, 21, 21, 11])
  })

  test('a handle from before a reset ends nothing after it', async () => {
    const crew = await start()
    const before = crew.script({ outcome: 'stuck' })
    crew.reset()
    crew.script({ tasks: { writing: { duration: '7s' } } })
    before.end()
    await kickoff(crew)
    await crew.advance('1m')
    expect(tookOf(crew)).toEqual([8])
  })

  test('is divided by the speed, as those of the profile', async () => {
    const crew = await start({ speed: 2 })
    crew.script({ tasks: { writing: { duration: '9s' } } })
    await kickoff(crew)
    await crew.advance('1m')
    expect(tookOf(crew)).toEqual([5])
  })

  test('every mistake is reported at once, and nothing changes', async () => {
    const crew = await start()
    const wrong = { tasks: { wrting: { duration: 'soon' } }, retryAfter: { kickoff: '1.5s' } }
    const words = [
      'script tasks.wrting.duration: expected a duration',
      'script tasks.wrting: expected the id of a task: research, writing',
      'script retryAfter.kickoff: expected whole seconds',
    ]
    for (const each of words) expect(() => crew.script(wrong)).toThrow(each)
    expect(await control(crew, ['GET', 'scripts'])).toMatchObject({ said: [{ scripts: [] }] })
  })

  test('over HTTP: one or several, by name; a proxy has none', async () => {
    const crew = await start()
    const body = '[{ name: slow, tasks: { writing: { duration: 9s } } }, { outcome: stuck }]'
    const entries = [
      { name: 'slow', test: null },
      { name: 'script', test: null },
    ]
    const added = await control(crew, ['POST', 'scripts'], { body })
    expect(added).toEqual({ status: 201, said: [{ scripts: entries }] })
    expect(await control(crew, ['GET', 'scripts'])).toMatchObject({ said: [{ scripts: entries }] })
    expect(await control(crew, ['DELETE', 'scripts/slow'])).toMatchObject({ status: 204 })
    expect(await control(crew, ['DELETE', 'scripts/slow'])).toMatchObject({ status: 404 })
    expect(await control(crew, ['DELETE', 'scripts'])).toMatchObject({ status: 204 })
    await kickoff(crew)
    await crew.advance('1m')
    expect(tookOf(crew)).toEqual([3])
    const wrong = await control(crew, ['POST', 'scripts'], { body: '{ outcome: maybe }' })
    expect(wrong).toMatchObject({
      status: 422,
      said: [{ message: expect.stringMatching(/1:3 outcome/) }],
    })
    const scripted = { ...SAMPLE, scripts: [{ outcome: 'stuck' as const }] }
    await expect(startFakeProxy({ target: crew.url, profile: scripted })).rejects.toThrow(
      'proxy scripts: not available in proxy mode',
    )
    const proxy = await startFakeProxy({ target: crew.url, profile: 'fast' })
    onTestFinished(async () => proxy.stop())
    expect(await control(proxy, ['GET', 'scripts'])).toMatchObject({ status: 422 })
  })
})

describe('tests that share a crew', () => {
  test('have their own scripts, faults, requests, ledger and assertions', async () => {
    const crew = await start()
    const [one, two] = [crew.forTest('one'), crew.forTest('two')]
    one.script({ when: { ordinal: 0 }, tasks: { writing: { duration: '30s' } } })
    two.fault({ status: { code: 503 }, operations: ['kickoff'], only: 2 })
    await kickoff(crew)
    await kickoff(two)
    await kickoff(one)
    const statuses = [
      (await ask(two, '/kickoff', { body: '{}' })).status,
      (await ask(one, '/inputs')).status,
    ]
    expect(statuses).toEqual([503, 200])
    await crew.advance('1m')
    expect([tookOf(one), tookOf(two), tookOf(crew)]).toEqual([[31], [3], [3, 3, 31]])
    expect(one).toHaveKickedOffOnce()
    expect(crew).not.toHaveKickedOffOnce()
    expect(two.requests().map(({ status }) => status)).toEqual([200, 503])
    expect(two.requests({ status: 503 })).toHaveLength(1)
    expect(crew.requests()).toHaveLength(5)
  })

  test('a poll without the header belongs to the test of its execution', async () => {
    const crew = await start()
    const one = crew.forTest('one')
    const id = await kickoff(one)
    one.fault({ status: { code: 500 }, operations: ['status'] })
    const { url, token } = one
    expect((await ask({ url, token }, `/status/${id}`)).status).toBe(500)
    expect((await ask({ url, token }, `/status/${await kickoff(crew)}`)).status).toBe(200)
    expect(one.requests({ operation: 'status' })).toMatchObject([{ kickoff_id: id, test: 'one' }])
  })

  test('one ends, and leaves the others what they have', async () => {
    const crew = await start()
    const two = crew.forTest('two')
    {
      using one = crew.forTest('one')
      for (const each of [one, two]) {
        each.script({ tasks: { writing: { duration: '30s' } } })
        each.fault({ status: { code: 500 }, operations: ['status'] })
        await kickoff(each)
      }
    }
    const again = crew.forTest('one')
    expect([again.requests(), again.ledger()]).toEqual([[], []])
    expect([two.requests().length, two.ledger().length]).toEqual([1, 1])
    again.script({ when: { ordinal: 0 }, tasks: { writing: { duration: '5s' } } })
    await kickoff(again)
    await kickoff(two)
    await crew.advance('1m')
    expect([tookOf(again), tookOf(two)]).toEqual([[6], [31, 31]])
    expect((await ask(again, `/status/${again.ledger()[0]!.kickoff_id}`)).status).toBe(200)
    expect((await ask(two, `/status/${two.ledger()[0]!.kickoff_id}`)).status).toBe(500)
  })

  test('what strikes connections, nobody has alone; a name must fit into a header', async () => {
    const crew = await start()
    expect(() => crew.forTest('one').fault({ restart: { loses: 'all' } })).toThrow(
      'restart strikes connections, which all tests share',
    )
    for (const name of ['', ' a', 'ä', 'a\nb']) {
      expect(() => crew.forTest(name)).toThrow('expected a name of printable ASCII')
    }
  })

  test('over HTTP, by the header of the control request', async () => {
    const crew = await start()
    const test = 'from python'
    const place = { ...crew, headers: { 'x-crewload-test': test } }
    await control(crew, ['POST', 'scripts'], { test, body: 'outcome: stuck' })
    await control(crew, ['POST', 'faults'], { test, body: 'status: { code: 500 }\nonly: 2' })
    await kickoff(place)
    await kickoff(crew)
    const seen = async (path: string, of?: string): Promise<number> => {
      const { said } = await control(crew, ['GET', path], of === undefined ? {} : { test: of })
      return (said as unknown[]).length
    }
    expect([await seen('requests'), await seen('requests', test)]).toEqual([2, 1])
    expect([await seen('ledger'), await seen('ledger', test), await seen('ledger', 'x')]).toEqual([
      2, 1, 0,
    ])
    expect((await ask(place, '/inputs')).status).toBe(500)
    expect(await control(crew, ['DELETE', 'faults'], { test: 'x' })).toMatchObject({ status: 204 })
    expect(await control(crew, ['GET', 'faults'])).toMatchObject({ said: [{ faults: [{}] }] })
    expect(await control(crew, ['POST', 'reset'], { test })).toMatchObject({ status: 204 })
    expect(await control(crew, ['GET', 'faults'])).toMatchObject({ said: [{ faults: [] }] })
    expect([await seen('requests'), await seen('requests', test)]).toEqual([1, 0])
    await crew.advance('1m')
    expect(tookOf(crew)).toEqual([null, 3])
  })
})
