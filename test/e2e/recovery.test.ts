/**
 * `crewload recovery`, as a user types it: in virtual time, over sockets with a command of the
 * user's, and with every mistake told.
 */
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

const SHORT = words(
  '--profile metastable --seeds 1 --no-bisect --for 20s --before 65s --observe 100s ' +
    '--set arrivals.warmUp=10s --set deadline=25s',
)

function documentOf({ stdout }: Finished): RecoveryDocument {
  return JSON.parse(stdout) as RecoveryDocument
}

describe('in virtual time', () => {
  test('leaves its document, its page and its summary, and says the same on the terminal', async () => {
    await using folder = await temporaryFolder()
    const args = ['recovery', 'recovery', ...SHORT, '--out', folder.path]
    const { code, stdout, stderr } = await cli(args)
    expect(code).toBe(0)
    const [run = ''] = await readdir(folder.path)
    expect(run).toMatch(/^recovery-recovery-\d{8}T\d{6}Z$/)
    const read = async (name: string): Promise<string> =>
      readFile(join(folder.path, run, name), 'utf8')
    const document = JSON.parse(await read('recovery.json')) as RecoveryDocument
    expect(document.verdict.counts.recovers).toBe(1)
    // One of them the control.
    expect(document.runs).toBe(2)
    expect(document.trials.map(({ servedControl }) => servedControl?.value)).toEqual([1])
    expect(await read('report.html')).toContain(`<title>✓ RECOVERS recovery of recovery</title>`)
    expect(await read('summary.md')).toMatch(/^## ✓ RECOVERS: recovery of recovery\n/)
    expect(await read('junit.xml')).toContain('<testcase name="seed 42"')
    expect(stdout).toMatch(/^RECOVERS {3}The crew recovers from a trigger of 20.0 s \(hang: \{\}\)/)
    expect(stderr.split('\n').filter((line) => line.startsWith(' seed '))).toHaveLength(1)
  })

  test('fails for a client that keeps the crew down, and says nothing else where it is told to be quiet', async () => {
    await using folder = await temporaryFolder()
    const storm = ['recovery', 'retry-storm', ...SHORT, '--no-control']
    const args = [...storm, '--json', '--quiet', '--out', folder.path]
    const told = await cli(args)
    expect([told.code, told.stderr]).toEqual([1, ''])
    expect(documentOf(told).verdict.outcome).toBe('does-not-recover')
  })

  test('slow is a failure where a bound was asked for', async () => {
    await using folder = await temporaryFolder()
    const args = ['recovery', 'recovery', ...SHORT, '--no-control', '--out', folder.path]
    // What minutes of good times save up is a storm: it takes a while to get over it.
    const saving = ['--set', 'retry.budget.window=10m']
    const { code, stdout } = await cli([...args, ...saving, '--within', '1s'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^RECOVERS SLOWLY /)
  })

  test('--dry-run prints the plan and runs nothing', async () => {
    const { code, stdout } = await cli(['recovery', 'recovery', ...SHORT, '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toMatchSnapshot()
  })
})

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

describe('a mistake', () => {
  test.each([
    ['a-fault-that-there-is-not', ['--profile', 'metastable', '--trigger', 'hung: {}']],
    ['a-command-in-virtual-time', ['--profile', 'metastable', '--trigger-command', 'true']],
    [
      'many-at-once',
      [
        '--profile',
        'metastable',
        '--for',
        'long',
        '--before',
        '0',
        '--set',
        'arrivals={"clients":2,"for":"1m"}',
      ],
    ],
    ['nowhere-to-go', []],
    ['no-seeds', ['--profile', 'metastable', '--seeds', '0']],
    [
      'several-runs-of-a-deployment',
      [
        '--target',
        'https://crew.example',
        '--max-kickoffs',
        '9',
        '--seeds',
        '2',
        '--trigger-command',
        'true',
      ],
    ],
  ])('%s', async (_, args) => {
    const { code, stdout, stderr } = await cli(['recovery', 'recovery', ...args], {
      env: { CREWLOAD_TOKEN: 'secret' },
    })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatchSnapshot()
  })

  test('a fault for a target that is no fake crew', async () => {
    const args = ['recovery', 'recovery', '--target', 'http://127.0.0.1:9']
    const { code, stderr } = await cli(args, { env: { CREWLOAD_TOKEN: 'secret' } })
    expect(code).toBe(2)
    expect(stderr).toContain('this target is not one: disturb it with --trigger-command')
  })
})
