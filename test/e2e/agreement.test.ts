/**
 * One seed under every engine: the same story, told by the built command line against fake crews of
 * one seed.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { analyseAgreement, DEFAULT_BOUNDS } from '../../src/study/agreement/analyse/analyse.ts'
import type { ComparedRun } from '../../src/study/agreement/analyse/aspects.ts'
import type { AgreementDocument } from '../../src/study/agreement/document.ts'
import type { ResultDocument } from '../../src/analysis/document.ts'
import { AGREEMENT_FACTS } from '../support/made-up-runs.ts'
import { readComparedRun } from '../../src/study/agreement/conduct/compared-run.ts'
import { cli, finished, startCli, temporaryFolder } from '../support/cli.ts'
import { k6OrSkip } from '../support/k6/k6.ts'

const k6 = await k6OrSkip('k6 among the engines that agree')

/** The first is the reference. All run at once. */
const ENGINES = ['node', 'node:2', 'virtual', ...(k6 === null ? [] : ['k6'])]

/**
 * 600 executions of the default profile at 200 times its speed: they arrive within 30 s, three
 * quarters of what the ten workers can do. Intervals of polling are long, and with them all times,
 * so that a busy machine does not decide.
 */
const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'story',
  arrivals: { rate: '360/h', for: '6000s', process: 'poisson' },
  inputs: ({ index }) => ({ topic: \`topic \${index}\`, audience: 'testers' }),
  polling: { exponential: { initial: '800s', factor: 1, max: '800s', jitter: 'equal' } },
  deadline: '24h',
  admission: { maxInFlight: 150 },
  validity: { lateness: '5s', utilisation: 1 },
})
`
/** This seed's Poisson process has exactly so many arrivals. */
const SEED = 35
const EXECUTIONS = 600

/** Runs the scenario under one engine, in a process and a folder of its own. */
async function tell(scenario: string, engine: string, folder: string): Promise<ComparedRun> {
  const out = join(folder, engine.replaceAll(':', '-'))
  const plan = ['--speed', '200', '--seed', String(SEED)]
  const where = ['--profile', 'default', '--engine', engine, '--out', out]
  const { code, stdout, stderr } = await cli(['run', scenario, ...plan, ...where, '--json'])
  expect({ engine, code, stderr: code === 0 ? '' : stderr }).toEqual({
    engine,
    code: 0,
    stderr: '',
  })
  const [run = ''] = await readdir(out)
  return readComparedRun({ name: engine, folder: run }, out, JSON.parse(stdout) as ResultDocument)
}

describe('600 executions of one seed', () => {
  // A machine that stalls for seconds changes what happens, and with it what is told: then once
  // more.
  test(
    `tell the same story under ${ENGINES.join(', ')}`,
    { timeout: 400_000, retry: 1 },
    async () => {
      await using folder = await temporaryFolder()
      const scenario = join(folder.path, 'story.ts')
      await writeFile(scenario, SCENARIO)
      const told = ENGINES.map(async (engine) => tell(scenario, engine, folder.path))
      const stories = await Promise.all(told)
      const {
        trials: runs,
        comparisons,
        verdict,
      } = analyseAgreement(stories, DEFAULT_BOUNDS, AGREEMENT_FACTS)
      expect(verdict.reasons).toEqual([])
      expect(verdict.outcome).toBe('agree')
      for (const { name, arrivals, schedule, ledger } of runs) {
        expect({ name, arrivals }).toEqual({ name, arrivals: EXECUTIONS })
        expect(schedule).toMatchObject({ n: EXECUTIONS, ok: true })
        expect(ledger).toMatchObject({ agreed: EXECUTIONS, disagreements: 0 })
      }
      for (const { run, aspects } of comparisons) {
        const other = aspects.filter(({ status }) => status !== 'same')
        expect({ run, other }).toEqual({ run, other: [] })
        const tests = aspects.flatMap((each) =>
          each.kind === 'distribution' ? (each.test ?? []) : [],
        )
        expect(tests).toHaveLength(2)
        for (const { p } of tests) expect(p).toBeGreaterThan(0.001)
      }
    },
  )
})

interface Told {
  runs: ResultDocument[]
  agreement: AgreementDocument
}

/** Quick executions, few polls. */
const QUICK = [
  '--profile',
  'fast',
  '--set',
  'validity.lateness=5s',
  '--set',
  'validity.utilisation=1',
]

describe('a list of engines', () => {
  test('runs them one after another, each in a folder beside the agreement', async () => {
    await using folder = await temporaryFolder()
    const many = ['--set', 'arrivals.iterations=40', '--set', 'arrivals.clients=20']
    const wide = ['--agree-within', '100%']
    const args = [
      'run',
      'smoke',
      ...QUICK,
      ...many,
      ...wide,
      '--engine',
      'node,node',
      '--out',
      folder.path,
    ]
    const { code, stdout, stderr } = await cli([...args, '--json'])
    const told = JSON.parse(stdout) as Told
    expect(told.agreement.verdict).toMatchObject({ outcome: 'agree', reasons: [] })
    expect(code).toBe(0)
    expect(stderr).toMatch(/engine 1 of 2: node\n[^]*engine 2 of 2: node #2\n/)
    expect(told.runs.map(({ arrivals }) => arrivals)).toEqual([40, 40])
    expect(new Set(told.runs.map(({ run }) => run.id)).size).toBe(2)

    const [name = ''] = await readdir(folder.path)
    expect(name).toMatch(/^smoke-agreement-\d{8}T\d{6}Z$/)
    const files = await readdir(join(folder.path, name))
    expect(files.toSorted()).toEqual([
      'agreement.json',
      'comment.md',
      'junit.xml',
      'node',
      'node.2',
      'report.html',
      'study.json',
      'summary.md',
      'trials.ndjson',
    ])
    expect(await readdir(join(folder.path, name, 'node.2'))).toContain('report.html')
    const written = await readFile(join(folder.path, name, 'agreement.json'), 'utf8')
    expect(JSON.parse(written)).toEqual(told.agreement)
  })

  test.each([
    ['a threshold is missed', 1, quick('< 1ms', '5s')],
    ['a run is INVALID', 3, quick('< 1h', '100ms', SLOW)],
  ])('ends as one run would when %s', async (_, expected, text) => {
    await using folder = await temporaryFolder()
    const scenario = join(folder.path, 'quick.ts')
    await writeFile(scenario, text)
    const place = ['--profile', 'fast', '--out', folder.path]
    const { code, stdout } = await cli([
      'run',
      scenario,
      ...place,
      '--engine',
      'node,node',
      '--json',
    ])
    const { runs, agreement: document } = JSON.parse(stdout) as Told
    expect(runs).toHaveLength(2)
    expect(document.verdict.outcome === 'invalid').toBe(expected === 3)
    expect(code).toBe(expected)
  })

  test('ends whole with one Ctrl-C: the run that goes on is drained, the next does not begin', async () => {
    await using folder = await temporaryFolder()
    const long = ['--set', 'arrivals.iterations=1000', '--set', 'arrivals.clients=4']
    const args = ['run', 'smoke', ...QUICK, ...long, '--engine', 'node,node', '--out', folder.path]
    const child = startCli([...args, '--json'])
    const result = finished(child)
    await kickedOff(folder.path)
    process.kill(-child.pid!, 'SIGINT')
    const { code, stdout, stderr } = await result
    const told = JSON.parse(stdout) as Told
    expect(code).toBe(130)
    expect(stderr).not.toContain('engine 2 of 2')
    expect(told.runs.map(({ run }) => run.stopped)).toEqual(['drained'])
    expect(told.agreement.verdict.reasons).toMatchObject([
      { code: 'unknown', message: 'only node ran: nothing to compare with' },
    ])
  })

  test('goes with a fake crew of its own alone', async () => {
    const target = ['--target', 'http://127.0.0.1:1', '--engine', 'node,node']
    const { code, stderr } = await cli(['run', 'smoke', ...target], {
      env: { CREWLOAD_TOKEN: 't' },
    })
    expect(code).toBe(2)
    expect(stderr).toContain('--target: several engines are compared on fake crews')
  })

  test('is told by --dry-run', async () => {
    const { code, stdout } = await cli([
      'run',
      'steady',
      '--profile',
      'fast',
      '--engine',
      'node,node:2',
      '--dry-run',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('node and node:2, one after another')
  })
})

/** Makes every kickoff late: blocks the engine, without CPU time. */
const SLOW = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)'

/**
 * Ten executions of the fast profile, their p50 held against `bound`; `before` runs before each is
 * sent.
 */
function quick(bound: string, lateness: string, before = ''): string {
  return `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'quick',
  arrivals: { rate: '10/s', for: '1s' },
  inputs: () => {
    ${before}
    return { topic: 'tests', audience: 'testers' }
  },
  polling: { fixed: '200ms' },
  thresholds: { 'execution.p50': '${bound}' },
  validity: { lateness: '${lateness}', utilisation: 1 },
})
`
}

/** Until the first run of the agreement has sent kickoffs. */
async function kickedOff(folder: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const [name] = await readdir(folder)
    const journal = join(folder, name ?? '', 'node', 'executions.ndjson')
    const text = await readFile(journal, 'utf8').catch(() => '')
    if (text.includes('"type":"accepted"')) return
    await sleep(100)
  }
}
