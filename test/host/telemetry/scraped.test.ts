/** A run that Prometheus can scrape while it goes: under Node and in k6. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { RunOptions, RunOutcome } from 'crewload/run'
import { run } from 'crewload/run'
import { UserError } from '../../../src/base/mistakes.ts'
import { freeAddresses } from '../../support/k6/operator.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'
import { startedStub } from '../../support/targets/loopback.ts'
import { prometheusOrSkip } from '../../support/metrics/prometheus.ts'
import type { Family } from '../../support/metrics/exposition.ts'
import { parseExposition, sumOf } from '../../support/metrics/exposition.ts'

const prometheus = await prometheusOrSkip()
const k6 = await k6OrSkip('the test of --prometheus with k6')
let crew: FakeCrew

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', seed: 7 })
})

afterAll(async () => crew.stop())

const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'watched',
  arrivals: { rate: '20/s', for: '2s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
  deadline: '20s',
  checks: { 'says something': ({ output }) => output !== '' },
  validity: { lateness: '10s', utilisation: 1 },
})
`

interface Watched extends RunOutcome {
  url: string
  scrapes: Map<string, Family>[]
}

/** Runs against the crew of this file, and scrapes until there is nothing any more. */
async function watched(engine: NonNullable<RunOptions['engine']>): Promise<Watched> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'watched.ts')
  await writeFile(file, SCENARIO)
  let url = ''
  const onNote = (note: string): void => {
    url = / (http:\S+)$/.exec(note)?.[1] ?? url
  }
  const place = { target: crew.url, tokens: [crew.token], out: false } as const
  const running = run(file, { ...place, engine, prometheus: true, onNote })
  const state = { over: false }
  void running.finally(() => (state.over = true)).catch(() => {})
  const scrapes: Map<string, Family>[] = []
  while (!state.over) {
    const text = url === '' ? null : await scraped(url)
    if (text !== null) scrapes.push(parseExposition(text))
    await sleep(20)
  }
  return { ...(await running), url, scrapes }
}

async function scraped(url: string): Promise<string | null> {
  try {
    return await (await fetch(url)).text()
  } catch {
    return null
  }
}

/** Both at any moment and at the end. */
async function expectTruth(run: Promise<Watched>): Promise<Watched> {
  const { document, scrapes, url } = await run
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  const arrivals = Object.values(document.outcomes).reduce((sum, n) => sum + n, 0)
  expect(arrivals).toBe(40)
  const count = (name: string, labels = {}) =>
    scrapes.map((families) => sumOf(families, name, labels))
  const started = count('crewload_executions_started_total')
  const inFlight = count('crewload_executions_in_flight')
  const ended = count('crewload_outcomes_total')
  expect(Math.max(...inFlight)).toBeGreaterThan(1)
  for (const [i, flying] of inFlight.entries()) {
    expect(flying + ended[i]!).toBeLessThanOrEqual(started[i]!)
  }
  expect(started).toEqual(started.toSorted((a, b) => a - b))
  expect(ended.some((n) => n > 0 && n < arrivals)).toBe(true)
  // The endpoint goes with the last execution, and the last scrape may have missed some.
  expect(ended.at(-1)!).toBeGreaterThan(arrivals / 2)
  const last = scrapes.at(-1)!
  expect(sumOf(last, 'crewload_run_info', { scenario: 'watched' })).toBe(1)
  expect(sumOf(last, 'crewload_checks_total', { result: 'passed' })).toBe(ended.at(-1))
  const seconds = 'crewload_execution_duration_seconds'
  expect(sumOf(last, `${seconds}_count`)).toBe(ended.at(-1))
  expect(sumOf(last, `${seconds}_sum`)).toBeGreaterThan(0)
  const kickoffs = { http_request_method: 'POST', http_response_status_code: '200' }
  const requests = sumOf(last, 'http_client_request_duration_seconds_count', kickoffs)
  expect(requests).toBeGreaterThanOrEqual(ended.at(-1)!)
  expect(requests).toBeLessThanOrEqual(arrivals)
  return run
}

test('node: requests appear when they were answered', async () => {
  const outcome = await expectTruth(watched('node'))
  const polls = { url_template: '/status/{kickoff_id}' }
  const early = outcome.scrapes.find((families) => sumOf(families, 'crewload_outcomes_total') === 0)
  expect(early).toBeDefined()
  const before = outcome.scrapes.filter(
    (families) =>
      sumOf(families, 'http_client_request_duration_seconds_count', polls) >
      sumOf(families, 'crewload_requests_total', { operation: 'status' }),
  )
  expect(before.length).toBeGreaterThan(0)
})

test.skipIf(k6 === null).concurrent('k6: its processes are summed at one address', async () => {
  const engine = { kind: 'k6', vus: 2, instances: 2, binary: k6!.path } as const
  const { scrapes } = await expectTruth(watched(engine))
  expect(scrapes.length).toBeGreaterThan(1)
})

interface Board {
  panels: { title: string; targets: { expr: string }[] }[]
}

const BOARD = JSON.parse(
  readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
) as Board
const EXPRESSIONS = BOARD.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

describe.concurrent('the dashboard', () => {
  test('asks for nothing that a scrape does not have', async () => {
    const { scrapes } = await watched('node')
    const asked = EXPRESSIONS.flatMap((expr) => expr.match(/\b(?:crewload|http)_[a-z_]+/g) ?? [])
    expect(new Set(asked).size).toBeGreaterThan(10)
    const families = scrapes.at(-1)!
    const missing = asked.filter(
      (name) => !families.has(name) && !families.has(name.replace(/_bucket$/, '')),
    )
    expect(missing).toEqual([])
  })

  test.skipIf(prometheus === null)(
    'is answered by a Prometheus that scrapes the run',
    async () => {
      await using folder = await temporaryFolder()
      let asking = Promise.resolve<Answers>({ found: [], failed: [] })
      const done = new AbortController()
      const onNote = (note: string): void => {
        const url = / (http:\S+)$/.exec(note)?.[1]
        if (url === undefined) return
        asking = answersOf(prometheus!, folder.path, url).finally(() => done.abort())
      }
      const file = join(folder.path, 'watched.ts')
      await writeFile(file, SCENARIO.replace("for: '2s'", "for: '60s'"))
      const place = { target: crew.url, tokens: [crew.token], out: false } as const
      await run(file, { ...place, prometheus: true, onNote, signal: done.signal })
      const { found, failed } = await asking
      expect(failed).toEqual([])
      // No rule of the contract was broken: that panel alone is empty.
      expect(EXPRESSIONS.filter((expr) => !found.includes(expr))).toEqual([
        expect.stringContaining('crewload_violations_total'),
      ])
    },
    60_000,
  )
})

interface Answers {
  found: string[]
  failed: string[]
}

/** Asks until each expression has an answer, or for half a minute. */
async function answersOf(program: string, folder: string, url: string): Promise<Answers> {
  const { host } = new URL(url)
  const config = join(folder, 'prometheus.yml')
  const job = `{ job_name: crewload, static_configs: [{ targets: ['${host}'] }] }`
  await writeFile(config, `global: { scrape_interval: 500ms }\nscrape_configs: [${job}]\n`)
  const [own] = await freeAddresses(1)
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${own}`,
    ],
    { stdio: 'ignore' },
  )
  try {
    const latest = performance.now() + 30_000
    for (;;) {
      await sleep(500)
      const answers = await Promise.all(EXPRESSIONS.map(async (expr) => ask(own!, expr)))
      const having = (state: string) => EXPRESSIONS.filter((_, i) => answers[i] === state)
      const found = having('found')
      const failed = having('failed')
      if (failed.length > 0 || found.length >= EXPRESSIONS.length - 1 || performance.now() > latest)
        return { found, failed }
    }
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function ask(address: string, expr: string): Promise<'found' | 'empty' | 'failed'> {
  const query = encodeURIComponent(expr.replaceAll('$__rate_interval', '10s'))
  try {
    const answer = await fetch(`http://${address}/api/v1/query?query=${query}`)
    // 503 while it starts.
    if (answer.status === 503) return 'empty'
    const { status, data } = (await answer.json()) as { status: string; data: Data }
    if (status !== 'success') return 'failed'
    return data.result.some(({ value }) => value[1] !== 'NaN') ? 'found' : 'empty'
  } catch {
    return 'empty'
  }
}

interface Data {
  result: { value: [number, string] }[]
}

test('is refused before anything is sent at a port in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const port = String((taken.address() as AddressInfo).port)
  await using stub = await startedStub((_, response) => response.end('{"inputs":[]}'))
  const refused = run('smoke', { target: stub.url, prometheus: port, out: false })
  const problem = 'cannot listen there (EADDRINUSE)'
  const mistake = { source: '--prometheus', problem, found: `127.0.0.1:${port}` }
  await expect(refused).rejects.toThrow(new UserError(mistake))
  expect(stub.paths).not.toContain('/kickoff')
  taken.close()
})
