/** The object that `startFakeCrew` returns, as a client's test uses it. */
import { describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../fake-crew/index.ts'
import { UserError, parseProfile, startFakeCrew } from '../../fake-crew/index.ts'
import { ask, kickoff } from './live-client.ts'
import { SAMPLE } from './sample-profile.ts'

async function inputs(crew: FakeCrew): Promise<number> {
  return (await ask(crew, '/inputs')).status
}

describe('ended', () => {
  test('waits for one execution or for all, on a manual clock', async () => {
    await using crew = await startFakeCrew({ profile: SAMPLE, clock: 'manual' })
    const all = crew.ended()
    const first = await kickoff(crew)
    const one = crew.ended(first)
    await crew.advance('1s')
    const second = await kickoff(crew)
    await crew.advance('2s')
    expect(await one).toMatchObject({ kickoff_id: first, ended_ms: 3_000, outcome: 'completed' })
    await crew.advance('1s')
    expect(await all).toMatchObject([{ kickoff_id: first }, { kickoff_id: second }])
    await expect(crew.ended('nobody')).rejects.toThrow('no execution has this id')
  })

  test('and on the real one, also for what is lost', async () => {
    await using crew = await startFakeCrew({ profile: SAMPLE, speed: 100 })
    const { outcome } = await crew.ended(await kickoff(crew))
    crew.script({ tasks: { writing: { duration: '1h' } } })
    const lost = crew.ended(await kickoff(crew))
    crew.fault({ restart: { loses: 'running' } })
    expect([outcome, (await lost).outcome]).toEqual(['completed', 'lost'])
  })

  test('is rejected when the crew stops', async () => {
    const crew = await startFakeCrew({ profile: { ...SAMPLE, stuck: 1 } })
    const waiting = crew.ended(await kickoff(crew))
    await Promise.all([expect(waiting).rejects.toThrow('was stopped'), crew.stop()])
    await expect(crew.ended()).rejects.toThrow('was stopped')
  })

  test('needs no advance for what ends while time stands still', async () => {
    await using crew = await startFakeCrew({ profile: SAMPLE, clock: 'manual' })
    const lost = crew.ended(await kickoff(crew))
    crew.fault({ restart: { loses: 'running' } })
    expect(await lost).toMatchObject({ outcome: 'lost' })
    // Another crew: the restart cuts the connection that a client has kept.
    await using other = await startFakeCrew({ profile: SAMPLE, clock: 'manual' })
    const forgotten = other.ended(await kickoff(other))
    other.reset()
    await expect(forgotten).rejects.toThrow('no execution has this id')
  })
})

test('a fault ends by its handle, with its block, or with all others; a reset brings back those of the profile', async () => {
  const faults = [{ name: 'down', status: { code: 500 } }]
  await using crew = await startFakeCrew({ profile: { ...SAMPLE, faults } })
  expect(await inputs(crew)).toBe(500)
  crew.clear()
  expect(await inputs(crew)).toBe(200)
  {
    using first = crew.fault({ status: { code: 502 } })
    const second = crew.fault({ name: first.name, status: { code: 504 } })
    expect([first.name, second.name, await inputs(crew)]).toEqual(['status', 'status 2', 502])
    second.end()
  }
  expect(await inputs(crew)).toBe(200)
  crew.reset()
  expect(await inputs(crew)).toBe(500)
  expect(() => crew.fault({ status: { code: 5 }, chance: 7 })).toThrow(
    /fault \[0\]\.status\.code: .*\n.*fault \[0\]\.chance/,
  )
})

test('a profile may be a name, a text, or what stands in it; all mistakes are told at once', async () => {
  const text = 'inputs: [city]\ntasks: [{ id: a, agent: A, duration: 1s }]\n'
  const task = { id: 'a', agent: 'A', duration: '1s' }
  const value = { inputs: ['city'], tasks: [task] }
  const line = 'tasks: [{ id: a, agent: A, duration: 1s }]'
  for (const each of [text, `{ inputs: [city], ${line} }`, JSON.stringify(value)]) {
    expect(parseProfile(each)).toMatchObject(value)
  }
  expect(parseProfile(line)).toMatchObject({ tasks: [task] })
  expect(parseProfile(value)).toEqual(value)
  expect(parseProfile('fast')).toMatchObject({ name: 'fast' })
  await using crew = await startFakeCrew({ profile: text })
  expect(await inputs(crew)).toBe(200)
  const wrong = (): unknown => parseProfile({ tasks: [{ ...task, duration: 'soon' }], stuck: 9 })
  expect(wrong).toThrow(UserError)
  expect(wrong).toThrow(/profile tasks\[0\]\.duration: [^]*profile stuck: /)
})
