/** The side door of a crew that refuses or cuts connections for a while: it is knocked at again. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

test('a connection that is cut costs nothing: reset, closed without an answer, and in the midst of one', async () => {
  const row = JSON.stringify({ kickoff_id: 'one' })
  const ways = ['reset', 'close', 'half'] as const
  let asked = 0
  const server = createServer(({ url, socket }, response) => {
    if (url !== '/__fake__/ledger') return response.end('{"now_ms":1}')
    const way = ways[asked++]
    if (way === undefined) return response.end(`${row}\n`)
    if (way === 'reset') return socket.resetAndDestroy()
    if (way === 'close') return socket.end()
    response.writeHead(200, { 'content-length': 1_000 })
    return response.write(`${row}\n`, () => socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const control = await openFakeControl(new URL(`http://127.0.0.1:${port}`), '')
  expect(await control?.ledger()).toEqual([{ kickoff_id: 'one' }])
  expect(asked).toBe(ways.length + 1)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})
