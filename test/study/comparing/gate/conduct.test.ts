/** Gates over crews whose truth is known. */
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
import { EXIT } from '../../../../src/cli/exit-codes.ts'
import { formatMistake } from '../../../../src/base/mistakes.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { renderPlanText } from '../../../../src/report/frame/render/terminal.ts'
import type { GateOptions } from '../../../../src/study/comparing/gate/options.ts'
import { gate } from '../../../../src/study/comparing/gate/study.ts'
import { designGate } from '../../../../src/study/comparing/gate/plan/plan.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { awaitedMistakes } from '../../../support/mistakes.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { k6OrSkip } from '../../../support/k6/k6.ts'

const k6 = await k6OrSkip('a gate with k6 as engine')

const SCENARIO = {
  name: 'gated',
  arrivals: { rate: '2/s', for: '3m' },
  inputs: { topic: 'bees' },
  polling: { exponential: { initial: '500ms', factor: 1, max: '500ms', jitter: 'equal' } },
  deadline: '60s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}

const crewOf = (median: string, p95: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: { lognormal: { median: ${median}, p95: ${p95} } }, output: 100B }]
capacity: { workers: unlimited }
http: { latency: { kickoff: { lognormal: { median: 50ms, p95: 60ms } } } }
`

const path = sharedFolder()

interface Asked extends Partial<Omit<GateOptions, 'run'>> {
  seed?: number
  set?: Record<string, string>
}

/** In virtual time, on a crew of the folder, whose baselines lie there too. */
function optionsOf(crew: string, { seed, set, baseline, ...asked }: Asked): GateOptions {
  return {
    scenario: path('scenario.json'),
    out: false,
    ...asked,
    ...(baseline !== undefined && { baseline: path(baseline) }),
    run: {
      profile: path(`${crew}.yaml`),
      engine: { kind: 'virtual' },
      ...(seed !== undefined && { seed }),
      ...(set !== undefined && { set }),
    },
  }
}

async function gated(crew: string, asked: Asked): Promise<GateDocument> {
  return (await conductStudy(conducting, optionsOf(crew, asked))).document
}

async function mistakesIn(crew: string, asked: Asked): Promise<string> {
  return (await awaitedMistakes(designGate(optionsOf(crew, asked)))).map(formatMistake).join('\n')
}

beforeAll(async () => {
  await writeFile(path('scenario.json'), JSON.stringify(SCENARIO))
  await writeFile(path('base.yaml'), crewOf('4s', '5s'))
  await writeFile(path('slow.yaml'), crewOf('4.6s', '5.75s'))
  await writeFile(path('wild.yaml'), crewOf('4s', '16s'))
  await writeFile(path('short.yaml'), crewOf('400ms', '410ms'))
  await writeFile(path('longer.yaml'), crewOf('1200ms', '1210ms'))
  await gated('base', { baseline: 'baseline' })
})

describe('the first gate', () => {
  const asked = {
    baseline: 'first',
    runs: 3,
    set: { 'arrivals.process': 'poisson', 'arrivals.for': '30s' },
  }

  test('is foreseen, with the random arrivals of every run, and writes the baseline', async () => {
    const { plan } = await designGate(optionsOf('base', asked))
    expect(renderPlanText(gate.planText(plan))).toMatch(
      /baseline +none in \S+first: this gate writes it/,
    )
    const down = optionsOf('base', asked)
    down.run = { target: 'http://127.0.0.1:1', tokens: ['none'], budget: { kickoffs: 100 } }
    await expect(conductStudy(conducting, down)).rejects.toThrow('cannot be reached')
    await expect(readdir(path('first'))).rejects.toThrow('ENOENT')
    const document = await gated('base', asked)
    expect([document.decision, EXIT[gate.exit(document)]]).toEqual(['baseline', 0])
    expect(document.verdict.sentence).toMatch(
      /^Nothing was compared: there was no baseline in \S+first, and 3/,
    )
    const names = ['run-1.json', 'run-2.json', 'run-3.json']
    expect(await readdir(path('first'))).toEqual(['history.ndjson', ...names])
    const { size } = await stat(path('baseline/run-1.json'))
    expect(size).toBeLessThan(40_000)
    const runs = await Promise.all(names.map(async (name) => readFile(path('first', name), 'utf8')))
    const arrivals = runs.map((run) => (JSON.parse(run) as ResultDocument).arrivals)
    expect(new Set(arrivals).size).toBeGreaterThan(1)
    expect(plan.total.kickoffs).toBe(arrivals.reduce((sum, each) => sum + each, 0))
  })
})

/** Suffices to know which side is slower. */
const SHORT = { metrics: 'execution.p50', set: { 'arrivals.for': '1m' } }

async function seeded(crew: string, seed: number, more: Asked = {}): Promise<GateDocument> {
  return gated(crew, { baseline: 'kept', seed, ...SHORT, ...more })
}

describe('against a stored baseline', () => {
  test('a candidate that is 15 % slower fails, with metric, size and interval', async () => {
    const document = await gated('slow', { baseline: 'baseline', seed: 100 })
    expect([document.decision, EXIT[gate.exit(document)]]).toEqual(['fail', 1])
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
    const document = await gated('base', { baseline: 'baseline', seed: 300 })
    expect([document.decision, EXIT[gate.exit(document)]]).toEqual(['pass', 0])
    expect(document.verdict.sentence).toMatch(/no judged metric is worse by 10 % or more/)
    expect(document.new.length).toBeLessThan(8)
    expect(document.bounds.every(({ excluded }) => excluded)).toBe(true)
    expect(document.baseline).toEqual({ folder: path('baseline'), written: 0 })
    const page = renderPage(gate.report(document))
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page.indexOf('Largest regression still possible')).toBeGreaterThan(0)
  })

  test.runIf(areExperimentsRun)(
    'three runs of a noisy crew are too few, and say how many more are needed',
    async () => {
      const asked = { baseline: 'wild', runs: 3 }
      await gated('wild', asked)
      const document = await gated('wild', { ...asked, seed: 510 })
      expect([document.decision, EXIT[gate.exit(document)]]).toEqual(['inconclusive', 4])
      expect(document.verdict.sentence).toMatch(
        /^Over 3 and 3 runs, nothing is proven\. The likeliest change: execution\.p\d+ rose by [\d.]+ % \([\d.]+ to [\d.]+\), from [\d.]+ s to [\d.]+ s\. About \d+ more runs per side would decide it/,
      )
      expect(document.verdict.reasons[0]!.remedy).toMatch(/^take --runs \d+, or longer runs/)
    },
  )

  test.runIf(areExperimentsRun)(
    '--update-baseline writes on PASS only, and always where that is said',
    async () => {
      const read = async (): Promise<string> => readFile(path('kept/run-1.json'), 'utf8')
      await seeded('base', 1)
      const first = await read()
      const failed = await seeded('slow', 40, { updateBaseline: 'pass' })
      expect([failed.decision, await read()]).toEqual(['fail', first])
      const passed = await seeded('base', 80, { updateBaseline: 'pass' })
      expect(passed.decision).toBe('pass')
      expect(passed.baseline!.written).toBe(passed.new.length)
      const second = await read()
      expect(second).not.toBe(first)
      expect((await readdir(path('kept'))).length).toBe(passed.new.length + 1)
      const forced = await seeded('slow', 120, { updateBaseline: 'always', commit: 'abc' })
      expect([forced.decision, EXIT[gate.exit(forced)]]).toEqual(['fail', 1])
      expect(await read()).not.toBe(second)
      const { gates } = parseHistory(await readFile(path('kept/history.ndjson'), 'utf8'))
      expect(gates.map(({ decision }) => decision)).toEqual(['baseline', 'fail', 'pass', 'fail'])
      expect(gates[1]!.metrics['execution.p50']!.value).toBeGreaterThan(4_500)
      expect(gates[3]).toMatchObject({ commit: 'abc', scenario: 'gated', runs: forced.new.length })
    },
  )

  test('of another load is refused, and replaced where that is asked for', async () => {
    const other = { baseline: 'other', runs: 3 }
    await gated('base', { ...other, set: { 'arrivals.for': '30s' } })
    const refused = await mistakesIn('base', { ...other, ...SHORT })
    expect(refused).toMatch(/run-1\.json: was measured under a different load \(arrivals\)/)
    expect(refused).toMatch(/--update-baseline=always replaces them/)
    const replaced = await gated('base', { ...other, ...SHORT, updateBaseline: 'always' })
    expect(replaced.decision).toBe('baseline')
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
    const scenario = path('scenario.json')
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
    const asked = { baseline: 'sick', runs: 5, ...SHORT }
    const { decision } = await gated('base', asked)
    expect(decision).toBe('baseline')
    const file = path('sick/run-2.json')
    const run = JSON.parse(await readFile(file, 'utf8')) as { verdict: object }
    const because = { code: 'lateness', message: 'requests were sent late', remedy: '', p99Ms: 9 }
    const verdict = { ...run.verdict, valid: false, outcome: 'invalid', reasons: [because] }
    await writeFile(file, JSON.stringify({ ...run, verdict }))
    const { base, refused, findings } = await gated('base', { ...asked, seed: 77 })
    expect(base).toHaveLength(4)
    expect(refused).toEqual([{ side: 'base', run: file, outcome: 'invalid', because }])
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'run-refused',
        message: `${file} is not compared: INVALID, requests were sent late`,
      }),
    )
    for (const name of ['run-3.json', 'run-4.json']) await rm(path(`sick/${name}`))
    expect(await mistakesIn('base', asked)).toContain('too few valid runs (2)')
  })
})

test('by turns: pairs share a seed, and are run base, new, new, base', async () => {
  const document = await gated('slow', { baselineProfile: path('base.yaml'), ...SHORT })
  expect([document.decision, document.baseline]).toEqual(['fail', null])
  const { pairs, base, new: next } = document
  expect(pairs.length).toBe(next.length)
  expect(pairs.map(({ first }) => first).slice(0, 4)).toEqual(['base', 'new', 'base', 'new'])
  expect(pairs.map(({ seed }) => seed)).toEqual(base.map(({ seed }) => seed))
  expect(pairs.map((pair) => pair.new)).toEqual(next.map(({ id }) => id))
})

/** Three runs of 20 executions for each side, which has a crew of its own. */
async function sidesOverHttp(base: FakeCrew, slow: FakeCrew) {
  const set = { 'arrivals.rate': '20/s', 'arrivals.for': '1s', polling: '{"fixed":"100ms"}' }
  const env = { CREWLOAD_BASELINE_TOKEN: base.token }
  const run = { target: slow.url, tokens: [slow.token], env, set, budget: { kickoffs: 500 } }
  const out = await mkdtemp(path('http-'))
  const asked = { scenario: path('scenario.json'), metrics: 'execution.p50', runs: 3 }
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

/** What is decided of given times, virtual time shows above: a busy machine changes real ones. */
describe('over HTTP', () => {
  test.for([
    ['node', 1, {}],
    ['k6', 3, { vus: 3 }],
  ] as const)('%s carries both sides', async ([kind, instances, vus], { skip }) => {
    if (kind === 'k6' && k6 === null) skip()
    await overHttp(async (options) => {
      const run = { ...options.run, engine: { kind, ...vus } }
      const { document, folder } = await conductStudy(conducting, { ...options, run })
      const runs = [...document.base, ...document.new]
      expect(runs.map(({ engine, arrivals }) => [engine, arrivals])).toEqual(
        Array.from({ length: 6 }, () => [kind, 20]),
      )
      const { base, new: next } = document.metrics.find(({ name }) => name === 'execution.p50')!
      expect(base.typical).toBeGreaterThan(350)
      expect(next.typical).toBeGreaterThan(1_100)
      const file = join(folder!, 'new-1/result.json')
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

  test.runIf(areExperimentsRun)('a budget ends it with what is known', async () => {
    await overHttp(async (options, kickoffs) => {
      const run = { ...options.run, budget: { kickoffs: 50 } }
      const { document } = await conductStudy(conducting, { ...options, run })
      expect(document).toMatchObject({ ended: 'budget', decision: 'inconclusive' })
      expect(document.verdict.reasons[0]).toMatchObject({ code: 'budget' })
      expect(kickoffs()).toBeLessThanOrEqual(50)
    })
  })
})
