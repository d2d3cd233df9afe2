/** The side door of a crew that refuses connections for a while: it is knocked at again. */
import { Agent, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici'
import { afterEach, expect, test } from 'vitest'
import type { FakeCrew } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { openFakeControl } from '../../src/run/fake-control.ts'

const before = getGlobalDispatcher()
const crews: FakeCrew[] = []

afterEach(async () => {
  const used = getGlobalDispatcher()
  setGlobalDispatcher(before)
  if (used !== before) await used.close()
  await Promise.all(crews.splice(0).map(async (crew) => crew.stop()))
})

async function refuse(crew: FakeCrew, length: string): Promise<void> {
  const body = `{ refuse: {}, window: { for: ${length} } }`
  const dispatcher = new Agent()
  await (
    await request(`${crew.url}/__fake__/faults`, { method: 'POST', body, dispatcher })
  ).body.text()
  await dispatcher.close()
}

test('the ledger is had as soon as connections are taken again', async () => {
  const crew = await startFakeCrew({ profile: 'fast' })
  crews.push(crew)
  const control = await openFakeControl(new URL(crew.url), crew.token)
  await refuse(crew, '2s')
  setGlobalDispatcher(new Agent())
  await expect(fetch(`${crew.url}/inputs`)).rejects.toThrow('fetch failed')
  expect(await control?.ledger()).toEqual([])
})
