/** The profile at the control: what is read can be given back, changed or not. */
import { afterEach, expect, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'

let crew: FakeCrew

afterEach(async () => crew.stop())

async function start(options: FakeCrewOptions): Promise<Record<string, unknown>> {
  crew = await startFakeCrew(options)
  return get()
}

async function get(): Promise<Record<string, unknown>> {
  const answer = await fetch(`${crew.url}/__fake__/profile`)
  return (await answer.json()) as Record<string, unknown>
}

async function put(profile: object): Promise<Response> {
  const body = JSON.stringify(profile)
  return fetch(`${crew.url}/__fake__/profile`, { method: 'PUT', body })
}

test('PUT takes what GET gives, and it is the same again', async () => {
  const told = await start({ profile: 'chaos' })
  expect(told).toMatchObject({ name: 'chaos', inputs: ['topic', 'audience'] })
  const answer = await put(told)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual(told)
  await put({ ...told, name: 'changed', stuck: 0.5 })
  expect(await get()).toEqual({ ...told, name: 'changed', stuck: 0.5 })
})

test('PUT refuses every mistake, at its place, and changes nothing', async () => {
  const told = await start({ profile: 'chaos' })
  const answer = await put({ ...told, stuck: 2, capacity: { workers: 0, queueLmit: 3 } })
  expect(answer.status).toBe(422)
  const { message } = (await answer.json()) as { message: string }
  expect(message).toMatch(/^profile:1:\d+ stuck: expected a share from 0 to 1.*\(found 2\)$/m)
  expect(message).toMatch(/capacity\.workers: expected a whole number from 1/)
  expect(message).toMatch(/capacity\.queueLmit: unknown key; .*did you mean "queueLimit"/)
  expect(await get()).toEqual(told)
})

test('dialect, speed and seed given at the start outlast another profile', async () => {
  const asked = { dialect: 'platform', speed: 5, seed: 9 } as const
  expect(await start({ profile: 'fast', ...asked })).toMatchObject(asked)
  const tasks = [{ id: 'a', agent: 'A', duration: '1s' }]
  const answer = await put({ name: 'other', inputs: ['city'], speed: 3, tasks })
  expect(await answer.json()).toEqual({ name: 'other', inputs: ['city'], tasks, ...asked })
})
