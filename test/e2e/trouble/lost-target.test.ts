/**
 * A target that is lost in mid-run, as a user meets it: the built command line over real sockets,
 * its exit code, and its words on the terminal and the page.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { finished, folderIn, startCli, startFakeCli, temporaryFolder } from '../../support/cli.ts'
import { countingTarget } from '../../support/targets/counting.ts'

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
const TOKEN = 'of-all'
const PATIENT = { timeout: 30_000, interval: 20 }

interface Crew extends AsyncDisposable {
  url: string
  kickoffs(): Promise<number>
  kill(): Promise<void>
}

interface Loss {
  /** Default: a fake crew. */
  crew?: (folder: string) => Promise<Crew>
  /** What befalls the crew in mid-run. */
  strike: (
    crew: Crew,
    folder: string,
    atEnd: (stop: () => Promise<void>) => void,
  ) => Promise<unknown>
  changes?: object
  args?: (crew: Crew) => string[]
  env?: (folder: string) => Promise<Record<string, string>>
  code: number
  words: RegExp
  holds: (document: ResultDocument) => void
}

async function fakeCrew(folder: string, ...args: string[]): Promise<Crew> {
  const profile = join(folder, 'steady.yaml')
  await writeFile(profile, PROFILE)
  const env = { CREWLOAD_FAKE_TOKEN: TOKEN }
  const fake = await startFakeCli(['--profile', profile, ...args], { env })
  return { ...fake, kickoffs: async () => (await fake.ledger()).length }
}

/** One whose ledger nobody waits for when it is gone. */
async function otherCrew(): Promise<Crew> {
  const target = await countingTarget({ refuseEvery: 0 })
  const kill = async (): Promise<void> => target[Symbol.asyncDispose]()
  return { ...target, kickoffs: async () => target.counts.kickoffs, kill }
}

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

const LOSSES: Record<string, Loss> = {
  'by a token that is revoked: refused, exit code 5': {
    strike: async ({ url }) =>
      fetch(`${url}/__fake__/faults`, { method: 'POST', body: '[{ denied: {} }]' }),
    code: 5,
    words: /the token was no longer accepted from [\d.]+ m?s on/i,
    holds: ({ targetLoss }) =>
      expect(targetLoss).toMatchObject({ state: 'refused', first: 401, last: 401 }),
  },
  'by the end of its process: failed, exit code 1': {
    crew: otherCrew,
    strike: async (crew) => crew.kill(),
    args: ({ url }) => ['--target', url, '--max-kickoffs', '40'],
    code: 1,
    words: /the target (?:refused connections|no longer gave complete answers) from [\d.]+ m?s on/i,
    holds: ({ targetLoss, verdict, reasons }) => {
      expect(targetLoss).toMatchObject({ state: 'dead', last: 'refused', instances: 1 })
      // A connection that stood when the target went is cut before the next is refused.
      expect(['refused', 'reset', 'closed']).toContain(targetLoss?.first)
      expect(verdict.reasons).toContainEqual(
        expect.objectContaining({ code: 'threshold', metric: 'target.alive' }),
      )
      expect(reasons.notReached).toMatchObject([{ reason: { code: 'target-lost', state: 'dead' } }])
    },
  },
  'by the end of its process, and found again by its successor: a threshold decides, exit code 1': {
    strike: async (crew, folder, atEnd) => {
      await crew.kill()
      const successor = await fakeCrew(folder, '--port', new URL(crew.url).port)
      atEnd(async () => successor[Symbol.asyncDispose]())
    },
    // Until its successor is up, however slow this machine is.
    changes: { deadline: '30s', circuit: 'off', thresholds: { 'outcome.lost': '< 1%' } },
    code: 1,
    words:
      /the target stopped finding \d+ executions that it had reported before: it may have restarted/,
    holds: ({ outcomes, ledger }) => {
      expect(outcomes.lost).toBeGreaterThan(4)
      expect(ledger?.clockErrorMs).toBeLessThan(500)
    },
  },
  'by a name that stops resolving: unreachable, exit code 5': {
    strike: async (_, folder) => writeFile(join(folder, 'gone'), ''),
    changes: { connections: { preOpen: 0, keepAlive: '1ms' } },
    args: ({ url }) => {
      const there = `http://crew.test:${new URL(url).port}`
      return ['--target', there, '--max-kickoffs', '40', '--yes']
    },
    env: async (folder) => {
      const names = join(folder, 'names.mjs')
      await writeFile(names, NAMES)
      return { NODE_OPTIONS: `--import=${names}`, CREW_GONE: join(folder, 'gone') }
    },
    code: 5,
    words: /the host name of the target no longer resolved from [\d.]+ m?s on/i,
    holds: ({ targetLoss }) =>
      expect(targetLoss).toMatchObject({ state: 'dead', first: 'dns', last: 'dns' }),
  },
}

describe.concurrent('a run whose target is lost on the way', () => {
  test.for(Object.entries(LOSSES))('%s', async ([, loss], { onTestFinished }) => {
    await using folder = await temporaryFolder()
    await using crew = await (loss.crew ?? fakeCrew)(folder.path)
    const { changes, code, words, args = () => ['--target', crew.url] } = loss
    const scenario = join(folder.path, 'weather.ts')
    await writeFile(scenario, `export default ${JSON.stringify({ ...SCENARIO, ...changes })}`)
    const out = join(folder.path, 'reports')
    const env = { CREWLOAD_TOKEN: TOKEN, ...(await loss.env?.(folder.path)) }
    const child = startCli(['run', scenario, ...args(crew), '--out', out], { env })
    const ending = finished(child)
    await expect.poll(async () => crew.kickoffs(), PATIENT).toBeGreaterThanOrEqual(10)
    await loss.strike(crew, folder.path, onTestFinished)
    const ended = await ending
    expect(ended).toMatchObject({ code })
    const read = async (name: string): Promise<string> =>
      readFile(join(await folderIn(out), name), 'utf8')
    const page = (await read('report.html')).replaceAll(/<[^>]*>/g, '')
    for (const text of [ended.stdout, page]) expect(text.replaceAll(/\s+/g, ' ')).toMatch(words)
    const document = JSON.parse(await read('result.json')) as ResultDocument
    expect(Object.values(document.outcomes).reduce((sum, count) => sum + count, 0)).toBe(40)
    loss.holds(document)
  })
})
