/**
 * `--engine virtual`: the same bytes for the same seed, the truth without error, and a network that
 * is named.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { FaultMarks } from '../../fake-crew/model/faults/faults.ts'
import { finite } from '../../src/result/statistics/quantiles.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import type { RunControl, RunOptions, RunOutcome } from '../../src/run/index.ts'
import { run } from '../../src/run/index.ts'
import { openNetwork } from '../../src/run/simulation.ts'
import { temporaryFolder } from '../support/cli.ts'

/**
 * Twenty minutes of the default profile: some 100 executions that wait for workers, fail and get
 * stuck.
 */
const scenario = defineScenario({
  name: 'virtual',
  arrivals: { rate: '5/m', for: '20m', process: 'poisson' },
  inputs: { topic: 'tides', audience: 'sailors' },
  deadline: '30m',
  thresholds: { 'contract.violations': '<= 0' },
})

async function virtually(options: Partial<RunOptions> = {}): Promise<RunOutcome> {
  return run(scenario, { engine: 'virtual', profile: 'default', out: false, ...options })
}

function crewOf(duration: string): string {
  return `name: crew
inputs: [topic, audience]
tasks:
  - id: research
    agent: researcher
    duration: ${duration}
`
}

async function runIdOf(profile: string): Promise<string> {
  return (await virtually({ profile, set: { 'arrivals.for': '1m' } })).document.run.id
}

function stopAtOnce(control: RunControl): void {
  setImmediate(() => control.stop('now'))
}

describe('a run in virtual time', () => {
  test('writes the same bytes for the same seed, and others for another', async () => {
    await using folder = await temporaryFolder()
    const [one, again, other] = await Promise.all(
      [1, 1, 2].map(async (seed, i) => {
        const out = join(folder.path, String(i))
        const engine = { kind: 'virtual', network: 'lan' } as const
        const { folder: left } = await virtually({ engine, seed, out })
        return readFile(join(left!, 'executions.ndjson'), 'utf8')
      }),
    )
    expect(one!.length).toBeGreaterThan(10_000)
    expect(again).toBe(one)
    expect(other).not.toBe(one)
  })

  test('is valid and in time, and its ledger agrees without any doubt of the clock', async () => {
    const { document } = await virtually()
    expect(document.verdict).toMatchObject({ outcome: 'passed', valid: true })
    expect(document.metrics['lateness.max']?.value).toBe(0)
    expect(document.ledger).toMatchObject({ clockErrorMs: 0, disagreements: [] })
    expect(document.ledger!.agreed).toBe(document.ledger!.rows)
    expect(document.ledger!.rows).toBeGreaterThan(70)
    expect(document.metrics['detectionDelay.p50']?.value).toBeGreaterThan(0)
  })

  test('names engine, network and crew, and begins at a time that is nobody’s', async () => {
    const { document } = await virtually({ engine: { kind: 'virtual', network: 'lan' } })
    expect(document.run).toMatchObject({
      engine: 'virtual',
      place: { kind: 'virtual', profile: 'default' },
      network: {
        name: 'lan',
        words:
          'round trip median 1.00 ms, p95 2.00 ms; connection set-up median 2.00 ms, p95 ' +
          "4.00 ms; nothing lost; plus the profile's HTTP latency (published values between " +
          'zones of one cloud region are 0.8 to 1.1 ms; the tail is our assumption)',
      },
    })
    expect(document.run.startedAt).toMatch(/^2000-01-01T00:00:/)
  })

  test('loses connections where the network does, and tells of it', async () => {
    const { document } = await virtually({ engine: { kind: 'virtual', network: 'wan' }, seed: 3 })
    expect(document.verdict.valid).toBe(true)
    expect(document.run.network?.words).toContain('lost: 0.100 % of new connections')
    expect(document.metrics['status.service.p50']!.value).toBeGreaterThan(40)
  })

  test('speaks the dialect asked for', async () => {
    expect((await virtually({ dialect: 'platform' })).document.run.dialect).toBe('platform')
  })

  test('can be stopped from outside, between two slices of it', async () => {
    const long = { 'arrivals.for': '10h' }
    const { document } = await virtually({ set: long, onStart: stopAtOnce })
    expect(document.run).toMatchObject({
      stopped: 'now',
      stopReason: { code: 'asked', why: 'interrupted' },
    })
    expect(document.outcomes.notReached).toBeGreaterThan(1_000)
    expect(document.arrivals).toBeGreaterThan(2_500)
  })

  test('soaks for an hour while nobody waits', async () => {
    const arrivals = { rate: '20/m', for: '1h' } as const
    const soak = defineScenario({ ...scenario, name: 'soak', arrivals, polling: { fixed: '10s' } })
    const { document } = await run(soak, { engine: 'virtual', profile: 'fast', out: false })
    expect(document.run.durationMs).toBeGreaterThan(3_500_000)
    expect(document.outcomes).toMatchObject({ completed: 1_200 })
    expect(document.verdict.valid).toBe(true)
  })

  test('ends early, by its own clock, when a threshold that asks for it cannot be met any more', async () => {
    const checked = defineScenario({
      ...scenario,
      arrivals: { rate: '10/s', for: '10m' },
      checks: { 'never true': () => false },
      thresholds: { 'checks.never true': { is: '>= 99%', abortEarly: true } },
    })
    const options = { engine: 'virtual', profile: 'fast', out: false } as const
    const [one, again] = [await run(checked, options), await run(checked, options)]
    expect(one.document.run.stopReason).toMatchObject({
      code: 'threshold',
      metric: 'checks.never true',
    })
    expect(one.document.outcomes.completed).toBeLessThan(200)
    expect(again.document.outcomes).toEqual(one.document.outcomes)
  })

  test('is known by what its profile says, not by where the file lies', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'crew.yaml')
    await writeFile(file, crewOf('1s'))
    const first = await runIdOf(file)
    expect(await runIdOf(join(folder.path, 'sub', '..') + '//crew.yaml')).toBe(first)
    await writeFile(file, crewOf('2s'))
    expect(await runIdOf(file)).not.toBe(first)
  })
})

describe('a network', () => {
  test('is learned from a run, and gives back what that run saw', async () => {
    await using folder = await temporaryFolder()
    const seen = await virtually({ out: folder.path, engine: { kind: 'virtual', network: 'wan' } })
    const { document } = await virtually({ engine: { kind: 'virtual', network: seen.folder! } })
    expect(document.run.network?.words).toMatch(
      / \(learned from \d+ requests of the run virtual-\S+\)$/,
    )
    expect(document.run.network?.name).toMatch(/^run virtual-\d{8}T\d{6}Z$/)
    expect(document.run.network?.words).toMatch(/^round trip of a kickoff median/)
    for (const metric of ['kickoff.service.p50', 'status.service.p50', 'status.service.p95']) {
      const [before, after] = [seen.document, document].map(({ metrics }) =>
        finite(metrics[metric]!.value)!,
      )
      expect({ metric, ratio: after! / before! }).toEqual({ metric, ratio: expect.closeTo(1, 0.4) })
    }
  })

  test('is not learned from a run of too few answers', async () => {
    await using folder = await temporaryFolder()
    const short = defineScenario({ ...scenario, arrivals: { rate: '1/m', for: '3m' } })
    const options = { engine: 'virtual', profile: 'fast', out: folder.path } as const
    const { folder: path } = await run(short, options)
    await expect(openNetwork(path!)).rejects.toThrow(/too few answered kickoffs/)
  })
})

test('says that marks of faults are missing, where the crew kept the latest alone', async () => {
  const dropped = vi.spyOn(FaultMarks.prototype, 'dropped', 'get').mockReturnValue(100_000)
  try {
    const options = { faults: '{ latency: 1ms }', set: { 'arrivals.for': '1m' } }
    const { document } = await virtually({ profile: 'fast', ...options })
    const told = document.findings.filter(({ code }) => code === 'marks-missing')
    expect(told).toEqual([
      {
        code: 'marks-missing',
        severity: 'warning',
        marks: 100_000,
        untilMs: expect.any(Number) as number,
        message: expect.stringMatching(
          /^counts of touched answers miss the first [\d.]+ s: the fake crew dropped its oldest 100,000 marks$/,
        ) as string,
      },
    ])
  } finally {
    dropped.mockRestore()
  }
})
