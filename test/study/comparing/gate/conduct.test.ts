/** Gates from the command line and in use, over crews whose truth is known. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { ResultDocument } from '../../../../src/result/document.ts'
import { parseHistory } from '../../../../src/study/comparing/history.ts'
import { conducting } from '../../../../src/study/comparing/gate/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import type { GateDocument } from '../../../../src/study/comparing/gate/document.ts'
import { designGate } from '../../../../src/study/comparing/gate/plan/plan.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { cli } from '../../../support/cli.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { k6OrSkip } from '../../../support/k6/k6.ts'

const k6 = await k6OrSkip('a gate with k6 as engine')

const SCENARIO = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'gated',
  arrivals: { rate: '2/s', for: '3m' },
  inputs: { topic: 'bees' },
  polling: { exponential: { initial: '500ms', factor: 1, max: '500ms', jitter: 'equal' } },
  deadline: '60s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
})
`

const crewOf = (median: string, p95: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: { lognormal: { median: ${median}, p95: ${p95} } }, output: 100B }]
capacity: { workers: unlimited }
http: { latency: { kickoff: { lognormal: { median: 50ms, p95: 60ms } } } }
`

const path = sharedFolder()

/** In virtual time, from the folder of the scenario. */
async function gate(options: string): ReturnType<typeof cli> {
  const args = `gate scenario.ts --engine virtual --out out ${options}`
  return cli(args.split(' '), { cwd: path() })
}

async function gateDocument(
  options: string,
): Promise<{ code: number | null; document: GateDocument }> {
  const { code, stdout } = await gate(`--json ${options}`)
  return { code, document: JSON.parse(stdout) as GateDocument }
}

beforeAll(async () => {
  await writeFile(path('scenario.ts'), SCENARIO)
  await writeFile(path('base.yaml'), crewOf('4s', '5s'))
  await writeFile(path('slow.yaml'), crewOf('4.6s', '5.75s'))
  await writeFile(path('wild.yaml'), crewOf('4s', '16s'))
  await writeFile(path('short.yaml'), crewOf('400ms', '410ms'))
  await writeFile(path('longer.yaml'), crewOf('1200ms', '1210ms'))
  await gate('--profile base.yaml --baseline baseline')
})

describe('the first gate', () => {
  test('writes the baseline, compares nothing, and says so', async () => {
    const args = '--profile base.yaml --baseline first --runs 3'
    const { code, stdout } = await gate(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^BASELINE {3}Nothing was compared: there was no baseline in first, and 3/,
    )
    expect(stdout).not.toContain('PASS')
    expect(await readdir(path('first'))).toEqual([
      'history.ndjson',
      'run-1.json',
      'run-2.json',
      'run-3.json',
    ])
    const { size } = await stat(path('first/run-1.json'))
    expect(size).toBeLessThan(40_000)
  })

  test('is foreseen by --dry-run, which writes nothing', async () => {
    const { code, stdout } = await gate('--profile base.yaml --baseline never --dry-run')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/baseline +none in never: this gate writes it/),
    ])
    await expect(readdir(path('never'))).rejects.toThrow('ENOENT')
  })

  test('has a plan that counts the random arrivals of every run', async () => {
    const random = '--set arrivals.process=poisson --set arrivals.for=30s'
    const args = `--profile base.yaml --baseline random --runs 3 ${random}`
    const { stdout } = await gate(`${args} --dry-run --json`)
    await gate(args)
    const runs = await Promise.all(
      [1, 2, 3].map(async (number) => readFile(path(`random/run-${number}.json`), 'utf8')),
    )
    const arrivals = runs.map((run) => (JSON.parse(run) as ResultDocument).arrivals)
    expect(new Set(arrivals).size).toBeGreaterThan(1)
    expect(JSON.parse(stdout)).toMatchObject({
      total: { kickoffs: arrivals.reduce((sum, each) => sum + each, 0) },
    })
  })
})

/** Suffices to know which side is slower. */
const SHORT = '--metrics execution.p50 --set arrivals.for=1m'

const seeded = (profile: string, seed: string, more = ''): string =>
  `--profile ${profile} --baseline kept --seed ${seed} ${SHORT} ${more}`.trim()

describe('against a stored baseline', () => {
  test('a candidate that is 15 % slower fails, with metric, size and interval', async () => {
    const args = '--profile slow.yaml --baseline baseline --seed 100'
    const { code, document } = await gateDocument(args)
    expect(code).toBe(1)
    expect(document.decision).toBe('fail')
    expect(document.verdict).toMatchObject({
      outcome: 'regression',
      sentence: expect.stringMatching(
        /^Over 8 and \d runs, execution\.p\d+ rose by 1[3-7](?:\.\d)? % \(1\d(?:\.\d+)? to 1\d(?:\.\d+)?\), from 4\.\d+ s to 4\.\d+ s/,
      ),
    })
    expect(document.pairs).toEqual([])
    const median = document.metrics.find(({ name }) => name === 'execution.p50')!
    expect(median.change).toMatchObject({ ratio: expect.closeTo(1.15, 1) })
    expect(document.findings).toEqual([])
  })

  test('an equal one passes, before the last run where it can', async () => {
    const args = '--profile base.yaml --baseline baseline --seed 300'
    const { code, document } = await gateDocument(args)
    expect([code, document.decision]).toEqual([0, 'pass'])
    expect(document.verdict.sentence).toMatch(/no judged metric is worse by 10 % or more/)
    expect(document.new.length).toBeLessThan(8)
    expect(document.bounds.every(({ excluded }) => excluded)).toBe(true)
    expect(document.baseline).toEqual({ folder: 'baseline', written: 0 })
    const [folder = ''] = (await readdir(path('out')))
      .filter((name) => name.includes('gate'))
      .slice(-1)
    const page = await readFile(path(`out/${folder}/report.html`), 'utf8')
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page.indexOf('Largest regression still possible')).toBeGreaterThan(0)
    const again = await cli(['report', join('out', folder)], { cwd: path() })
    expect(again.stdout).toMatch(/^(?:PASS|FAIL|BASELINE)/)
  })

  test('three runs of a noisy crew are too few, and say how many more are needed', async () => {
    await gate('--profile wild.yaml --baseline wild --runs 3')
    const args = '--profile wild.yaml --baseline wild --runs 3 --seed 510'
    const { code, stdout } = await gate(args)
    expect(code).toBe(4)
    expect(stdout).toMatch(/^INCONCLUSIVE/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Over 3 and 3 runs, nothing is proven; the likeliest change: execution\.p\d+ rose by [\d.]+ % \([\d.]+ to [\d.]+\), from [\d.]+ s to [\d.]+ s; about \d+ more runs per side would decide it/,
    )
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/--runs \d+, or longer runs/)
  })

  test('--update-baseline writes on PASS only, and always where that is said', async () => {
    const read = async (): Promise<string> => readFile(path('kept/run-1.json'), 'utf8')
    await gate(seeded('base.yaml', '1'))
    const first = await read()
    const failed = await gateDocument(seeded('slow.yaml', '40', '--update-baseline'))
    expect([failed.document.decision, await read()]).toEqual(['fail', first])
    const passed = await gateDocument(seeded('base.yaml', '80', '--update-baseline'))
    expect(passed.document.decision).toBe('pass')
    expect(passed.document.baseline!.written).toBe(passed.document.new.length)
    const second = await read()
    expect(second).not.toBe(first)
    expect((await readdir(path('kept'))).length).toBe(passed.document.new.length + 1)
    const forced = await gateDocument(
      seeded('slow.yaml', '120', '--update-baseline=always --commit abc'),
    )
    expect([forced.code, forced.document.decision]).toEqual([1, 'fail'])
    expect(await read()).not.toBe(second)
    const { gates } = parseHistory(await readFile(path('kept/history.ndjson'), 'utf8'))
    expect(gates.map(({ decision }) => decision)).toEqual(['baseline', 'fail', 'pass', 'fail'])
    expect(gates[1]!.metrics['execution.p50']!.value).toBeGreaterThan(4_500)
    expect(gates[3]).toMatchObject({
      commit: 'abc',
      scenario: 'gated',
      runs: forced.document.new.length,
    })
  })

  test('of another load is refused, and replaced where that is asked for', async () => {
    const other = '--profile base.yaml --baseline other --runs 3'
    await gate(`${other} --set arrivals.for=30s`)
    const args = `${other} ${SHORT}`
    const refused = await gate(args)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/run-1\.json: was measured under a different load \(arrivals\)/)
    expect(refused.stderr).toMatch(/--update-baseline=always replaces them/)
    const replaced = await gateDocument(`${args} --update-baseline=always`)
    expect([replaced.code, replaced.document.decision]).toEqual([0, 'baseline'])
  })

  test('is allowed for where runs may resemble the run before: over real time', async () => {
    const names = (await readdir(path('baseline'))).filter((name) => name.startsWith('run-'))
    await mkdir(path('real'))
    for (const [i, name] of names.entries()) {
      const { run, ...rest } = JSON.parse(
        await readFile(path(`baseline/${name}`), 'utf8'),
      ) as ResultDocument
      const startedAt = new Date(Date.UTC(2026, 10, names.length - i)).toISOString()
      const real = { ...rest, run: { ...run, startedAt, engine: 'node' } }
      await writeFile(path(`real/${name}`), JSON.stringify(real))
    }
    const scenario = path('scenario.ts')
    const target = 'http://127.0.0.1:9'
    const { plan, stored } = await designGate({ scenario, baseline: path('real'), run: { target } })
    expect(plan.terms.carryOver).toBe(true)
    // In the order that they were made in.
    expect(stored.map(({ folder }) => folder)).toEqual(
      names.map((_, i) => path(`real/run-${names.length - i}.json`)),
    )
    const profile = path('base.yaml')
    const simulated = await designGate({ scenario, baseline: path('baseline'), run: { profile } })
    expect(simulated.plan.terms.carryOver).toBeUndefined()
    const turns = await designGate({
      scenario,
      baselineTarget: 'http://127.0.0.1:8',
      run: { target },
    })
    expect(turns.plan.terms.carryOver).toBeUndefined()
  })

  test('INVALID runs are refused, with the reason', async () => {
    const asked = `--profile base.yaml --baseline sick ${SHORT}`
    const { document } = await gateDocument(`${asked} --runs 5`)
    expect(document.decision).toBe('baseline')
    const file = path('sick/run-2.json')
    const run = JSON.parse(await readFile(file, 'utf8')) as { verdict: object }
    const reasons = [{ code: 'lateness', message: 'requests were sent late', remedy: '' }]
    const verdict = { ...run.verdict, valid: false, outcome: 'invalid', reasons }
    await writeFile(file, JSON.stringify({ ...run, verdict }))
    const gated = await gateDocument(`${asked} --seed 77`)
    expect(gated.document.base).toHaveLength(4)
    expect(gated.document.refused).toEqual([
      { side: 'base', run: 'sick/run-2.json', why: 'INVALID, requests were sent late' },
    ])
    for (const name of ['run-3.json', 'run-4.json']) await rm(path(`sick/${name}`))
    const few = await gate(asked)
    expect([few.code, few.stderr]).toEqual([2, expect.stringContaining('too few valid runs (2)')])
  })
})

describe('by turns', () => {
  const turns = `--profile slow.yaml --baseline-profile base.yaml ${SHORT}`

  test('pairs share a seed, and are run base, new, new, base', async () => {
    const { code, document } = await gateDocument(turns)
    expect([code, document.decision, document.baseline]).toEqual([1, 'fail', null])
    const { pairs, base, new: next } = document
    expect(pairs.length).toBe(next.length)
    expect(pairs.map(({ first }) => first).slice(0, 4)).toEqual(['base', 'new', 'base', 'new'])
    expect(pairs.map(({ seed }) => seed)).toEqual(base.map(({ seed }) => seed))
    expect(pairs.map((pair) => pair.new)).toEqual(next.map(({ id }) => id))
  })
})

test('lists every mistake at once, and ends with 2', async () => {
  const args = '--profile base.yaml --metrics inFlight.max --min-change 0 --margin 7'
  const { code, stderr } = await gate(`${args} --update-baseline`)
  expect(code).toBe(2)
  expect(stderr).toMatch(/--baseline: give one baseline/)
  expect(stderr).toMatch(/--update-baseline: only allowed with --baseline DIR/)
  expect(stderr).toMatch(/--min-change: must be more than 0/)
  expect(stderr).toMatch(/--margin: must be more than 0/)
  expect(stderr).toMatch(/--metrics: inFlight\.max cannot be judged: neither direction is worse/)
})

test('refuses the flags of another engine', async () => {
  const crew = ['--profile', 'base.yaml', '--baseline', 'never']
  const foreign = await cli(['gate', 'scenario.ts', ...crew, '--k6-vus', '2'], { cwd: path() })
  expect([foreign.code, foreign.stderr]).toEqual([
    2,
    expect.stringMatching(/--k6-vus: only allowed with --engine k6, not with virtual/),
  ])
})

/** Three runs of 20 executions for each side, which has a crew of its own. */
async function sidesOverHttp(base: FakeCrew, slow: FakeCrew) {
  const set = { 'arrivals.rate': '20/s', 'arrivals.for': '1s', polling: '{"fixed":"100ms"}' }
  const env = { CREWLOAD_BASELINE_TOKEN: base.token }
  const run = { target: slow.url, tokens: [slow.token], env, set, budget: { kickoffs: 500 } }
  const out = await mkdtemp(path('http-'))
  const asked = { scenario: path('scenario.ts'), metrics: 'execution.p50', runs: 3 }
  return { ...asked, out, run, baselineTarget: base.url }
}
type OverHttp = Awaited<ReturnType<typeof sidesOverHttp>>

async function overHttp(
  work: (options: OverHttp, kickoffs: () => number) => Promise<void>,
): Promise<void> {
  await using base = await startFakeCrew({ profile: path('short.yaml') })
  await using slow = await startFakeCrew({ profile: path('longer.yaml') })
  const kickoffs = (): number => base.ledger().length + slow.ledger().length
  await work(await sidesOverHttp(base, slow), kickoffs)
}

/** The same from the command line. */
async function gateByTurns(
  { out, baselineTarget, run: { target, tokens, set, env } }: OverHttp,
  engine: readonly string[],
): Promise<GateDocument> {
  const sides = ['--target', target, '--baseline-target', baselineTarget, '--engine', ...engine]
  const asked = ['--metrics', 'execution.p50', '--runs', '3', '--max-kickoffs', '500']
  const load = Object.entries(set).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const args = ['gate', 'scenario.ts', ...sides, ...asked, ...load, '--out', out, '--json']
  const { stdout } = await cli(args, {
    cwd: path(),
    env: { CREWLOAD_TOKEN: tokens[0]!, ...env },
  })
  return JSON.parse(stdout) as GateDocument
}

/** What is decided of given times, virtual time shows above: a busy machine changes real ones. */
describe('over HTTP', () => {
  test.for([
    ['node', 1, []],
    ['k6', 3, ['--k6-vus', '3']],
  ] as const)('%s carries both sides', async ([kind, instances, vus], { skip }) => {
    if (kind === 'k6' && k6 === null) skip()
    await overHttp(async (options) => {
      const document = await gateByTurns(options, [kind, ...vus])
      const runs = [...document.base, ...document.new]
      expect(runs.map(({ engine, arrivals }) => [engine, arrivals])).toEqual(
        Array.from({ length: 6 }, () => [kind, 20]),
      )
      const { base, new: next } = document.metrics.find(({ name }) => name === 'execution.p50')!
      expect(base.typical).toBeGreaterThan(350)
      expect(next.typical).toBeGreaterThan(1_100)
      const [folder = ''] = await readdir(options.out)
      const file = join(options.out, folder, 'new-1/result.json')
      const result = JSON.parse(await readFile(file, 'utf8')) as ResultDocument
      expect(result.run.instances).toBe(instances)
    })
  })

  test.runIf(areExperimentsRun)(
    'a gate that is cut after a pair goes on with the other pairs',
    async () => {
      await overHttp(async (options, kickoffs) => {
        const { onStart, stop } = stopper()
        const cut = await conductStudy(conducting, {
          ...options,
          onStart,
          onProgress: ({ number }) => {
            if (number === 3) stop()
          },
        })
        expect(cut.document).toMatchObject({ ended: 'interrupted', decision: 'inconclusive' })
        expect(cut.document.verdict.reasons[0]).toMatchObject({ code: 'interrupted' })
        expect(cut.document.pairs).toHaveLength(1)
        const { tokens, env } = options.run
        const document = await resumed(conducting, cut.folder, { run: { tokens, env } })
        expect(document).toMatchObject({ ended: 'complete' })
        expect(document.pairs).toHaveLength(3)
        expect(document.kickoffs).toBe(kickoffs())
        expect(await readdir(cut.folder!)).toEqual(
          expect.arrayContaining(['base-1', 'new-3', 'gate.json']),
        )
      })
    },
  )

  test('a budget ends it with what is known', async () => {
    await overHttp(async (options, kickoffs) => {
      const run = { ...options.run, budget: { kickoffs: 50 } }
      const { document } = await conductStudy(conducting, { ...options, run })
      expect(document).toMatchObject({ ended: 'budget', decision: 'inconclusive' })
      expect(document.verdict.reasons[0]).toMatchObject({ code: 'budget' })
      expect(kickoffs()).toBeLessThanOrEqual(50)
    })
  })
})
