/**
 * What a run says against what the fake crew's ledger knows. Real sockets where clocks have to be
 * mapped, virtual time for the rest.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResultDocument, Scenario } from 'crewload/run'
import { run } from 'crewload/run'
import { mergedRuns } from '../../src/run/merge.ts'
import { temporaryFolder } from '../support/cli.ts'
import { stallingTarget } from '../support/targets/stalling.ts'

/** These tests are about truth, not about how busy the machine is that they run on. */
const validity = { lateness: '2s', utilisation: 1 }

const scenario: Scenario = {
  name: 'truth',
  arrivals: { rate: '12/s', for: '3s', process: 'poisson' },
  inputs: ({ index }) => ({ topic: `topic ${index}`, audience: 'testers' }),
  polling: { fixed: '150ms' },
  deadline: '30s',
  validity,
}

const virtual = { engine: 'virtual', profile: 'fast' } as const

function littleResidual({ generator }: ResultDocument): number {
  return generator.checks.find(({ name }) => name === 'little')!.measured!
}

describe('against the ledger', () => {
  test.each([
    ['node', 1],
    ['virtual', 2],
    ['virtual', 3],
  ] as const)(
    'agrees on every execution and every end, under %s, seed %i',
    async (engine, seed) => {
      const { document } = await run(scenario, { engine, profile: 'fast', out: false, seed })
      const ledger = document.ledger!
      expect(document.verdict.reasons).toEqual([])
      expect(ledger.disagreements).toEqual([])
      expect(ledger.agreed).toBe(document.arrivals)
      expect(ledger.endIntervals.checked).toBe(document.arrivals)
      expect(ledger.endIntervals.contained).toBe(ledger.endIntervals.checked)
      expect(document.outcomes.completed + document.outcomes.failed).toBe(document.arrivals)
      expect(littleResidual(document)).toBeLessThan(0.01)
    },
  )

  test('counts what the ledger counts, outcome by outcome', async () => {
    await using folder = await temporaryFolder()
    const outcome = await run(scenario, { ...virtual, out: folder.path, seed: 11 })
    const rows = (await readFile(join(outcome.folder!, 'ledger.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string })
    const count = (name: string): number => rows.filter((row) => row.outcome === name).length
    expect(outcome.document.outcomes.completed).toBe(count('completed'))
    expect(outcome.document.outcomes.failed).toBe(count('failed'))
  })

  test('agrees in the platform dialect too', async () => {
    const options = { ...virtual, dialect: 'platform', out: false, seed: 4 } as const
    const { document } = await run(scenario, options)
    expect(document.run.dialect).toBe('platform')
    expect(document.ledger!.disagreements).toEqual([])
    expect(document.contract.rules).toEqual([])
  })
})

describe('a lost record', () => {
  test("is noticed by Little's law and by the count of records", async () => {
    await using folder = await temporaryFolder()
    const few: Scenario = { ...scenario, arrivals: { rate: '5/s', for: '2s' } }
    const whole = await run(few, { ...virtual, out: folder.path, seed: 5 })
    const path = join(whole.folder!, 'executions.ndjson')
    const lines = (await readFile(path, 'utf8')).split('\n')
    const lost = lines.findIndex((line) => line.startsWith('{"type":"ended"'))
    await writeFile(path, lines.filter((_, i) => i !== lost).join('\n'))

    const { document } = await mergedRuns([path])
    expect(littleResidual(whole.document)).toBeLessThan(0.01)
    expect(littleResidual(document)).toBeGreaterThan(0.03)
    expect(document.verdict.outcome).toBe('invalid')
    expect(document.verdict.reasons.map(({ code }) => code)).toContain('records')
  })
})

describe('coordinated omission', () => {
  test('shows a stall of 2 s in response time and not in service time, with one connection', async () => {
    await using target = await stallingTarget({ executionMs: 3_500, from: 800, to: 2_800 })
    const { document } = await run(
      {
        name: 'stall',
        arrivals: { clients: 40, iterations: 40 },
        inputs: {},
        polling: { fixed: '250ms' },
        deadline: '20s',
        connections: { max: 1, preOpen: 1 },
        validity,
      },
      { target: target.url, tokens: ['any'], budget: { kickoffs: 40 }, out: false },
    )
    const { metrics, outcomes } = document
    expect(outcomes.completed).toBe(40)
    expect(metrics['status.response.p95']!.value).toBeGreaterThan(1_000)
    expect(metrics['status.service.p95']!.value).toBeLessThan(200)
  })
})
