/** An old client may still poll what another crew, or the same before a reset, has started. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'

describe('kickoff ids', () => {
  const KICKOFF = JSON.stringify({ inputs: { topic: 'tea', audience: 'all' } })

  async function kickoff({ url, token }: FakeCrew): Promise<string> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/kickoff`, { method: 'POST', headers, body: KICKOFF })
    return ((await answer.json()) as { kickoff_id: string }).kickoff_id
  }

  /** The first ids of a crew, of the same one after a reset, and after another profile. */
  async function firstIds(options: FakeCrewOptions): Promise<string[]> {
    const started = await startFakeCrew({ profile: 'fast', seed: 5, ...options })
    try {
      const ids = [await kickoff(started)]
      await fetch(`${started.url}/__fake__/reset`, { method: 'POST' })
      expect(started.ledger()).toEqual([])
      ids.push(await kickoff(started))
      const headers = { authorization: `Bearer ${started.token}` }
      const old = await fetch(`${started.url}/status/${ids[0]}`, { headers })
      expect(old.status).toBe(404)
      const profile = readFileSync('fake-crew/profiles/fast.yaml', 'utf8')
      await fetch(`${started.url}/__fake__/profile`, { method: 'PUT', body: profile })
      return [...ids, await kickoff(started)]
    } finally {
      await started.stop()
    }
  }

  test('do not come again after a reset, with another profile or in another crew', async () => {
    const ids = [...(await firstIds({})), ...(await firstIds({}))]
    expect(new Set(ids).size).toBe(6)
  })

  test('follow from the seed of ids, where one is given', async () => {
    const ids = await firstIds({ idSeed: 7 })
    expect(new Set(ids).size).toBe(3)
    expect(await firstIds({ idSeed: 7 })).toEqual(ids)
  })
})
