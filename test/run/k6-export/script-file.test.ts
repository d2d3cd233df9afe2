/**
 * What leaves this machine for k6, a script or a manifest: asked for what the plan allows, and told
 * what local runs are told.
 */
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { K6_METRICS } from '../../../src/host/k6/metrics.ts'
import { k6Environment } from '../../../src/run/k6/arguments.ts'
import { k6Manifest } from '../../../src/run/k6-export/manifest.ts'
import type { ManifestFlags } from '../../../src/run/k6-export/options.ts'
import { exportedScript } from '../../../src/run/k6-export/script-file.ts'

const TARGET = { target: 'http://127.0.0.1:1' }
const TWO_PLACES = { set: { 'admission.maxInFlight': '2' } }
const FLAGS: ManifestFlags = {
  instances: 1,
  tokenSecret: 'crewload-token',
  cpu: '1',
  memory: '512Mi',
}

async function mistakes(made: Promise<unknown>): Promise<string[]> {
  const error: unknown = await made.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof UserError)) throw error
  return error.mistakes.map(({ source, found, problem }) => `${source} ${found}: ${problem}`)
}

const NO_PART = 'each VU needs its part of admission.maxInFlight, which is 2'

describe('a script', () => {
  test('says at its head how to run it over HTTP/1.1, as local runs do', async () => {
    const { GODEBUG } = k6Environment({}, {}, null)
    const head = (await exportedScript('steady', TARGET, { vus: 1 })).split('\n')
    expect(head[0]).toContain('(seed 42, 1 VU)')
    expect(head[3]).toMatch(`//   GODEBUG=${GODEBUG} k6 run --quiet`)
  })

  test('holds nothing of the metrics of k6 unless it is made to measure', async () => {
    const quiet = await exportedScript('steady', TARGET, { vus: 1 })
    expect(quiet).not.toContain('k6/metrics')
    expect(quiet).not.toContain('crewload_')
    const measuring = await exportedScript('steady', TARGET, { vus: 1, metrics: true })
    expect(measuring).toContain('k6/metrics')
    const head = measuring.slice(0, measuring.indexOf('import '))
    for (const name of Object.keys(K6_METRICS)) expect(head).toContain(`//   ${name} `)
  })

  test('carries no schema: types of documents alone reach it', async () => {
    const script = await exportedScript('steady', TARGET, { vus: 1, metrics: true })
    const modules = [...script.matchAll(/^\/\/ (?:\.\.\/)*(\S+\.[jt]s)$/gm)].map(([, path]) => path)
    expect(modules).toContainEqual(expect.stringMatching(/execution\/record\/request\.[jt]s$/))
    expect(modules.filter((path) => /zod|schema|journal-lines/.test(path!))).toEqual([])
  })

  test('carries no comments of crewload but those that name its modules', async () => {
    const script = await exportedScript('steady', TARGET, { vus: 1 })
    const ours = script.slice(script.indexOf('import '), script.indexOf('// scenarios/steady.ts'))
    const comments = ours.match(/^ *\/[/*].*$/gm) ?? []
    expect(comments.length).toBeGreaterThan(50)
    expect(comments.filter((line) => !/^\/\/ (?:\.\.\/)*dist\/src\/\S+\.js$/.test(line))).toEqual(
      [],
    )
  })

  test('carries nothing that resumes runs, or that only shows plans', async () => {
    const script = await exportedScript('steady', TARGET, { vus: 1 })
    expect(script).not.toContain('execution/pick-up')
    expect(script).not.toContain('peakPerSecond')
  })

  test('is not made for more VUs than a limit can be dealt to', async () => {
    expect(await mistakes(exportedScript('steady', TWO_PLACES, { vus: 3 }))).toEqual([
      `--k6-vus 3: ${NO_PART}`,
    ])
  })
})

describe('a manifest', () => {
  test('gives pods what local runs are given, and counts them in words', async () => {
    const { GODEBUG } = k6Environment({}, {}, null)
    const { text, forecast } = await k6Manifest('steady', TARGET, FLAGS, 'FILE')
    expect(text).toContain(`name: GODEBUG\n        value: ${GODEBUG}\n`)
    expect(forecast.engine).toBe('k6, 1 VU in 1 pod')
  })

  test('gives the outputs of k6 to each pod, with a script that measures', async () => {
    const outputs = ['experimental-prometheus-rw']
    const { text } = await k6Manifest('steady', TARGET, { ...FLAGS, k6Out: outputs }, 'FILE')
    expect(text).toContain('    - --out=experimental-prometheus-rw\n')
    expect(text).toContain('crewload_execution_duration')
    const files = k6Manifest(
      'steady',
      TARGET,
      { ...FLAGS, instances: 2, k6Out: ['json=a'] },
      'FILE',
    )
    expect(await mistakes(files)).toEqual([expect.stringMatching(/^--k6-out json=a: 2 processes/)])
  })

  test('is not made for more VUs than a limit can be dealt to', async () => {
    const options = { ...TARGET, ...TWO_PLACES }
    const pods = k6Manifest('steady', options, { ...FLAGS, instances: 4 }, 'FILE')
    expect(await mistakes(pods)).toEqual([`--instances 4: ${NO_PART}`])
    const vus = k6Manifest('steady', options, { ...FLAGS, k6Vus: 4 }, 'FILE')
    expect(await mistakes(vus)).toEqual([`--k6-vus 4: ${NO_PART}`])
  })
})

describe('a budget of kickoffs', () => {
  test('gives each pod of a manifest one at least', async () => {
    const few = { ...TARGET, budget: { kickoffs: 3 } }
    const four = { ...FLAGS, instances: 4 }
    expect(await mistakes(k6Manifest('steady', few, four, 'FILE'))).toEqual([
      '--instances 4 VUs: more than the 3 kickoffs of the budget: some would have nothing to send',
    ])
    const { text } = await k6Manifest('steady', few, { ...FLAGS, instances: 3 }, 'FILE')
    expect(text).toContain('parallelism: 3')
  })
})

describe('abortEarly', () => {
  test('has no effect where no instance sees the others, and that is said', async () => {
    const notes: string[] = []
    const options = { ...TARGET, onNote: (note: string): void => void notes.push(note) }
    await exportedScript('ramp', options, { vus: 1 })
    await k6Manifest('ramp', options, FLAGS, 'FILE')
    expect(notes).toHaveLength(2)
    for (const note of notes) expect(note).toMatch(/^abortEarly of execution\.p95 .* has no effect/)
    await exportedScript('steady', options, { vus: 1 })
    expect(notes).toHaveLength(2)
  })
})
