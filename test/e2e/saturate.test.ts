/**
 * `crewload saturate`, as a user types it: against fake crews, within its budgets, and with every
 * mistake told.
 */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SaturationDocument } from '../../src/study/saturation/document.ts'
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type { CliOptions, Finished, RunningFake } from '../support/cli.ts'
import { cli, startFakeCli, temporaryFolder } from '../support/cli.ts'

const ONCE = ['--repeats', '1']
const QUICK = ['--connections', '2', '--duration', '1s', '--warm-up', '100ms', ...ONCE]

async function saturate(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  await using folder = await temporaryFolder()
  return await cli(['saturate', ...args, '--out', folder.path], options)
}

async function fakeCrew(): Promise<RunningFake & { options: CliOptions; target: string[] }> {
  const fake = await startFakeCli(['--profile', 'fast'])
  onTestFinished(async () => void (await fake.stop()))
  const options = { env: { CREWLOAD_TOKEN: fake.token } }
  return { ...fake, options, target: ['--target', fake.url] }
}

async function ledgerOf({ url, token }: RunningFake): Promise<LedgerRow[]> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${url}/__fake__/ledger`, { headers })).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerRow)
}

function documentOf({ stdout }: Finished): SaturationDocument {
  return JSON.parse(stdout) as SaturationDocument
}

const reasonsOf = ({ verdict }: SaturationDocument): string[] =>
  verdict.reasons.map(({ code }) => code)

describe('a ladder', () => {
  test('leaves its document, its page and its summary, and says the same on the terminal', async () => {
    await using folder = await temporaryFolder()
    const crew = ['saturate', 'inputs', '--profile', 'fast', ...QUICK]
    const args = [...crew, '--repeats', '3', '--out', folder.path]
    const { code, stdout, stderr } = await cli(args)
    expect([0, 4]).toContain(code)
    const [run = ''] = await readdir(folder.path)
    expect(run).toMatch(/^saturate-inputs-\d{8}T\d{6}Z$/)
    const read = async (name: string): Promise<string> =>
      readFile(join(folder.path, run, name), 'utf8')
    const document = JSON.parse(await read('saturation.json')) as SaturationDocument
    expect(document).toMatchObject({
      plan: { endpoint: 'inputs', ladder: [1, 2], repeats: 3 },
      ended: 'complete',
    })
    expect(document.trials.map(({ pass }) => pass)).toEqual([1, 1, 2, 2, 3, 3])
    expect(document.rungs.map(({ connections, visits }) => [connections, visits])).toEqual([
      [1, 3],
      [2, 3],
    ])
    for (const [at, { throughput, errors }] of document.rungs.entries()) {
      const rates = document.trials
        .filter(({ connections }) => connections === at + 1)
        .map((visit) => visit.throughput.value!)
      expect(throughput.low).toBeLessThan(Math.min(...rates))
      expect(throughput.high).toBeGreaterThan(Math.max(...rates))
      expect(errors.value).toBe(0)
    }
    expect(await read('report.html')).toContain('<title>')
    expect(await read('summary.md')).toContain('saturate inputs')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(document.verdict.sentence)
    expect(stdout).toContain(`${run}/report.html`)
    expect(stderr).toMatch(/^ 1 connection {2}[\d,.]+\/s/m)
    expect(stderr).toMatch(/^ 2 connections {2}[\d,.]+\/s/m)
  })

  test('asks about an execution that it kicks off itself at a fake crew of its own, and follows first', async () => {
    const args = ['status', '--profile', 'fast', ...QUICK, '--polling', '4s', '--json']
    const told = await saturate(args)
    expect(told.stderr).toContain('note: first the execution is polled to its end')
    const document = documentOf(told)
    expect(document.kickoffs).toBe(1)
    expect(reasonsOf(document)).not.toContain('mixed')
    const { inFlight } = document.feeds[0] as { inFlight: number }
    expect(document.feeds).toEqual([{ kind: 'polling', intervalMs: 4_000, inFlight }])
    expect(inFlight).toBeCloseTo(4 * document.ceiling!.throughput.value!)
  })
})

describe('a budget', () => {
  test('of kickoffs is never passed by a single one, by the ledger of the fake crew', async () => {
    const fake = await fakeCrew()
    const budget = ['--max-kickoffs', '131', '--connections', '8,9', '--json']
    const document = documentOf(
      await saturate(['kickoff', ...fake.target, ...budget], fake.options),
    )
    const rows = await ledgerOf(fake)
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.length).toBeLessThanOrEqual(document.kickoffs)
    expect(document.kickoffs).toBeLessThanOrEqual(131)
  })

  test('of one kickoff is what status takes, and none for an execution that is named', async () => {
    const fake = await fakeCrew()
    const once = ['status', ...fake.target, ...QUICK, '--max-kickoffs', '1', '--json']
    const own = documentOf(await saturate(once, fake.options))
    expect(own.kickoffs).toBe(1)
    const [row] = await ledgerOf(fake)
    // It ends within the ladder, which has then measured two kinds of answers.
    expect(own.verdict.reasons.find(({ code }) => code === 'mixed')).toMatchObject({
      message: expect.stringContaining('from running to completed') as string,
      remedy: `poll this one again: --kickoff-id ${row!.kickoff_id}`,
    })
    const named = ['status', ...fake.target, ...QUICK, '--kickoff-id', row!.kickoff_id, '--json']
    const document = documentOf(await saturate(named, fake.options))
    expect(document.kickoffs).toBe(0)
    expect(reasonsOf(document)).not.toContain('mixed')
    expect(document.trials[0]?.errors.value).toBe(0)
    expect(await ledgerOf(fake)).toHaveLength(1)
  })

  test('of requests holds for everything that is sent', async () => {
    let requests = 0
    const server = createServer((_, response) => {
      requests++
      response.end('{"inputs":[]}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const budget = ['--max-requests', '50', '--connections', '4,5']
    const args = ['inputs', '--target', url, ...budget, '--json']
    const document = documentOf(await saturate(args, { env: { CREWLOAD_TOKEN: 'sesame' } }))
    // The fake crew's control is asked once whether it is there: that is no request of the
    // interface.
    expect(requests).toBeGreaterThan(30)
    expect(requests).toBeLessThanOrEqual(51)
    expect(document.requests).toBeLessThanOrEqual(50)
  })
})

describe('a target', () => {
  test('that is not there, or refuses the token, is told before anything is climbed', async () => {
    const env = { CREWLOAD_TOKEN: 'sesame' }
    const gone = await saturate(['inputs', '--target', 'http://127.0.0.1:1'], { env })
    expect([gone.code, gone.stdout]).toEqual([5, ''])
    expect(gone.stderr).toContain('cannot be reached: no process listens there')
    const fake = await fakeCrew()
    const refused = await saturate(['inputs', ...fake.target], { env })
    expect([refused.code, refused.stdout]).toEqual([5, ''])
    expect(refused.stderr).toContain('refused our token')
    expect(refused.stderr).not.toContain('sesame')
  })

  test('gives away no token: none is in what is written or printed', async () => {
    await using folder = await temporaryFolder()
    const fake = await fakeCrew()
    const header = ['--header', 'x-api-key: swordfish', '--out', folder.path]
    const args = ['saturate', 'inputs', ...fake.target, ...QUICK, ...header]
    const { stdout, stderr } = await cli(args, fake.options)
    const [run = ''] = await readdir(folder.path)
    const files = await readdir(join(folder.path, run))
    const texts = files.map(async (file) => readFile(join(folder.path, run, file), 'utf8'))
    const all = [...(await Promise.all(texts)), stdout, stderr].join('\n')
    expect(all).toContain('x-api-key: ***')
    expect(all).not.toContain(fake.token)
    expect(all).not.toContain('swordfish')
  })
})

test('a proxy on the way, which autocannon cannot use', async () => {
  const args = ['inputs', '--target', 'http://crew.example', '--max-requests', '100', '--yes']
  const proxied = { CREWLOAD_TOKEN: 'sesame', http_proxy: 'http://127.0.0.1:9', no_proxy: '' }
  const { code, stderr } = await saturate(args, { env: proxied })
  expect(code).toBe(2)
  expect(stderr).toContain('autocannon cannot use one')
})
