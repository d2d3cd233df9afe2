/** `crewload/run` as its users use it: inside a test of their own. */
import { rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineScenario } from 'crewload'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { RunOptions } from 'crewload/run'
import { run, UserError } from 'crewload/run'
import { temporaryFolder } from '../support/cli.ts'

const scenario = defineScenario({
  name: 'in-code',
  arrivals: { clients: 2, iterations: 4 },
  inputs: { topic: 'bees', audience: 'children' },
  checks: { 'mentions the topic': ({ inputs, output }) => output.includes(inputs.topic) },
  polling: { fixed: '100ms' },
  thresholds: { 'outcome.completed': '>= 100%', 'checks.mentions the topic': '>= 100%' },
  validity: { lateness: '2s', utilisation: 1 },
})

let crew: FakeCrew

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', seed: 7 })
})

afterAll(async () => crew.stop())

describe('run()', () => {
  test.each([
    ['by number', { clients: 2, iterations: 4 }],
    ['by time', { rate: '2/s', for: '2s' }],
  ])('gives progress, verdict and document: arrivals that end %s', async (_, arrivals) => {
    const shares: (number | null)[] = []
    const expected = new Set<number | null>()
    const { document, folder } = await run(
      { ...scenario, arrivals },
      {
        target: crew.url,
        tokens: [crew.token],
        out: false,
        onProgress: (live) => {
          shares.push(live.share)
          expected.add(live.expected)
        },
      },
    )
    expect([...expected]).toEqual([4])
    expect(shares.at(-1)).toBe(1)
    const before = shares.slice(0, -1).map((share) => share ?? 0)
    expect(before).toEqual(before.toSorted((a, b) => a - b))
    expect(before.some((share) => share > 0)).toBe(true)
    expect(Math.max(...before)).toBeLessThan(1)
    expect(document.arrivals).toBe(4)
    expect(document.verdict.outcome).toBe('passed')
    expect(document.checks).toMatchObject([{ name: 'mentions the topic', passed: 4 }])
    // Nothing is written, and only its own executions are held against the ledger.
    expect(folder).toBeNull()
    expect(document.ledger).toMatchObject({ agreed: 4, disagreements: [] })
  })

  test('knows its options: what JavaScript gives it beside them is refused, with what was meant', async () => {
    const options = {
      target: crew.url,
      token: 't',
      speeed: 2,
      budget: { kickofs: 3 },
      maxKickoffs: 1,
      k6Vus: 2,
      engine: { kind: 'virtual', vus: 2, netwrok: 'lan' },
    }
    const refused = run(scenario, { ...options, out: false } as RunOptions)
    await expect(refused).rejects.toThrow(UserError)
    const { mistakes } = await refused.then(
      () => ({ mistakes: [] }),
      (error: UserError) => error,
    )
    expect(mistakes.map(({ path, nearest }) => [path, nearest])).toEqual([
      ['token', 'tokens'],
      ['speeed', 'speed'],
      ['maxKickoffs', 'budget.kickoffs'],
      ['k6Vus', 'engine.vus'],
      ['budget.kickofs', 'kickoffs'],
      ['engine.vus', undefined],
      ['engine.netwrok', 'network'],
    ])
  })

  test.each<[string, unknown]>([
    ['a name', 'virtaul'],
    ['a kind', { kind: 'virtaul' }],
  ])('refuses an engine that does not exist, by %s', async (_, engine) => {
    const refused = run(scenario, { target: crew.url, engine, out: false } as RunOptions)
    await expect(refused).rejects.toThrow(
      'run() engine: expected one of node, virtual, k6 (found virtaul); did you mean "virtual"?',
    )
  })

  test('says where a token goes in code when the target wants one', async () => {
    const refused = run(scenario, { target: crew.url, out: false })
    await expect(refused).rejects.toThrow('requires a token, and none was given')
    await expect(refused).rejects.toThrow('in code the option tokens')
  })

  test('ends early, with a report, when its signal is aborted', async () => {
    await using out = await temporaryFolder()
    const stop = new AbortController()
    const { document, folder } = await run(
      {
        ...scenario,
        arrivals: { rate: '5/s', for: '10m' },
        inputs: ({ index }: { index: number }) => {
          if (index === 3) stop.abort()
          return { topic: 'bees', audience: 'children' }
        },
        checks: {},
        thresholds: {},
      },
      { profile: 'fast', engine: 'virtual', out: out.path, signal: stop.signal },
    )
    expect(document.run.stopped).toBe('drained')
    expect(document.outcomes).toMatchObject({ completed: 3, notReached: 2_997 })
    expect(document.arrivals).toBe(3_000)
    expect(await readdir(folder!)).toContain('report.html')
  })

  test('fails by that threshold too when closed clients had nothing left to drop', async () => {
    const { document } = await run(
      {
        ...scenario,
        arrivals: { clients: 40, iterations: 400, for: '10m' },
        checks: { 'never true': () => false },
        thresholds: { 'checks.never true': { is: '>= 99%', abortEarly: true } },
      },
      { engine: 'virtual', profile: 'fast', out: false },
    )
    expect(document.run).toMatchObject({
      stopped: 'drained',
      stopReason: { code: 'threshold', metric: expect.stringContaining('never true') },
    })
    expect(document.verdict.outcome).toBe('failed')
  })

  test('never sends more kickoffs than the budget allows', async () => {
    const before = crew.ledger().length
    const { document } = await run(scenario, {
      target: crew.url,
      tokens: [crew.token],
      out: false,
      budget: { kickoffs: 3 },
    })
    expect(crew.ledger().length - before).toBe(3)
    expect(document.outcomes).toMatchObject({ completed: 3, notReached: 1 })
  })

  test.concurrent('says once that its folder was removed, goes on, and writes what can still be written', async () => {
    await using out = await temporaryFolder()
    const troubles: string[] = []
    const { document, folder, unwritten } = await run(scenario, {
      target: crew.url,
      tokens: [crew.token],
      out: out.path,
      onTrouble: (trouble) => troubles.push(trouble),
      onStart: () => rmSync(out.path, { recursive: true }),
    })
    expect(document.outcomes.completed).toBe(4)
    expect(troubles).toEqual([
      'the journal cannot be written: the file was removed, with every line in it; the run ' +
        'continues, and is INVALID',
    ])
    expect(document.verdict.reasons.find(({ code }) => code === 'journal')?.message).toBe(
      'the journal is incomplete: 1 line not written (the file was removed, with every line in it)',
    )
    expect(unwritten).toBeNull()
    expect(await readdir(folder!)).toEqual(expect.arrayContaining(['report.html', 'result.json']))
  })

  test.concurrent('gives the document all the same when nothing can be written at the end', async () => {
    await using out = await temporaryFolder()
    const { document, unwritten } = await run(scenario, {
      target: crew.url,
      tokens: [crew.token],
      out: join(out.path, 'runs'),
      onStart: () => {
        rmSync(join(out.path, 'runs'), { recursive: true })
        writeFileSync(join(out.path, 'runs'), 'a file where the folder was')
      },
    })
    expect(document.outcomes.completed).toBe(4)
    expect(document.verdict.outcome).toBe('invalid')
    expect(unwritten).toMatch(/ENOTDIR|EEXIST/)
  })

  test('leaves no folder behind when nothing was measured', async () => {
    await using out = await temporaryFolder()
    const reports = join(out.path, 'new', 'reports')
    const options = { target: crew.url, tokens: ['wrong'], out: reports } as const
    await expect(run(scenario, options)).rejects.toThrow('refused our token')
    expect(await readdir(out.path)).toEqual([])
  })

  test('tries every token before the first kickoff', async () => {
    const before = crew.ledger().length
    const options = { target: crew.url, tokens: [crew.token, 'wrong'], out: false } as const
    await expect(run(scenario, options)).rejects.toThrow('refused our token 2 of 2')
    expect(crew.ledger()).toHaveLength(before)
  })

  test('sends nothing when the plan is turned down', async () => {
    const before = crew.ledger().length
    const options = { target: crew.url, tokens: [crew.token], out: false } as const
    const declined = run(scenario, { ...options, confirm: () => false })
    await expect(declined).rejects.toThrow('nothing was sent')
    expect(crew.ledger()).toHaveLength(before)
  })
})
