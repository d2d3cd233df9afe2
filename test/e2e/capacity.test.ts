/**
 * `crewload capacity`, as a user types it: every way it ends, with the words that scripts read, and
 * what a cut leaves.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CapacityDocument } from '../../src/study/capacity/document.ts'
import { capacitySchema } from '../../src/study/capacity/document.ts'
import type { Finished } from '../support/cli.ts'
import { cli, finished, startCli, startFakeCli, temporaryFolder } from '../support/cli.ts'
import { k6OrSkip } from '../support/k6/k6.ts'
import { semaphoreCrew } from '../support/targets/semaphore-crew.ts'

/** Six workers of half a minute. */
const CREW = `name: six
inputs: [topic]
tasks:
  - { id: plan, agent: Planner, duration: { gamma: { mean: 10s, cv: 0.5 } } }
  - { id: write, agent: Writer, duration: { gamma: { mean: 20s, cv: 0.4 } }, output: 1kB }
capacity: { workers: 6 }
`
const SCENARIO = `export default {
  name: 'ask',
  arrivals: { rate: '1/m', for: '1h' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '10m',
}
`
/** For a machine that is busy with other tests. */
const LENIENT = SCENARIO.replace(
  /}\n$/,
  `  validity: { lateness: '2s', utilisation: 1, little: '50%' },\n}\n`,
)
const ASKED = ['--slo', 'execution.p95 < 90s, outcome.unserved < 2%', '--within', '20%']

const k6 = await k6OrSkip('a search for capacity with k6 as engine')

/** The folder is short and the same everywhere where the command starts in it. */
async function prepared(
  atEnd: typeof onTestFinished = onTestFinished,
): Promise<{ folder: string; args: string[] }> {
  const folder = await temporaryFolder()
  atEnd(async () => folder[Symbol.asyncDispose]())
  await writeFile(join(folder.path, 'crew.yaml'), CREW)
  await writeFile(join(folder.path, 'ask.mjs'), SCENARIO)
  const args = ['capacity', './ask.mjs', '--profile', './crew.yaml', ...ASKED, '--out', 'out']
  return { folder: folder.path, args: [...args, '--max-kickoffs', '1500'] }
}

let searched: Promise<Finished> | undefined

/** One whole search with `--json`, which more than one test looks at. */
async function wholeSearch(): Promise<Finished> {
  searched ??= prepared().then(async ({ folder, args }) =>
    cli([...args, '--expect', '300/h', '--json', '--quiet'], { cwd: folder }),
  )
  return searched
}

function documentOf({ stdout }: Finished): CapacityDocument {
  return capacitySchema.parse(JSON.parse(stdout))
}

describe('answered', () => {
  test('the terminal says it in one sentence, in 80 columns; the folder has every report', async () => {
    const { folder, args } = await prepared()
    const { code, stdout, stderr } = await cli([...args, '--expect', '300/h'], {
      env: { COLUMNS: '80' },
      cwd: folder,
    })
    expect(code).toBe(0)
    const [study = ''] = await readdir(join(folder, 'out'))
    expect(study).toMatch(/^ask-capacity-\d{8}T\d{6}Z$/)
    const shown = stdout.replaceAll(study, 'ask-capacity-TIME')
    expect(shown).toMatchSnapshot()
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('/'))).toEqual([])
    const read = async (name: string): Promise<string> =>
      readFile(join(folder, 'out', study, name), 'utf8')
    const page = await read('report.html')
    expect(page).toContain('<title>✓ ANSWERED')
    expect(page).toContain('Confirmed on the crew')
    expect(await read('summary.md')).toMatch(/^## ✓ ANSWERED: capacity/)
    expect(await read('junit.xml')).toContain('testcase name="capacity"')
    // Each load says what is known so far.
    expect(stderr).toMatch(/^ ladder: 1 client, \d+ executions: at least 1 worker$/m)
    expect(stderr).toMatch(/^ hold: 9 clients, .*: 6 workers, \d+ kickoffs per hour, known within/m)
    expect(stderr).toMatch(/^ confirm: \d+ per hour, /m)
  })

  test('--json has every field that scripts are promised', async () => {
    const told = await wholeSearch()
    expect([told.code, told.stderr]).toEqual([0, ''])
    const document = documentOf(told)
    const { capacity, inFlight, saturation, model, confirmation, ladder } = document
    for (const { low, high, perHour } of [capacity!, saturation!]) {
      expect(low).toBeLessThan(perHour)
      expect(high).toBeGreaterThan(perHour)
    }
    expect(capacity!.resolved).toBe(true)
    // Six workers of half a minute finish 720 an hour.
    expect(saturation!.low).toBeLessThan(720)
    expect(saturation!.high).toBeGreaterThan(720)
    expect(inFlight!.low).toBeLessThanOrEqual(inFlight!.value)
    expect(inFlight!.high).toBeGreaterThanOrEqual(inFlight!.value)
    // Little's law.
    const meanStayHours = inFlight!.value / capacity!.perHour
    expect(meanStayHours * 3_600).toBeGreaterThan(29)
    expect(document.binding).toEqual({
      metric: 'execution.p95',
      why: 'executions wait for a worker',
    })
    expect(model).toMatchObject({
      slots: { value: 6, low: 6, high: 6 },
      accepted: true,
      disagreement: null,
    })
    expect(model!.service.map(({ task }) => task)).toEqual([null, 'plan', 'write'])
    expect(ladder.map(({ clients }) => clients).slice(0, 4)).toEqual([1, 2, 4, 8])
    expect(confirmation!.parts.every(({ agrees }) => agrees)).toBe(true)
    expect(document).toMatchObject({
      schema: 'crewload/capacity/1',
      study: 'capacity',
      tool: { name: 'crewload' },
      verdict: { outcome: 'answered', reasons: [] },
      target: 'virtual time',
      scenario: 'ask',
      ended: 'complete',
      budget: { kickoffs: 1_500 },
      probes: [],
    })
    expect(document.seed).toBeTypeOf('number')
    expect(document.requests).toBeGreaterThan(document.kickoffs)
    expect(document.kickoffs).toBeLessThanOrEqual(1_500)
    expect(document.durationMs).toBeGreaterThan(0)
  })
})

describe('exit codes', () => {
  test('1: less than what is expected, 4: not within the budget', async () => {
    const { folder, args } = await prepared()
    const low = await cli([...args, '--expect', '2000/h', '--json'], { cwd: folder })
    expect([low.code, documentOf(low).verdict.outcome]).toEqual([1, 'below'])
    const little = ['--max-kickoffs', '150', '--within', '1%', '--json']
    const poor = await cli([...args, ...little], { cwd: folder })
    expect([poor.code, documentOf(poor).verdict.outcome]).toEqual([4, 'unresolved'])
    expect(documentOf(poor).capacity).toMatchObject({ resolved: false })
  })

  test('1: no execution keeps the promise', async () => {
    const { folder, args } = await prepared()
    const told = await cli([...args, '--slo', 'execution.p50 < 5s', '--json'], { cwd: folder })
    expect([told.code, documentOf(told).verdict.outcome]).toEqual([1, 'fails'])
  })

  test('5: nobody is there', async () => {
    await using folder = await temporaryFolder()
    const place = ['--target', 'http://127.0.0.1:1', '--max-kickoffs', '200', '--out', folder.path]
    const { code, stdout, stderr } = await cli(['capacity', 'steady', ...ASKED, ...place], {
      env: { CREWLOAD_TOKEN: 'sesame' },
    })
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toContain('cannot be reached')
    expect(stderr).not.toContain('sesame')
  })

  test('130: Ctrl-C keeps what is known, and resume ends at the same answer', async () => {
    const { folder, args } = await prepared()
    const whole = documentOf(await wholeSearch())
    const child = startCli([...args, '--out', 'cut', '--json'], { cwd: folder })
    const result = finished(child)
    let said = ''
    child.stderr!.on('data', (text: Buffer) => {
      const before = said
      said += text.toString()
      if (!before.includes(' ladder: 2') && said.includes(' ladder: 2')) child.kill('SIGINT')
    })
    const cut = await result
    expect([cut.code, documentOf(cut).ended]).toEqual([130, 'interrupted'])
    expect(documentOf(cut).ladder.length).toBeGreaterThan(0)
    const [study = ''] = await readdir(join(folder, 'cut'))
    const resumed = await cli(['resume', join('cut', study), '--json'], { cwd: folder })
    const document = documentOf(resumed)
    expect([resumed.code, document.ended]).toEqual([0, 'complete'])
    expect(document.capacity).toEqual(whole.capacity)
    expect(document.ladder).toEqual(whole.ladder)
    expect(document.confirmation).toEqual(whole.confirmation)
  })
})

test('--dry-run prints the plan, with what the budget buys, and sends nothing', async () => {
  const { folder, args } = await prepared()
  const { code, stdout } = await cli([...args, '--cost-per-kickoff', '0.02', '--dry-run'], {
    cwd: folder,
  })
  expect(code).toBe(0)
  expect(stdout).toMatchSnapshot()
})

describe.concurrent('over HTTP', () => {
  test('somebody else on the same fake crew is told by its ledger', async ({ onTestFinished }) => {
    await using folder = await temporaryFolder()
    const crew = join(folder.path, 'crew.yaml')
    await writeFile(crew, CREW)
    const scenario = join(folder.path, 'ask.mjs')
    await writeFile(scenario, LENIENT)
    const fake = await startFakeCli(['--profile', crew, '--speed', '60'])
    onTestFinished(async () => void (await fake.stop()))
    const headers = { authorization: `Bearer ${fake.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ inputs: { topic: 'others' } })
    const other = setInterval(() => {
      void fetch(`${fake.url}/kickoff`, { method: 'POST', headers, body }).catch(() => {})
    }, 200)
    onTestFinished(() => clearInterval(other))
    const place = ['--target', fake.url, '--max-kickoffs', '200', '--out', folder.path]
    const told = await cli(
      ['capacity', scenario, ...ASKED, ...place, '--speed', '60', '--within', '40%', '--json'],
      { env: { CREWLOAD_TOKEN: fake.token } },
    )
    const { verdict, findings } = documentOf(told)
    const texts = [...verdict.reasons, ...findings].map(({ message }) => message)
    const message = texts.find((text) => text.startsWith('Another load is on the crew'))
    const [, executions, workers] =
      /its ledger has (\d+) executions that this search did not send, which kept ([\d.]+) workers/
        .exec(message!)!
        .map(Number)
    expect(executions!).toBeGreaterThan(10)
    // Five a second, half a second each.
    expect(workers!).toBeGreaterThan(1)
    expect(workers!).toBeLessThan(4)
  })

  test('a crew that is not ours is counted and answered by what it reports of itself', async () => {
    await using crew = await semaphoreCrew({ permits: 6, millis: (n) => 300 + ((n * 37) % 401) })
    await using folder = await temporaryFolder()
    const scenario = join(folder.path, 'ask.mjs')
    await writeFile(scenario, LENIENT.replace("'2s' }", "'50ms' }"))
    const asked = ['--slo', 'execution.p95 < 5s', '--within', '40%', '--max-kickoffs', '200']
    const place = ['--target', crew.url, '--out', folder.path, '--json']
    const told = await cli(['capacity', scenario, ...asked, ...place], {
      env: { CREWLOAD_TOKEN: 'any' },
    })
    const { verdict, model, saturation, kickoffs, plan } = documentOf(told)
    // A machine that is busy elsewhere slows the server down while it is searched.
    expect([`0 answered`, `4 refused`]).toContain(`${told.code} ${verdict.outcome}`)
    expect(plan.engine).toBe('node')
    expect(model).toMatchObject({ slots: { value: 6, low: 6, high: 6 }, truth: 'reported' })
    // Six at once, half a second each: timers are never early.
    expect(saturation!.perHour).toBeGreaterThan(0.7 * 43_200)
    expect(saturation!.perHour).toBeLessThan(1.05 * 43_200)
    expect(kickoffs).toBe(crew.kickoffs())
  })

  test.skipIf(k6 === null)('k6 carries the loads of a time-lapse', async ({ onTestFinished }) => {
    const { folder, args } = await prepared(onTestFinished)
    await writeFile(join(folder, 'ask.mjs'), LENIENT)
    const engine = ['--engine', 'k6', '--speed', '60', '--within', '40%', '--max-kickoffs', '200']
    const told = await cli([...args, ...engine, '--json'], { cwd: folder })
    const { verdict, model, saturation, kickoffs, plan, ladder } = documentOf(told)
    expect([`0 answered`, `4 refused`]).toContain(`${told.code} ${verdict.outcome}`)
    expect([plan.engine, plan.speed]).toEqual(['k6', 60])
    expect(model).toMatchObject({ slots: { value: 6, low: 6, high: 6 }, truth: 'ledger' })
    // Six workers of half a second finish 43,200 an hour.
    expect(saturation!.low).toBeLessThan(43_200)
    expect(saturation!.high).toBeGreaterThan(43_200)
    expect(ladder.map(({ clients }) => clients).slice(0, 4)).toEqual([1, 2, 4, 8])
    expect(kickoffs).toBeLessThanOrEqual(200)
  })
})

test('k6 is looked for before anything is sent', async () => {
  const { folder, args } = await prepared()
  const told = await cli([...args, '--engine', 'k6'], {
    cwd: folder,
    env: { K6_BIN: '/nowhere/k6' },
  })
  expect([told.code, told.stdout]).toEqual([2, ''])
  expect(told.stderr).toContain('/nowhere/k6')
})
