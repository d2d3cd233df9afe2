/**
 * Twenty runs by chance over real sockets: what holds in virtual time holds there, and nothing is
 * left open.
 */
import { Agent, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeCrew, WrittenProfile } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { run } from '../../src/run/run.ts'
import { OpenSockets, heldByLoop, heapInUse } from './leaks.ts'
import { launchOf, seeds, troubled } from './support.ts'
import type { Weather } from './weather.ts'
import { weatherOf } from './weather.ts'

const RUNS = 20
const RUNS_AT_ONCE = 5
/**
 * What is compiled and cached on the way; fifteen runs that leaked their records, hosts or crews
 * would hold far more.
 */
const HEAP_BYTES = 5e6
/**
 * Crews and clients of five runs share one event loop: what is counted and what is stamped may lie
 * as far apart as a short execution lasts.
 */
const BUSY_MACHINE = { 'validity.little': '100%' }
const PATIENT = { timeout: 10_000, interval: 20 }

/**
 * The control of the fake crew is asked over undici's common pool: idle connections there are no
 * leak, and end at once here.
 */
const usual = getGlobalDispatcher()
const impatient = new Agent({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })
const rejections: unknown[] = []
const rejected = (reason: unknown): void => void rejections.push(reason)

beforeAll(() => {
  setGlobalDispatcher(impatient)
  process.on('unhandledRejection', rejected)
})

afterAll(async () => {
  process.off('unhandledRejection', rejected)
  setGlobalDispatcher(usual)
  await impatient.close()
})

/**
 * The faults come with the run: their times count from its beginning, however long its preflight
 * took.
 */
async function runOverSockets(weather: Weather, crew: FakeCrew): Promise<ResultDocument> {
  const { scenario, onStart } = launchOf(weather)
  const added: Promise<unknown>[] = []
  const { document } = await run(scenario, {
    target: crew.url,
    tokens: [crew.token],
    out: false,
    set: BUSY_MACHINE,
    onStart: (control) => {
      onStart(control)
      added.push(addFaults(weather, crew).catch(String))
    },
  })
  expect(await Promise.all(added)).toEqual([201])
  return document
}

async function addFaults({ faults }: Weather, crew: FakeCrew): Promise<number> {
  const url = `${crew.url}/__fake__/faults`
  const { body, statusCode } = await request(url, { method: 'POST', body: JSON.stringify(faults) })
  await body.dump()
  return statusCode
}

const all = seeds(1, RUNS)
const batches = Array.from({ length: Math.ceil(all.length / RUNS_AT_ONCE) }, (_, i) => {
  const batch = all.slice(i * RUNS_AT_ONCE, (i + 1) * RUNS_AT_ONCE)
  return { batch, told: batch.join(', ') }
})
const heapBytes: number[] = []

async function troublesOfAll(batch: readonly number[], crews: FakeCrew[]): Promise<string[]> {
  const found = await Promise.all(
    batch.map(async (seed) => {
      const weather = weatherOf(seed)
      const crew = await startFakeCrew({ profile: weather.profile as unknown as WrittenProfile })
      crews.push(crew)
      return troubled(weather, async () => runOverSockets(weather, crew))
    }),
  )
  return found.flat()
}

test.each(batches)('seeds $told', async ({ batch }) => {
  using sockets = new OpenSockets()
  const before = heldByLoop()
  const crews: FakeCrew[] = []
  try {
    expect(await troublesOfAll(batch, crews)).toEqual([])
    expect(sockets.seen).toBeGreaterThan(batch.length)
    await expect.poll(() => sockets.count('client'), PATIENT).toBe(0)
  } finally {
    await Promise.all(crews.map(async (crew) => crew.stop()))
  }
  await expect.poll(() => sockets.count('server'), PATIENT).toBe(0)
  await expect.poll(() => heldByLoop(), PATIENT).toEqual(before)
  heapBytes.push(heapInUse())
})

test('left no promise unheard, and no more on the heap after the last runs than after the first', () => {
  expect(rejections).toEqual([])
  expect(heapBytes.at(-1)! - heapBytes[0]!).toBeLessThan(HEAP_BYTES)
})
