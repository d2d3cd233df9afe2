/** `--workers` on the command line: signals, kills, a full disk, secrets. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { cli, finished, startCli, startFakeCli, temporaryFolder } from '../support/cli.ts'

const CALM = ['--set', 'validity.lateness=10s', '--set', 'validity.utilisation=1']
const LONG = ['--set', 'arrivals={"rate":"10/s","for":"10m"}', '--set', 'polling={"fixed":"100ms"}']
const INPUTS = ['--set', 'inputs={"topic":"bees","audience":"children"}']

function inFolder(out: string, ...more: string[]): string[] {
  return against(['--profile', 'fast'], out, ...more)
}

function against(crew: readonly string[], out: string, ...more: string[]): string[] {
  const place = [...crew, '--out', out, '--workers', '2']
  return ['run', 'steady', ...place, ...CALM, ...INPUTS, '--set', 'thresholds={}', ...more]
}

async function everythingBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map(async (file) => readFile(join(file.parentPath, file.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

/** The run folder and its lines, once so many executions are accepted. */
async function acceptedIn(out: string, many: number): Promise<{ path: string; journal: string }> {
  for (let tries = 0; tries < 300; tries++) {
    await sleep(100)
    const [name] = await readdir(out).catch(() => [])
    const path = join(out, name ?? '')
    const journal = await readFile(join(path, 'executions.ndjson'), 'utf8').catch(() => '')
    if (journal.split('"type":"accepted"').length > many) return { path, journal }
  }
  throw new Error('nothing was accepted')
}

describe('a run with two workers', () => {
  test('drains at Ctrl-C, and says how many instances there were', async () => {
    await using folder = await temporaryFolder()
    const child = startCli(inFolder(folder.path, ...LONG, '--json'))
    const result = finished(child)
    await acceptedIn(folder.path, 8)
    // A terminal's Ctrl-C reaches the whole group, the fake crew of the run too.
    process.kill(-child.pid!, 'SIGINT')
    const { code, stdout, stderr } = await result
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(130)
    expect(stderr).toContain('no new kickoffs')
    expect(document.run).toMatchObject({ stopped: 'drained', engine: 'node', instances: 2 })
    expect(document.outcomes.aborted).toBe(0)
    expect(document.ledger!.disagreements).toEqual([])
  })

  test('stops now at the second Ctrl-C, and lists what still runs on the target', async () => {
    await using folder = await temporaryFolder()
    // A hundredth of the speed: ten kickoffs per second for ten minutes, each a minute long and
    // more.
    const slow = ['--speed', '0.01', '--set', 'arrivals={"rate":"1000/s","for":"6s"}']
    // A crew that outlives the run: of one of its own nothing would go on.
    const crew = await startFakeCli(['--profile', 'fast', '--speed', '0.01'])
    const args = against(['--target', crew.url], folder.path, ...slow, '--json')
    const child = startCli(args, { env: { CREWLOAD_TOKEN: crew.token } })
    const result = finished(child)
    await acceptedIn(folder.path, 8)
    child.kill('SIGINT')
    await once(child.stderr!, 'data')
    child.kill('SIGINT')
    const { code, stdout, stderr } = await result.finally(async () => crew.stop())
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(130)
    expect(document.run.stopped).toBe('now')
    expect(document.outcomes.aborted).toBeGreaterThanOrEqual(8)
    const told = stderr.match(/^ {2}[0-9a-f-]{36}$/gm) ?? []
    expect(new Set(told).size).toBeGreaterThanOrEqual(8)
    expect(told.length).toBeLessThanOrEqual(document.outcomes.aborted)
  })

  test('leaves whole lines of both when it is killed', async () => {
    await using folder = await temporaryFolder()
    const child = startCli(inFolder(folder.path, ...LONG, '--quiet'))
    const gone = once(child, 'exit')
    const { path } = await acceptedIn(folder.path, 12)
    child.kill('SIGKILL')
    await gone
    const text = await readFile(join(path, 'executions.ndjson'), 'utf8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalLine)
    const accepted = lines.filter((line) => line.type === 'accepted')
    expect(new Set(accepted.map(({ instance }) => instance))).toEqual(new Set([0, 1]))
    const { code, stdout } = await cli(['report', '--recover', path, '--json'])
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(3)
    expect(document.run).toMatchObject({ stopped: 'crashed', instances: 2 })
    expect(document.generator.checks.find(({ name }) => name === 'journal')?.ok).toBe(true)
  })

  test('ends when the fake crew that it started is gone', async () => {
    await using folder = await temporaryFolder()
    const child = startCli(inFolder(folder.path, ...LONG, '--json'))
    const result = finished(child)
    await acceptedIn(folder.path, 4)
    const { pid } = child
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const fakes = await Promise.all(
      children
        .trim()
        .split(/\s+/)
        .map(async (each) => {
          const command = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')
          return command.includes('\0fake\0') ? [Number(each)] : []
        }),
    )
    const [fake] = fakes.flat()
    process.kill(fake!, 'SIGKILL')
    const { stdout } = await result
    const document = JSON.parse(stdout) as ResultDocument
    expect(document.run.stopped).toBe('now')
    expect(document.run.stopReason).toContain('the fake crew of this run ended by itself')
  })

  test.runIf(process.platform === 'linux')('records what a full disk does not take', async () => {
    await using folder = await temporaryFolder()
    const main = fileURLToPath(new URL('../../dist/bin/crewload.js', import.meta.url))
    const short = [
      '--set',
      'arrivals={"rate":"30/s","for":"2s"}',
      '--set',
      'polling={"fixed":"100ms"}',
    ]
    const args = [main, ...inFolder(folder.path, ...short, '--json')]
    // No file may grow beyond 10 to 20 kB, depending on the shell's unit.
    const limited = ['-c', 'ulimit -f 20; exec "$0" "$@"', process.execPath, ...args]
    const { code, stdout } = (await promisify(execFile)('sh', limited, { maxBuffer: 1e8 }).catch(
      (error: { code: number; stdout: string }) => error,
    )) as { code?: number; stdout: string }
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(3)
    expect(document.outcomes.completed + document.outcomes.failed).toBe(60)
    expect(document.verdict.reasons.map((reason) => reason.code)).toContain('journal-error')
  })
})

describe('a token', () => {
  test('is in nothing that workers write, even when the code of a scenario throws it', async () => {
    await using folder = await temporaryFolder()
    const token = 'sesame-4711-open'
    const fake = await startFakeCli(['--profile', 'fast'], { env: { CREWLOAD_FAKE_TOKEN: token } })
    const scenario = join(folder.path, 'leaky.ts')
    await writeFile(
      scenario,
      `import { isMainThread } from 'node:worker_threads'
      export default {
        name: 'leaky',
        arrivals: { rate: '20/s', for: '1m' },
        polling: { fixed: '100ms' },
        inputs: ({ index }) => {
          const leak = new Error('my token is ' + process.env.CREWLOAD_TOKEN)
          if (!isMainThread && index === 6) setImmediate(() => { throw leak })
          return { topic: 'bees', audience: 'children' }
        },
      }`,
    )
    const out = join(folder.path, 'out')
    const args = ['run', scenario, '--target', fake.url, '--out', out, '--workers', '2']
    const child = startCli(args, { env: { CREWLOAD_TOKEN: token } })
    const result = finished(child)
    const shown = await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => '')
    const { code, stdout, stderr } = await result
    await fake.stop()
    const written = await everythingBelow(out)
    expect(code).toBe(3)
    expect(written).toContain('was lost: my token is ***')
    for (const text of [written, stdout, stderr, shown]) expect(text).not.toContain(token)
  })
})
