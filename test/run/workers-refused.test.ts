/** Which runs cannot have workers, and what is said of it. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { run, UserError } from 'crewload/run'
import { planOnly } from '../../src/run/plan/plan-only.ts'
import { bench } from './workers-support.ts'

let crew: FakeCrew

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', seed: 7 })
})

afterAll(async () => crew.stop())

const place = (workers: number) => ({
  target: crew.url,
  tokens: [crew.token],
  engine: { kind: 'node', workers } as const,
})

describe('workers are refused', () => {
  const functions = {
    name: 'in-code',
    arrivals: { clients: 2, iterations: 4 },
    inputs: () => ({ topic: 'bees', audience: 'children' }),
  }

  test.each([
    [{ workers: 0 }, 'from 1 to 64'],
    [{ workers: 65 }, 'from 1 to 64'],
    [{ workers: 1.5 }, 'from 1 to 64'],
    [{ workers: 2, faults: 'hang: {}' }, 'faults: work only with the engine virtual'],
  ])('%o', async ({ workers, ...options }, words) => {
    const plain = { ...functions, inputs: { topic: 'bees', audience: 'children' } }
    const failure = run(plain, { ...place(workers), ...options, out: false })
    await expect(failure).rejects.toThrow(words)
    await expect(failure).rejects.toBeInstanceOf(UserError)
  })

  test.each([
    [{ 'arrivals.clients': '3' }, 'arrivals.clients, which is 3'],
    [{ 'admission.maxInFlight': '2' }, 'admission.maxInFlight, which is 2'],
    [{ 'connections.max': '1' }, 'connections.max, which is 1'],
  ])('where there is less to share out than workers: %o', async (set, words) => {
    const plain = { ...functions, arrivals: { clients: 4, for: '1s' }, inputs: { topic: 'bees' } }
    await expect(run(plain, { ...place(4), set, out: false })).rejects.toThrow(words)
  })

  test("where the scenario's functions cannot travel", async () => {
    const before = crew.ledger().length
    const failure = run(functions, { ...place(2), out: false })
    await expect(failure).rejects.toThrow('cannot travel')
    expect(crew.ledger()).toHaveLength(before)
  })

  test('where the scenario throws in a thread, and nothing is left behind', async () => {
    await using folder = await bench()
    const file = await folder.scenario(
      `inputs: () => ({ topic: 'a', audience: 'b' }),`,
      `if (here === 'worker') throw new Error('no threads for me')`,
    )
    const failure = folder.run(file, { profile: 'fast', engine: { kind: 'node', workers: 2 } })
    await expect(failure).rejects.toThrow('no threads for me')
    await expect(failure).rejects.toBeInstanceOf(UserError)
    expect(await readdir(join(folder.path, 'reports'))).toEqual([])
  })

  test('but an object without functions travels', async () => {
    const plain = { ...functions, inputs: { topic: 'bees', audience: 'children' } }
    const { document } = await run(plain, { ...place(2), out: false })
    expect(document.outcomes.completed).toBe(4)
  })
})

test('the plan says how many there are', async () => {
  const { facts } = await planOnly('steady', {
    profile: 'fast',
    engine: { kind: 'node', workers: 2 },
  })
  expect(facts.engine).toBe('node, 2 workers')
  expect(
    (await planOnly('steady', { profile: 'fast', engine: { kind: 'node', workers: 1 } })).facts
      .engine,
  ).toBe('node')
})
