/**
 * Every command that sends, ended by a signal while nobody reads its output: it says or writes what
 * it knows, ends with a documented exit code, and leaves no process behind. A hangup is obeyed unless
 * nohup started it, and a fake crew ends with the npx that started it.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askToStop } from '../../../src/run/folder/stop.ts'
import {
  MAIN,
  cli,
  documentOf,
  finished,
  folderIn,
  startCli,
  startFakeCli,
  temporaryFolder,
} from '../../support/cli.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { cleanEnv } from '../../support/program/program.ts'

/** Set to send each command every signal; one of them in an experiment, and to a few otherwise. */
const IS_WHOLE = process.env['CREWLOAD_SWEEP'] === 'whole'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const WITHIN_MS = 60_000
const CLOSES_WITHIN_MS = 5_000

const INPUTS = '{"company":"Acme","period":"2026"}'
const SCENARIO = ['smoke', '--set', `inputs=${INPUTS}`, '--set', 'arrivals.iterations=1000']
const FAKE = ['--profile', 'slow-report', '--speed', '60']

let crew: FakeCrew
/** Its executions take a minute. */
let slow: FakeCrew
let root: Awaited<ReturnType<typeof temporaryFolder>>
let recorded = ''
beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'slow-report', speed: 600 })
  slow = await startFakeCrew({ profile: 'slow-report', speed: 30 })
  root = await temporaryFolder()
  const out = join(root.path, 'recorded')
  const many = ['--set', 'arrivals.iterations=400']
  await cli(['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', ...many, '--out', out])
  recorded = await folderIn(out)
})
afterAll(async () => {
  await Promise.all([crew.stop(), slow.stop()])
  await root[Symbol.asyncDispose]()
})

interface Row {
  name: string
  words: () => string[]
  /** What it prints on standard error once it is at work. Default: it has written `file` then. */
  says?: RegExp
  /** Default: the journal of a run, with lines. */
  file?: 'executions.ndjson' | 'probes.ndjson' | 'trials.ndjson'
  /** Default 130. */
  code?: number
  /** Writes no folder. */
  isPlain?: boolean
  /** Nobody reads what it says on standard error either. */
  isUnheard?: boolean
}

interface Case {
  name: string
  row: Row
  signal: NodeJS.Signals
}

const target = (): string[] => ['--target', crew.url]
const SLO = ['--slo', 'execution.p90 < 10m']

const ROWS: readonly Row[] = [
  { name: 'run', words: () => ['run', ...SCENARIO, ...target()] },
  {
    name: 'run that nobody hears',
    words: () => ['run', ...SCENARIO, ...target()],
    isUnheard: true,
  },
  { name: 'run with a fake crew', words: () => ['run', ...SCENARIO, ...FAKE] },
  { name: 'demo', words: () => ['demo'] },
  {
    name: 'check',
    words: () => ['check', ...target(), '--inputs', INPUTS],
    says: /One kickoff is sent/,
    isPlain: true,
  },
  {
    name: 'limits',
    words: () => ['limits', ...target(), '--operations', 'inputs'],
    file: 'probes.ndjson',
  },
  {
    name: 'polling',
    words: () => ['polling', '--scenario', ...SCENARIO, ...target(), '--max-kickoffs', '50'],
  },
  { name: 'capacity', words: () => ['capacity', ...SCENARIO, ...target(), ...SLO] },
  {
    name: 'gate',
    words: () => ['gate', ...SCENARIO, ...target(), '--baseline', join(root.path, 'baseline')],
  },
  { name: 'saturate', words: () => ['saturate', 'inputs', ...target()], file: 'trials.ndjson' },
  {
    name: 'recovery',
    words: () => ['recovery', 'recovery', '--profile', 'fast', '--engine', 'node'],
  },
  { name: 'twin', words: () => ['twin', recorded, '--replays', '100'], file: 'trials.ndjson' },
  { name: 'fake', words: () => ['fake', ...FAKE], says: /^/, code: 0, isPlain: true },
]

async function atWork(row: Row, out: string, told: () => string): Promise<void> {
  const { says, file = 'executions.ndjson' } = row
  for (let tries = 0; tries < WITHIN_MS / 20; tries++) {
    if (says?.test(told()) === true) break
    const files = says === undefined ? await filesIn(out) : []
    const found = files.find((name) => name.endsWith(file))
    // The trials of a study may take long, so that their file is empty at first.
    const isBegun =
      found !== undefined && (file === 'trials.ndjson' || (await stat(found)).size > 0)
    if (isBegun) break
    await sleep(20)
  }
  await sleep(300)
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.map((name) => join(folder, name))
}

/** No process of its group is left: not the fake crew of a run, no engine, no worker. */
async function leavesNone({ pid }: ChildProcess): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < CLOSES_WITHIN_MS; waitedMs += 50) {
    try {
      process.kill(-pid!, 0)
    } catch {
      return true
    }
    await sleep(50)
  }
  return false
}

async function ended({ row, signal }: Case): Promise<void> {
  await using folder = await temporaryFolder()
  const out = join(folder.path, 'out')
  const words = [...row.words(), ...(row.isPlain === true ? [] : ['--out', out])]
  const child = startCli(words, { env: { CREWLOAD_TOKEN: crew.token } })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  if (row.name === 'fake') await once(child.stdout!, 'data')
  child.stdout!.destroy()
  if (row.isUnheard === true) child.stderr!.destroy()
  await atWork(row, out, () => stderr)
  // It may have come to its end before.
  if (child.exitCode === null) child.kill(signal)
  const kill = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), WITHIN_MS)
  const [code, by] = await gone
  clearTimeout(kill)
  expect({ code, by, stderr }).toMatchObject({ code: row.code ?? 130, by: null })
  expect(stderr).not.toContain('crewload itself failed')
  expect(await leavesNone(child)).toBe(true)
  if (row.isPlain === true) return
  const isReported = (await filesIn(out)).some((name) => name.endsWith('report.html'))
  expect({ isReported, stderr }).toEqual({ isReported: true, stderr })
}

/** Resolves when the journal of the run below `out` has so many lines of this type. */
async function untilLines(out: string, type: string, count: number): Promise<void> {
  for (let tries = 0; tries < WITHIN_MS / 20; tries++) {
    const journal = join(await folderIn(out), 'executions.ndjson')
    const text = await readFile(journal, 'utf8').catch(() => '')
    if (text.split(`{"type":"${type}"`).length > count) return
    await sleep(20)
  }
}

test('crewload fake prints one JSON line when ready, takes its tokens, and ends with 0 on SIGTERM', async () => {
  const env = { CREWLOAD_FAKE_TOKEN: 'org-secret', CREWLOAD_FAKE_USER_TOKEN: 'user-secret' }
  const fake = await startFakeCli(['--profile', 'fast'], { env })
  expect([fake.token, fake.userToken]).toEqual(['org-secret', 'user-secret'])
  const headers = { authorization: 'Bearer org-secret' }
  expect((await fetch(`${fake.url}/inputs`, { headers })).status).toBe(200)
  expect(await fake.stop()).toBe(0)
})

test('resume stops now at the second signal, and writes the report', async () => {
  await using folder = await temporaryFolder()
  const env = { CREWLOAD_TOKEN: slow.token }
  const words = ['run', ...SCENARIO, '--target', slow.url, '--out', folder.path]
  const run = startCli(words, { env })
  await untilLines(folder.path, 'accepted', 1)
  run.kill('SIGKILL')
  await once(run, 'exit')
  const left = await folderIn(folder.path)
  const child = startCli(['resume', left, '--set', `inputs=${INPUTS}`], { env })
  child.stdout!.destroy()
  const result = finished(child)
  await untilLines(folder.path, 'resumed', 1)
  child.kill('SIGTERM')
  await once(child.stderr!, 'data')
  child.kill('SIGHUP')
  const { code, stderr } = await result
  expect({ code, stderr }).toMatchObject({ code: 130 })
  expect(stderr).toContain('aborted, but still running on the target')
  expect(await readdir(left)).toContain('report.html')
})

test('Ctrl-C once sends no more kickoffs, and waits for those in flight', async () => {
  await using folder = await temporaryFolder()
  const many = ['--set', 'arrivals.iterations=1000', '--profile', 'fast']
  const child = startCli(['run', 'smoke', ...many, '--out', folder.path, '--json'])
  const result = finished(child)
  await untilLines(folder.path, 'ended', 4)
  // A terminal's Ctrl-C reaches the whole group: the fake crew of the run must live on while the
  // run drains.
  process.kill(-child.pid!, 'SIGINT')
  const told = await result
  const { run, outcomes, ledger } = documentOf(told)
  expect([told.code, told.stderr]).toEqual([130, expect.stringContaining('no new kickoffs')])
  expect([run.stopped, outcomes.aborted, ledger!.disagreements]).toEqual(['drained', 0, []])
})

test('Ctrl-C twice stops now, and lists what still runs on the target', async () => {
  await using folder = await temporaryFolder()
  const words = ['run', ...SCENARIO, '--target', slow.url, '--out', folder.path, '--json']
  const clients = ['--set', 'arrivals.clients=4']
  const child = startCli([...words, ...clients], { env: { CREWLOAD_TOKEN: slow.token } })
  const result = finished(child)
  await untilLines(folder.path, 'accepted', 4)
  child.kill('SIGINT')
  await once(child.stderr!, 'data')
  child.kill('SIGINT')
  const told = await result
  const { run, outcomes } = documentOf(told)
  expect([told.code, run.stopped, outcomes.aborted]).toEqual([130, 'now', 4])
  expect(told.stderr.match(/^ {2}[0-9a-f-]{36}$/gm)).toHaveLength(4)
  const left = await folderIn(folder.path)
  expect(told.stderr).toContain(`continue with crewload resume ${left}`)
  expect(await readdir(left)).toContain('report.html')
})

test.each([
  ['run', ['run', ...SCENARIO], 'executions.ndjson'],
  ['study', ['limits', '--operations', 'inputs'], 'probes.ndjson'],
] as const)('a %s says that a page has stopped it now', async (_, words, file) => {
  await using folder = await temporaryFolder()
  const place = ['--target', slow.url, '--out', folder.path]
  const child = startCli([...words, ...place], { env: { CREWLOAD_TOKEN: slow.token } })
  const result = finished(child)
  await atWork({ name: '', words: () => [], file }, folder.path, () => '')
  expect(await askToStop(await folderIn(folder.path), 'now')).toBe(true)
  const { code, stderr } = await result
  expect([code, stderr]).toEqual([130, expect.stringContaining('crewload: stopping now; not wait')])
  expect(stderr).not.toMatch(/no new kickoffs|the study ends here/)
})

/** Sends the signal as soon as the command has created its folder; the names of files in it. */
async function signalled(
  signal: NodeJS.Signals,
  stdin: 'ignore' | number = 'ignore',
): Promise<{ code: number | null; left: string[] }> {
  await using folder = await temporaryFolder()
  const out = join(folder.path, 'out')
  const words = [MAIN, 'run', 'smoke', '--profile', 'fast', '--out', out]
  const child = spawn(process.execPath, words, { stdio: [stdin, 'ignore', 'ignore'] })
  const gone = once(child, 'exit') as Promise<[number | null]>
  while (child.exitCode === null && (await filesIn(out)).length === 0) await sleep(5)
  expect(child.kill(signal)).toBe(true)
  const [code] = await gone
  const made = (await filesIn(out)).length > 0
  return { code, left: made ? await readdir(await folderIn(out)) : [] }
}

test.concurrent.each(SIGNALS.slice(0, areExperimentsRun ? 3 : 1))(
  '%s before the first request ends with 130, and what is left is a run that reported',
  async (signal) => {
    const { code, left } = await signalled(signal)
    expect(code).toBe(130)
    expect(left.length === 0 || left.includes('result.json')).toBe(true)
    expect(left.filter((name) => name.startsWith('.'))).toEqual([])
  },
)

test.runIf(process.platform === 'linux')('a hangup does not end what nohup started', async () => {
  // As nohup does when the input is a terminal.
  const unreadable = openSync('/dev/null', 'w')
  try {
    const { code, left } = await signalled('SIGHUP', unreadable)
    expect([code, left]).toEqual([0, expect.arrayContaining(['result.json'])])
  } finally {
    closeSync(unreadable)
  }
})

/** Starts a command as npx does: by a shell, which lives as long as the command. */
const LIKE_NPX = `require('node:child_process').spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' })`
const COMMAND = `"${process.execPath}" "${MAIN}" fake --profile fast --json; :`
/** Starts the fake crew itself. */
const DIRECTLY = `require('node:child_process').spawn(process.execPath, JSON.parse(process.argv[1]), { stdio: 'inherit' })`

/** Whether the fake crew has ended at `withinMs` after the kill of what started it. */
async function endsWith(
  env: Record<string, string>,
  withinMs: number,
  script = ['-e', LIKE_NPX, COMMAND],
): Promise<boolean> {
  const starter = spawn(process.execPath, script, {
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  try {
    await once(starter.stdout, 'data')
    // The fake crew holds the other end of this pipe for as long as it lives.
    const closed = once(starter.stdout.resume(), 'end').then(() => true)
    starter.kill('SIGKILL')
    return await Promise.race([closed, sleep(withinMs, false)])
  } finally {
    endGroup(starter)
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

describe.runIf(process.platform === 'linux' && areExperimentsRun)(
  'a fake crew whose starter is killed',
  () => {
    const STARTERS = [
      ['ends when npx started it', 'exec', "'crewload'", true],
      ['goes on when npm ran a script', 'run', 'crewload fake & npm test', false],
      ['goes on when npx ran a tool', 'exec', "'vitest'", false],
    ] as const

    test.concurrent.each(STARTERS)('%s', async (_, command, script, ends) => {
      const env = { npm_command: command, npm_lifecycle_script: script }
      expect(await endsWith(env, ends ? 30_000 : 2_000)).toBe(ends)
    })

    const fake = [MAIN, 'fake', '--profile', 'fast', '--json']

    test.concurrent.each([
      ['goes on by itself', [], false],
      ['ends where --with-parent says so', ['--with-parent'], true],
    ])('%s', async (_, flags, ends) => {
      const script = ['-e', DIRECTLY, JSON.stringify([...fake, ...flags])]
      expect(await endsWith({}, ends ? 30_000 : 2_000, script)).toBe(ends)
    })

    test.concurrent('--with-parent ends where the parent ended before the fake crew had begun', async () => {
      const words = [process.execPath, ...fake, '--with-parent'].map((word) => `'${word}'`)
      const shell = spawn('sh', ['-c', `${words.join(' ')} & :`], {
        env: cleanEnv(),
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      try {
        const closed = once(shell.stdout.resume(), 'end').then(() => true)
        expect(await Promise.race([closed, sleep(30_000, false)])).toBe(true)
      } finally {
        endGroup(shell)
      }
    })

    test.concurrent('--with-parent means the one that started npx, as well as npx', async () => {
      const env = { npm_command: 'exec', npm_lifecycle_script: "'crewload'" }
      const npx = ['-e', LIKE_NPX, COMMAND.replace('--json', '--json --with-parent')]
      expect(await endsWith(env, 30_000, npx)).toBe(true)
      expect(await endsWith(env, 30_000, ['-e', DIRECTLY, JSON.stringify(npx)])).toBe(true)
    })
  },
)

const STEP = IS_WHOLE || areExperimentsRun ? 1 : 4
const CASES: readonly Case[] = ROWS.flatMap((row, i) =>
  SIGNALS.filter((_, k) => i % STEP === 0 && (IS_WHOLE || k === i % SIGNALS.length)).map(
    (signal) => ({
      name: `${row.name} at ${signal}`,
      row,
      signal,
    }),
  ),
)

test.concurrent.each(CASES)('$name', ended)
