/**
 * Runs that end before their plan does, in virtual time but for the one that is killed: what the
 * verdict says of each.
 */
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFakeCrew } from 'crewload/fake-crew'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RunControl, Scenario } from 'crewload/run'
import { run } from 'crewload/run'
import { cli, startCli, temporaryFolder } from '../support/cli.ts'
import { codesOf } from '../support/reasons.ts'

const scenario: Scenario = {
  name: 'verdicts',
  arrivals: { rate: '20/s', for: '3s', process: 'uniform' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
}

const fast = { engine: 'virtual', profile: 'fast', out: false } as const

/** As it was before the terminal's width broke it. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

describe('a budget that is spent', () => {
  test('of kickoffs is inconclusive, and says how many were sent', async () => {
    const { document } = await run(scenario, { ...fast, budget: { kickoffs: 5 } })
    expect(document.outcomes).toMatchObject({ completed: 5, notReached: 55 })
    expect(document.verdict).toMatchObject({
      outcome: 'inconclusive',
      valid: true,
      reasons: [{ code: 'budget', message: '5 of 60 arrivals were sent: kickoff budget spent' }],
    })
    expect(document.verdict.sentence).toContain('60 arrivals, 5 executed')
  })

  test('of requests is inconclusive too', async () => {
    const { document } = await run(scenario, { ...fast, budget: { requests: 40 } })
    expect(document.verdict.outcome).toBe('inconclusive')
    expect(document.verdict.reasons[0]).toMatchObject({
      code: 'budget',
      remedy: 'raise --max-requests, or poll less often',
    })
  })

  test('ends with exit code 4 and in words that hold', async () => {
    const arrivals = ['--set', 'arrivals.iterations=20', '--set', 'arrivals.clients=1']
    await using folder = await temporaryFolder()
    const place = ['--engine', 'virtual', '--profile', 'fast', '--out', folder.path]
    const args = ['run', 'smoke', ...place, ...arrivals, '--max-kickoffs', '5']
    const { code, stdout } = await cli(args)
    expect(code).toBe(4)
    expect(stdout).toMatch(/^INCONCLUSIVE/)
    expect(oneLine(stdout)).toContain(
      'kickoff budget spent: raise --max-kickoffs, or lower the arrivals',
    )
    expect(stdout).toContain('6 arrivals, 5 executed')
    expect(stdout.match(/budget spent/g)).toHaveLength(1)
  })
})

describe('a threshold that stops the run', () => {
  test('fails it, by its name, and not as an interruption', async () => {
    const { document } = await run(
      {
        ...scenario,
        arrivals: { rate: '20/s', for: '10s' },
        thresholds: { 'execution.p50': { is: '< 50ms', abortEarly: true } },
      },
      fast,
    )
    expect(document.outcomes.notReached).toBeGreaterThan(0)
    expect(document.verdict.outcome).toBe('failed')
    expect(codesOf(document)).toEqual(['threshold execution.p50'])
    expect(document.verdict.sentence).toContain('and it stopped the run early')
  })

  test('is not stopped by the polls where the ledger knows the detection delay', async () => {
    const { document } = await run(
      {
        ...scenario,
        polling: { fixed: '400ms' },
        thresholds: { 'detectionDelay.p50': { is: '< 390ms', abortEarly: true } },
      },
      fast,
    )
    expect(document.outcomes.completed).toBe(document.arrivals)
    expect(document.verdict.outcome).toBe('passed')
  })
})

describe('executions without an end', () => {
  test('hide the longest wait: no threshold on it is met', async () => {
    const { document } = await run(
      {
        ...scenario,
        arrivals: { rate: '20/s', for: '1s' },
        deadline: '500ms',
        thresholds: { 'execution.max': '< 10s', 'execution.mean': '< 10s' },
      },
      fast,
    )
    expect(document.outcomes.stuck).toBeGreaterThan(0)
    expect(document.thresholds).toMatchObject([
      { metric: 'execution.max', status: 'undecided' },
      { metric: 'execution.mean', status: 'undecided' },
      { metric: 'outcome.unserved', status: 'missed', source: 'default' },
      { metric: 'ledger.wrong', status: 'met', source: 'default' },
      { metric: 'target.alive', status: 'met', source: 'default' },
    ])
    expect(document.verdict.outcome).toBe('failed')
    expect(document.verdict.sentence).not.toContain('nobody waited longer')
  })
})

describe('a drain that runs out', () => {
  test('tells how many had not ended in time', async () => {
    const { document } = await run(
      { ...scenario, arrivals: { rate: '20/s', for: '10m' }, drain: '100ms' },
      { ...fast, onStart: (control: RunControl) => void setImmediate(() => control.stop('drain')) },
    )
    expect(document.outcomes.aborted).toBeGreaterThan(0)
    expect(document.verdict.sentence).toContain(
      `The run was stopped early and drained; ${document.outcomes.aborted} had not ended in time`,
    )
  })
})

describe('a killed run', () => {
  test('is told by its report, once it is asked to recover: what was in flight, and what follows it', async () => {
    await using folder = await temporaryFolder()
    // One that outlives the run: with a fake crew of its own nothing would be left to follow.
    const crew = await startFakeCrew({ profile: 'fast', speed: 0.01 })
    onTestFinished(async () => crew.stop())
    const args = ['run', 'smoke', '--target', crew.url, '--out', folder.path]
    const env = { CREWLOAD_TOKEN: crew.token }
    const child = startCli([...args, '--set', 'arrivals.clients=3', '--quiet'], { env })
    const gone = once(child, 'exit')
    const path = await acceptedIn(folder.path, 3)
    child.kill('SIGKILL')
    await gone
    const refused = await cli(['report', path])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`crewload resume ${path} continues the executions in flight`)
    expect(refused.stderr).toContain(
      `crewload report render --recover ${path} renders what was measured`,
    )
    expect(await readdir(path)).not.toContain('result.json')
    const { code, stdout, stderr } = await cli(['report', '--recover', path])
    expect(code).toBe(3)
    expect(oneLine(stdout)).toMatch(
      /the run was cut after .* with 3 executions in flight: continue them with crewload resume/,
    )
    expect(stdout).not.toMatch(/measured window|warm-up/)
    expect(stderr.match(/^ {2}[0-9a-f-]{36}$/gm)).toHaveLength(3)
    expect(await readdir(path)).toEqual(expect.arrayContaining(['result.json', 'report.html']))
  })
})

/** The run folder, once its journal has so many accepted executions. */
async function acceptedIn(out: string, many: number): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    await sleep(100)
    const [name] = await readdir(out)
    const path = join(out, name ?? '')
    const journal = await readFile(join(path, 'executions.ndjson'), 'utf8').catch(() => '')
    if (journal.split('"type":"accepted"').length > many) return path
  }
  throw new Error('nothing was accepted')
}
