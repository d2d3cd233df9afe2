/** An old client may still poll what another crew, or the same before a reset, has started. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FakeCrewOptions } from '../../../fake-crew/index.ts'
import { ask, kickoff, started } from '../live-client.ts'

/** The first ids of a crew, of the same one after a reset, and after another profile. */
async function firstIds(options: FakeCrewOptions): Promise<string[]> {
  const crew = await started({ profile: 'fast', seed: 5, ...options })
  const ids = [await kickoff(crew)]
  await fetch(`${crew.url}/__fake__/reset`, { method: 'POST' })
  expect(crew.ledger()).toEqual([])
  ids.push(await kickoff(crew))
  expect((await ask(crew, `/status/${ids[0]}`)).status).toBe(404)
  const profile = readFileSync('fake-crew/profiles/fast.yaml', 'utf8')
  await fetch(`${crew.url}/__fake__/profile`, { method: 'PUT', body: profile })
  return [...ids, await kickoff(crew)]
}

test('kickoff ids do not come again after a reset, with another profile or in another crew', async () => {
  const ids = [...(await firstIds({})), ...(await firstIds({}))]
  expect(new Set(ids).size).toBe(6)
})

test('kickoff ids follow from the seed of ids, where one is given', async () => {
  const ids = await firstIds({ idSeed: 7 })
  expect(new Set(ids).size).toBe(3)
  expect(await firstIds({ idSeed: 7 })).toEqual(ids)
})
