/** The profile that the control tells can be given back to it, changed or not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import {
  checkProfile,
  listProfiles,
  loadProfile,
  parseProfile,
} from '../../../fake-crew/profiles.ts'

let crew: FakeCrew

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'chaos' })
})

afterAll(async () => crew.stop())

async function get(): Promise<Record<string, unknown>> {
  const answer = await fetch(`${crew.url}/__fake__/profile`)
  return (await answer.json()) as Record<string, unknown>
}

async function put(profile: unknown): Promise<Response> {
  const body = JSON.stringify(profile)
  return fetch(`${crew.url}/__fake__/profile`, { method: 'PUT', body })
}

describe('the profile that GET gives', () => {
  test('is taken by PUT, and is the same again', async () => {
    const told = await get()
    const answer = await put(told)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(told)
    expect(await get()).toEqual(told)
  })

  test('counts with what was changed in it', async () => {
    const told = await get()
    await put({ ...told, name: 'changed', stuckChance: 0.5 })
    expect(await get()).toEqual({ ...told, name: 'changed', stuckChance: 0.5 })
  })

  test('is refused with every mistake, at its place, and changes nothing', async () => {
    const told = await get()
    const capacity = { workers: 0, queueLmit: 3 }
    const answer = await put({ ...told, stuckChance: 2, capacity })
    expect(answer.status).toBe(422)
    const { message } = (await answer.json()) as { message: string }
    expect(message).toMatch(
      /^profile:1:\d+ stuckChance: expected a share from 0 to 1 \(found 2\)$/m,
    )
    expect(message).toMatch(/capacity\.workers: expected a whole number from 1/)
    expect(message).toMatch(/capacity\.queueLmit: unknown key; .*did you mean "queueLimit"/)
    expect(await get()).toEqual(told)
  })
})

test.each(listProfiles())('%s is right in its complete form, as told in JSON too', (name) => {
  const profile = loadProfile(name)
  checkProfile(profile, name)
  expect(parseProfile(JSON.stringify(profile), 'told')).toEqual(profile)
})
