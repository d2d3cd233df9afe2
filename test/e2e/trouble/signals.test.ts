/**
 * Every command that sends, ended by a signal while nobody reads its output: it says or writes what
 * it knows, ends with a documented exit code, and leaves no process behind.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli, finished, startCli, temporaryFolder } from '../../support/cli.ts'

/** Set to send each command every signal; one of them otherwise. */
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
  const [name = ''] = await readdir(out)
  recorded = join(out, name)
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
  file?: 'probes.ndjson' | 'trials.ndjson'
  /** Default 130. */
  code?: number
  /** Writes no folder. */
  isPlain?: boolean
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
  const place = row.name === 'twin' ? ['--reports', out] : ['--out', out]
  const words = [...row.words(), ...(row.isPlain === true ? [] : place)]
  const child = startCli(words, { env: { CREWLOAD_TOKEN: crew.token } })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  if (row.name === 'fake') await once(child.stdout!, 'data')
  child.stdout!.destroy()
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

async function untilResumed(folder: string): Promise<void> {
  for (let tries = 0; tries < WITHIN_MS / 20; tries++) {
    const journal = await readFile(join(folder, 'executions.ndjson'), 'utf8')
    if (journal.includes('{"type":"resumed"')) return
    await sleep(20)
  }
}

test('resume stops now at the second signal, and writes the report', async () => {
  await using folder = await temporaryFolder()
  const env = { CREWLOAD_TOKEN: slow.token }
  const words = ['run', ...SCENARIO, '--target', slow.url, '--out', folder.path]
  const run = startCli(words, { env })
  await atWork({ name: 'run', words: () => words }, folder.path, () => '')
  run.kill('SIGKILL')
  await once(run, 'exit')
  const [name = ''] = await readdir(folder.path)
  const child = startCli(['resume', join(folder.path, name)], { env })
  child.stdout!.destroy()
  const result = finished(child)
  await untilResumed(join(folder.path, name))
  child.kill('SIGTERM')
  await once(child.stderr!, 'data')
  child.kill('SIGHUP')
  const { code, stderr } = await result
  expect({ code, stderr }).toMatchObject({ code: 130 })
  expect(stderr).toContain('aborted, but still running on the target')
  expect(await readdir(join(folder.path, name))).toContain('report.html')
})

const CASES: readonly Case[] = ROWS.flatMap((row, i) =>
  SIGNALS.filter((_, k) => IS_WHOLE || k === i % SIGNALS.length).map((signal) => ({
    name: `${row.name} at ${signal}`,
    row,
    signal,
  })),
)

test.concurrent.each(CASES)('$name', ended)
