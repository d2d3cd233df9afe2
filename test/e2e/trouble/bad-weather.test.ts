/**
 * A target that is lost in mid-run, as a user meets it: the built command line over real sockets,
 * its exit code, and its words.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { RunningFake } from '../../support/cli.ts'
import { finished, startCli, startFakeCli, temporaryFolder } from '../../support/cli.ts'

/** Executions of a second, for four seconds; given up after one in which nothing was of use. */
const SCENARIO = {
  name: 'bad-weather',
  arrivals: { rate: '10/s', for: '4s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '100ms' },
  deadline: '3s',
  notFoundGrace: '300ms',
  circuit: { after: '1s', requests: 10 },
  validity: { lateness: '1h', utilisation: 1, little: 1 },
}

const PROFILE = `
name: steady
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 1s, output: 100B }]
capacity: { workers: unlimited }
`

interface Told {
  code: number | null
  /** Without the breaks of lines. */
  terminal: string
  /** Of report.html, without its tags. */
  page: string
  document: ResultDocument
}

class Shelter {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async file(name: string, text: string): Promise<string> {
    const path = join(this.folder, name)
    await writeFile(path, text)
    return path
  }

  /** Runs the scenario, changed, while `meanwhile` does its harm. */
  async run(
    args: readonly string[],
    env: Record<string, string>,
    changes: object = {},
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<Told> {
    const scenario = { ...SCENARIO, ...changes }
    const file = await this.file('weather.ts', `export default ${JSON.stringify(scenario)}`)
    const out = join(this.folder, 'reports')
    const child = startCli(['run', file, ...args, '--out', out], { env })
    const [{ code, stdout, stderr }] = await Promise.all([finished(child), meanwhile()])
    const [name] = await readdir(out).catch(() => [])
    if (name === undefined) throw new Error(stderr)
    const read = async (each: string): Promise<string> => readFile(join(out, name, each), 'utf8')
    const page = (await read('report.html')).replaceAll(/<[^>]*>/g, '')
    const document = JSON.parse(await read('result.json')) as ResultDocument
    return {
      code,
      terminal: stdout.replaceAll(/\s+/g, ' '),
      page: page.replaceAll(/\s+/g, ' '),
      document,
    }
  }
}

/** Resolves when the crew has accepted so many. */
async function accepted({ url }: RunningFake, count: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const rows = await (await fetch(`${url}/__fake__/ledger`)).text()
    if (rows.split('\n').length > count) return
    await sleep(20)
  }
  throw new Error('nothing was kicked off')
}

function sum({ outcomes }: ResultDocument): number {
  return Object.values(outcomes).reduce((total, count) => total + count, 0)
}

const FORGOT =
  /the target stopped finding \d+ executions that it had reported before: it may have restarted/

/** A crew of its own, which the fault befalls when ten executions are under way. */
async function runUnderFault(shelter: Shelter, fault: string, changes: object = {}): Promise<Told> {
  const crew = await startFakeCli(['--profile', await shelter.file('steady.yaml', PROFILE)])
  const strike = async (): Promise<void> => {
    await accepted(crew, 10)
    await fetch(`${crew.url}/__fake__/faults`, { method: 'POST', body: fault })
  }
  const env = { CREWLOAD_TOKEN: crew.token }
  const there = ['--target', crew.url]
  return shelter.run(there, env, changes, strike).finally(async () => crew.stop())
}

describe.concurrent('a run whose target is lost on the way', () => {
  test('by a token that is revoked: refused, exit code 5', async () => {
    await using folder = await temporaryFolder()
    const told = await runUnderFault(new Shelter(folder.path), '[{ denied: {} }]')
    const { code, terminal, page, document } = told
    expect(code).toBe(5)
    expect(document.targetLoss).toMatchObject({ state: 'refused', first: 401, last: 401 })
    expect(sum(document)).toBe(40)
    const words = /the token was no longer accepted from [\d.]+ m?s on/
    expect(terminal).toMatch(words)
    expect(page).toMatch(words)
  })

  test('by a restart that forgets all, and is over at once: a threshold decides, exit code 1', async () => {
    await using folder = await temporaryFolder()
    const thresholds = { 'outcome.lost': '< 1%' }
    const shelter = new Shelter(folder.path)
    const told = await runUnderFault(shelter, '[{ restart: { loses: all } }]', { thresholds })
    const { code, terminal, page, document } = told
    expect(code).toBe(1)
    expect(sum(document)).toBe(40)
    expect(document.outcomes.lost).toBeGreaterThan(4)
    expect(document.ledger?.disagreements.map(({ kind }) => kind)).not.toContain('lost')
    expect(terminal).toMatch(FORGOT)
    expect(page).toMatch(FORGOT)
  })

  test('by the end of its process, and found again by its successor: a threshold decides, exit code 1', async () => {
    await using folder = await temporaryFolder()
    const shelter = new Shelter(folder.path)
    const profile = await shelter.file('steady.yaml', PROFILE)
    const env = { CREWLOAD_FAKE_TOKEN: 'of-both', CREWLOAD_TOKEN: 'of-both' }
    const first = await startFakeCli(['--profile', profile], { env })
    let second: RunningFake | null = null
    const restart = async (): Promise<void> => {
      await accepted(first, 10)
      await first.kill()
      const { port } = new URL(first.url)
      second = await startFakeCli(['--profile', profile, '--port', port], { env })
    }
    // Until its successor is up, however slow this machine is.
    const changes = { deadline: '30s', circuit: 'off', thresholds: { 'outcome.lost': '< 1%' } }
    const there = ['--target', first.url]
    const told = await shelter.run(there, env, changes, restart).finally(async () => second?.stop())
    const { code, terminal, page, document } = told
    expect(code).toBe(1)
    expect(sum(document)).toBe(40)
    expect(document.outcomes.lost).toBeGreaterThan(4)
    expect(document.ledger?.clockErrorMs).toBeLessThan(500)
    expect(terminal).not.toContain('no process listens there')
    expect(terminal).toMatch(FORGOT)
    expect(page).toMatch(FORGOT)
  })

  test('by a name that stops resolving: unreachable, exit code 5', async () => {
    await using folder = await temporaryFolder()
    const shelter = new Shelter(folder.path)
    const profile = await shelter.file('steady.yaml', PROFILE)
    const gone = join(folder.path, 'gone')
    const names = await shelter.file('names.mjs', NAMES)
    const crew = await startFakeCli(['--profile', profile])
    const env = { CREWLOAD_TOKEN: crew.token, NODE_OPTIONS: `--import=${names}`, CREW_GONE: gone }
    const { port } = new URL(crew.url)
    const lose = async (): Promise<void> => {
      await accepted(crew, 10)
      await writeFile(gone, '')
    }
    const there = ['--target', `http://crew.test:${port}`, '--max-kickoffs', '40', '--yes']
    const changes = { connections: { preOpen: 0, keepAlive: '1ms' } }
    const told = await shelter.run(there, env, changes, lose).finally(async () => crew.stop())
    const { code, terminal, page, document } = told
    expect(code).toBe(5)
    expect(document.targetLoss).toMatchObject({ state: 'dead', first: 'dns', last: 'dns' })
    expect(sum(document)).toBe(40)
    const words = /the host name of the target no longer resolved from [\d.]+ m?s on/
    expect(terminal).toMatch(words)
    expect(page).toMatch(words)
  })
})

/** A resolver that knows `crew.test` as this machine, until the file CREW_GONE is there. */
const NAMES = `
import dns from 'node:dns'
import { existsSync } from 'node:fs'
const { lookup } = dns
dns.lookup = (name, options, done) => {
  if (name !== 'crew.test') return lookup(name, options, done)
  if (!existsSync(process.env.CREW_GONE)) return lookup('127.0.0.1', options, done)
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND crew.test'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
  process.nextTick(done, error)
}
`
