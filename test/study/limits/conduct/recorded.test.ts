/** Limits are inferred from the answers that runs recorded, and nothing is sent. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../../../src/scenario/define.ts'
import { defineScenario } from '../../../../src/scenario/define.ts'
import { run } from '../../../../src/run/index.ts'
import { inferLimits } from '../../../../src/study/limits/conduct/conduct.ts'
import { readRecorded } from '../../../../src/study/limits/conduct/recorded.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { limitsSchema } from '../../../../src/study/limits/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { profileWith } from '../profiles.ts'

const POLLS = '{ name: polls, operations: [status], slidingLog: { limit: 40, window: 20s } }'

/** Of a run whose polls are refused again and again. */
async function fromRun(
  rules: readonly string[],
  scenario: Partial<Scenario> = {},
): Promise<LimitsDocument> {
  await using folder = await temporaryFolder()
  const profile = await profileWith(folder.path, ...rules)
  const made = await run(
    defineScenario({
      name: 'made-up',
      arrivals: { rate: '0.5/s', for: '2m' },
      inputs: { topic: 'bees' },
      polling: { fixed: '3s' },
      deadline: '60s',
      ...scenario,
    }),
    { engine: 'virtual', profile, out: folder.path },
  )
  const { document } = await inferLimits({ from: [made.folder!], out: false })
  return document
}

test('a limit that the polls of a run met is found in its journal', async () => {
  const document = await fromRun([POLLS])
  expect(limitsSchema.parse(document)).toEqual(document)
  expect(document).toMatchObject({
    requests: 0,
    kickoffs: 0,
    plan: { operations: ['status', 'kickoff'] },
  })
  const { status, kickoff } = document.operations
  expect(status).toMatchObject({ kind: 'sliding-log', limit: 40 })
  expect(Math.abs(status!.windowMs! / 20_000 - 1)).toBeLessThan(0.05)
  expect(status!.scope).toEqual({ token: null, address: null, sharedWith: null, tried: [] })
  expect(kickoff).toMatchObject({ kind: 'none', requests: 60 })
  expect(document.settings!.pollsPerSecond).toBeLessThanOrEqual(1.8)
  expect(document.findings.at(-1)!.message).toContain('cannot be told')
})

test.each([
  ['calendar', 5, '20m', ''],
  ['first-hit', 4, '8m', ', from: first hit'],
  ['first-hit', 5, '8m', ', from: first hit'],
] as const)(
  'a window of 25 polls in 15 s is found, and no alignment but its own (%s, seed %i)',
  async (aligned, seed, duration, from) => {
    const window = `fixedWindow: { limit: 25, window: 15s${from} }`
    const rule = `{ name: polls, operations: [status], ${window} }`
    const arrivals = { rate: '40/m', for: duration }
    const { verdict, operations } = await fromRun([rule], { arrivals, seed })
    expect(verdict.outcome).toBe('answered')
    expect(operations.status).toMatchObject({ kind: 'fixed-window', limit: 25 })
    expect([aligned, null]).toContain(operations.status!.aligned)
    const { low = 0, high = 0 } = operations.status!.intervals?.windowMs ?? {}
    expect(high - low).toBeLessThan(300)
    expect(low <= 15_000 && 15_000 <= high).toBe(true)
  },
)

test('times count from the first request, so that no window boundary lies years before', async () => {
  await using folder = await temporaryFolder()
  const profile = await profileWith(folder.path)
  const scenario = defineScenario({
    name: 'made-up',
    arrivals: { rate: '0.5/s', for: '20s' },
    inputs: { topic: 'bees' },
  })
  const made = await run(scenario, { engine: 'virtual', profile, out: folder.path })
  const { status, kickoff } = await readRecorded([made.folder!])
  expect(kickoff[0]!.sentMs).toBe(0)
  expect(status[0]!.sentMs).toBeGreaterThan(0)
  expect(status.at(-1)!.receivedMs).toBeLessThan(3_600_000)
})

test('polls that confirm an end count against a limit too', async () => {
  const without = await fromRun([], { confirm: 0 })
  const confirmed = await fromRun([], { confirm: 1 })
  const [polls, all] = [without, confirmed].map(({ operations }) => operations.status!.requests)
  // Each of 60 executions is confirmed at its end, and once more at that of the run.
  expect(all! - polls!).toBe(120)
})

test('a run without refusals shows what was tried, and no limit', async () => {
  const document = await fromRun([])
  expect(document.verdict.outcome).toBe('answered')
  expect(document.verdict.sentence).toContain('status: no limit met by')
  expect(document.settings).toBeNull()
})

test('a run in which nothing is let in again cannot tell', async () => {
  const rule = '{ name: polls, operations: [status], fixedWindow: { limit: 20, window: 1h } }'
  const document = await fromRun([rule])
  expect(document.verdict.outcome).toBe('cannot-tell')
  expect(document.verdict.reasons[0]).toMatchObject({
    message: expect.stringContaining('has not let any in again') as string,
    remedy: expect.stringContaining('crewload limits --target') as string,
  })
})

test('what only a target needs is refused, all of it at once', async () => {
  const options = { from: ['reports/a'], target: 'http://127.0.0.1:1', maxRequests: 50 }
  await expect(inferLimits(options)).rejects.toThrow(/--target[\s\S]*--max-requests/)
})

test('a folder without a run is named', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'other.txt'), '')
  await expect(inferLimits({ from: [folder.path], out: false })).rejects.toThrow(folder.path)
})
