/** `crewload recovery` over sockets: with a command of its user, or a fault of the fake crew. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import type { RecoveryDocument } from '../../src/study/recovery/document.ts'
import type { FaultMark } from '../../src/crew/ledger.ts'
import type { Finished, RunningFake } from '../support/cli.ts'
import { cli, finished, startCli, startFakeCli, temporaryFolder } from '../support/cli.ts'

const PATIENT = { timeout: 20_000 }

/** Words of a command line without a space in them. */
function words(line: string): string[] {
  return line.split(' ')
}

function documentOf({ stdout }: Finished): RecoveryDocument {
  return JSON.parse(stdout) as RecoveryDocument
}

const CREW = `name: quick
inputs: [topic]
tasks:
  - { id: write, agent: Writer, duration: 100ms }
`
const STEADY = `export default {
  name: 'quick-load',
  arrivals: { rate: '60/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'tides' },
  polling: { fixed: '200ms' },
  deadline: '3s',
  retry: 'none',
  validity: { lateness: '10s', utilisation: 1 },
}
`
async function quickCrew(folder: string, crew = CREW): Promise<RunningFake & { args: string[] }> {
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }
  const profile = await write('quick.yaml', crew)
  const scenario = await write('quick.mjs', STEADY)
  const fake = await startFakeCli(['--profile', profile])
  onTestFinished(async () => void (await fake.stop()))
  const args = ['recovery', scenario, '--target', fake.url, '--out', join(folder, 'out'), '--json']
  return { ...fake, args }
}

/** Kickoffs fail as long as the file is there. */
function downWhile(flag: string, { url, token }: RunningFake): void {
  const headers = { authorization: `Bearer ${token}` }
  const body = 'name: down\nstatus: { code: 500 }\noperations: [kickoff]'
  let isDown = false
  const timer = setInterval(() => {
    if (existsSync(flag) === isDown) return
    isDown = !isDown
    const change = isDown ? { method: 'POST', headers, body } : { method: 'DELETE', headers }
    void fetch(`${url}/__fake__/faults`, change).catch(() => {})
  }, 20)
  onTestFinished(() => clearInterval(timer))
}

describe('over sockets', () => {
  test('runs the commands of its user, which take the crew down and up again', async () => {
    await using folder = await temporaryFolder()
    const { token, args, ...fake } = await quickCrew(folder.path)
    const flag = join(folder.path, 'down')
    downWhile(flag, { ...fake, token })
    const isRight = 'test "$CREWLOAD_TRIGGER_SECONDS" = 2 && test -z "$CREWLOAD_TOKEN"'
    const told = await cli(
      [
        ...args,
        '--trigger-command',
        `${isRight} && touch '${flag}'`,
        '--undo-command',
        `${isRight} && rm '${flag}'`,
        ...words('--before 5s --for 2s --observe 7s'),
      ],
      { env: { CREWLOAD_TOKEN: token } },
    )
    const { verdict, trials, plan, runs, measures, findings } = documentOf(told)
    expect(findings).toEqual([])
    expect(verdict.reasons).toEqual([])
    expect([told.code, verdict.outcome]).toEqual([0, 'recovers'])
    expect(plan).toMatchObject({ engine: 'node', control: false, bisect: false })
    expect(runs).toBe(1)
    expect(trials[0]!.before.served).toBe(trials[0]!.before.wanted)
    // It was down for most of the trigger, and nothing was sent again.
    expect(measures.started!.trigger!.median).toBeLessThan(0.7)
    expect(measures.attempts.trigger!.median).toBeCloseTo(1, 1)
    expect(measures.started!.after!.median).toBeCloseTo(1, 1)
    expect(existsSync(flag)).toBe(false)
  })

  test('keeps the journal of each run: what a killed test left in flight is resumed', async () => {
    await using folder = await temporaryFolder()
    const slow = CREW.replace('100ms', '1s')
    const { token, args } = await quickCrew(folder.path, slow)
    const options = { env: { CREWLOAD_TOKEN: token } }
    const times = words('--before 60s --for 1s --observe 1s --set arrivals.rate=4/s')
    const child = startCli([...args, '--trigger-command', 'true', ...times], options)
    const out = join(folder.path, 'out')
    const journal = async (): Promise<string> => {
      const [test = ''] = await readdir(out)
      return readFile(join(out, test, 'run-1', 'executions.ndjson'), 'utf8')
    }
    await expect.poll(async () => journal().catch(() => ''), PATIENT).toContain('"accepted"')
    child.kill('SIGKILL')
    await finished(child)
    const lines = (await journal()).split('\n').filter((line) => line.includes('"accepted"'))
    const [test = ''] = await readdir(out)
    const resumed = await cli(['resume', join(out, test, 'run-1'), '--json'], options)
    const { outcomes } = JSON.parse(resumed.stdout) as ResultDocument
    expect(outcomes.completed).toBeGreaterThanOrEqual(lines.length)
    expect(outcomes.completed + outcomes.notReached + outcomes.unknown).toBe(
      Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    )
  })

  test('is INVALID where the command failed: nobody knows what there was to recover from', async () => {
    await using folder = await temporaryFolder()
    const { token, args } = await quickCrew(folder.path)
    const told = await cli(
      [
        ...args,
        '--trigger-command',
        'echo no >&2; exit 7',
        ...words('--before 1s --for 500ms --observe 1s'),
      ],
      { env: { CREWLOAD_TOKEN: token } },
    )
    expect(told.code).toBe(3)
    expect(documentOf(told).verdict.reasons.map(({ message }) => message)).toEqual([
      'the command echo no >&2; exit 7 ended with 7: no',
    ])
  })

  test('gives the fake crew its fault, and takes it back', async () => {
    await using folder = await temporaryFolder()
    const { url, token, args } = await quickCrew(folder.path)
    const told = await cli(
      [
        ...args,
        '--trigger',
        '{ status: { code: 503 }, operations: [kickoff] }',
        ...words('--before 1s --for 500ms --observe 1s'),
      ],
      { env: { CREWLOAD_TOKEN: token } },
    )
    // Three seconds are too short to tell anything: it says so.
    expect(told.code).toBe(4)
    expect(documentOf(told).verdict.reasons[0]?.remedy).toContain('--observe')
    const headers = { authorization: `Bearer ${token}` }
    const ask = async (path: string): Promise<string> =>
      (await fetch(`${url}/__fake__/faults${path}`, { headers })).text()
    const marks = (await ask('/marks'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as FaultMark)
    expect(marks.length).toBeGreaterThan(15)
    expect(new Set(marks.map(({ fault }) => fault))).toEqual(new Set(['trigger']))
    const times = marks.map(({ at_ms: at }) => at)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(500)
    expect(JSON.parse(await ask(''))).toMatchObject({ faults: [] })
  })
})
