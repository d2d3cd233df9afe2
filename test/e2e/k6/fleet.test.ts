/**
 * Several k6 processes are one run: on this machine over segments, or as what stock k6 runs without
 * crewload: a bundled script, and pods started from a manifest as k6-operator starts them.
 */
import type { ResultDocument } from 'crewload/run'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { cli, documentOf, finished, startCli, temporaryFolder } from '../../support/cli.ts'
import {
  SCENARIO,
  TOKEN,
  arrivalsIn,
  endedIn,
  fakeCrew,
  instanceOf,
  journalIn,
  scenarioIn,
} from '../../support/k6/fleet.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'
import { createBarrier, freeAddresses, runnerArguments } from '../../support/k6/operator.ts'

const k6 = await k6OrSkip('the tests of several k6 processes, of scripts and of manifests for k6')

const FOUR = ['--engine', 'k6', '--instances', '4']

async function journals(folder: string, lines: readonly JournalLine[]): Promise<string[]> {
  const paths: string[] = []
  for (const instance of [0, 1, 2, 3]) {
    const own = lines.filter((line) => instanceOf(line) === instance)
    const path = join(folder, `${instance}.ndjson`)
    await writeFile(path, own.map((line) => `${JSON.stringify(line)}\n`).join(''))
    paths.push(path)
  }
  return paths
}

/**
 * All that does not depend on where a result came from: not what only the ledger tells, nor the
 * peak of a sum, which merging bounds.
 */
function measured(document: ResultDocument): unknown {
  const { metrics, histograms, series, arrivals, outcomes, tags, verdict, run } = document
  return {
    metrics: Object.entries(metrics).filter(byClient),
    histograms: Object.entries(histograms).filter(byClient),
    rest: { series, arrivals, outcomes, tags, verdict },
    run: { ...run, command: null, node: null, machine: null },
    instances: document.generator.instances,
  }
}

function byClient([name]: [string, unknown]): boolean {
  return !/detectionDelay|ledger|inFlight/.test(name)
}

describe.skipIf(k6 === null)('four k6 processes over segments', () => {
  test('are one: the same arrivals, and merging their journals gives the run again', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path)
    const one = join(folder.path, 'one')
    const four = join(folder.path, 'four')
    const place = ['--profile', 'fast', '--out']
    await cli(['run', scenario, '--engine', 'k6', ...place, one, '--quiet'])
    const run = await cli(['run', scenario, ...FOUR, ...place, four, '--json'])
    const whole = documentOf(run)
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    expect(whole.run).toMatchObject({ engine: 'k6', instances: 4, stopped: null })
    expect(whole.ledger!.disagreements).toEqual([])
    expect(whole.ledger!.rows).toBe(whole.arrivals)

    const lines = await journalIn(four)
    expect(arrivalsIn(lines)).toEqual(arrivalsIn(await journalIn(one)))
    expect(new Set(endedIn(lines).map(({ instance }) => instance))).toEqual(new Set([0, 1, 2, 3]))

    const merge = ['report', 'merge', ...(await journals(folder.path, lines))]
    const merged = await cli([...merge, '--out', join(folder.path, 'merged'), '--json'])
    expect(measured(documentOf(merged))).toEqual(measured(whole))
  })

  test('of which one is killed in mid-run: INVALID, it is named, and what was measured is kept', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, SCENARIO.replace("for: '3s'", "for: '10m'"))
    const out = join(folder.path, 'out')
    const place = [...FOUR, '--profile', 'fast', '--out', out]
    const child = startCli(['run', scenario, ...place, '--json'])
    const ending = finished(child)
    await until(async () => endedIn(await journalIn(out)).length > 8)
    process.kill(await processWith(child.pid!, '--tag=instance_id=2'), 'SIGKILL')
    const result = await ending
    const document = documentOf(result)
    expect(result.code).toBe(3)
    expect(document.verdict.outcome).toBe('invalid')
    const reasons = document.verdict.reasons.map(({ message }) => message).join('\n')
    expect(reasons).toContain('instance 1 of 4 did not finish')
    const findings = document.findings.map(({ message }) => message).join('\n')
    expect(findings).toContain('k6 process 2 of 4 was ended by SIGKILL')
    expect(document.outcomes.completed).toBeGreaterThan(8)
    // The others followed theirs to the end.
    const [run = ''] = await readdir(out)
    const finishedOnes = (await journalIn(out)).filter(({ type }) => type === 'finished')
    expect(new Set(finishedOnes.map(instanceOf))).toEqual(new Set([0, 2, 3]))
    expect(await readdir(join(out, run))).toContain('report.html')
  })

  test('hold a budget that is smaller than their number', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path)
    const place = ['--profile', 'fast', '--out', folder.path, '--json']
    const budget = ['--max-kickoffs', '3']
    const result = await cli(['run', scenario, ...FOUR, ...budget, ...place])
    const { ledger, outcomes, arrivals } = documentOf(result)
    expect(ledger!.rows).toBe(3)
    expect(outcomes).toMatchObject({ completed: 3, notReached: arrivals - 3 })
  })
})

/** Asked ten times a second, for half a minute at most; a file that is not there yet is a no. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds().catch(() => false)) return
    await sleep(100)
  }
  throw new Error('it never came to that')
}

/** The child of `parent` that has this word on its command line. */
async function processWith(parent: number, word: string): Promise<number> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')
  for (const child of children.trim().split(' ').map(Number)) {
    const words = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
    if (words.split('\0').includes(word)) return child
  }
  throw new Error(`no child of ${parent} has ${word}`)
}

const execute = promisify(execFile)

describe.skipIf(k6 === null)('crewload k6 bundle', () => {
  test('makes a script that stock k6 runs as it is; its lines merge into what the ledger tells', async () => {
    await using folder = await temporaryFolder()
    const fake = await fakeCrew()
    try {
      const scenario = await scenarioIn(folder.path)
      const script = join(folder.path, 'script.js')
      const log = join(folder.path, 'log')
      await cli(['k6', 'bundle', scenario, '--k6-vus', '2', '--out', script])
      const env = { ...process.env, CREWLOAD_TARGET: fake.url, CREWLOAD_TOKEN: TOKEN }
      const { stdout } = await execute(k6!.path, ['run', `--console-output=${log}`, script], {
        env,
      })
      expect(stdout).not.toContain(TOKEN)
      const lines = await readFile(log, 'utf8')
      expect(lines).not.toContain(TOKEN)

      const out = join(folder.path, 'out')
      const merged = documentOf(
        await cli(['report', 'merge', '--logs', log, '--out', out, '--json']),
      )
      expect(merged.run).toMatchObject({ engine: 'k6', instances: 2, place: { target: fake.url } })
      expect(merged.verdict).toMatchObject({ outcome: 'passed', valid: true })
      const rows = await fake.ledger()
      expect(rows).toHaveLength(merged.arrivals)
      expect(rows.every(({ outcome }) => outcome === 'completed')).toBe(true)
      expect(merged.outcomes.completed).toBe(rows.length)
    } finally {
      await fake.stop()
    }
  })

  test('leaves k6 with an exit code when the environment says nowhere to go', async () => {
    await using folder = await temporaryFolder()
    const script = join(folder.path, 'script.js')
    await cli(['k6', 'bundle', 'smoke', '--out', script])
    const run = execute(k6!.path, ['run', '--quiet', script], { env: process.env })
    await expect(run).rejects.toMatchObject({
      code: 108,
      stderr: expect.stringContaining('CREWLOAD_TARGET: expected the base URL of a crew'),
    })
  })

  test('prints the script where no file is named, and says in it how it is run', async () => {
    const { stdout, stderr, code } = await cli(['k6', 'bundle', 'smoke', '--seed', '7'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\/\/ The scenario "smoke" \(seed 7, 1 VU\) for k6 1\.8 or newer/)
    expect(stdout).toContain('//   crewload report merge --logs journal.ndjson\n')
    expect(stdout).toMatch(/^\/\/   CREWLOAD_TOKEN +bearer tokens/m)
  })
})

interface TestRun {
  metadata: { name: string }
  spec: {
    parallelism: number
    args: string[]
    initializer: { env: Variable[]; envFrom?: unknown }
    runner: { image: string; env: Variable[]; envFrom: unknown }
  }
}

interface Variable {
  name: string
  value: string
}

describe.skipIf(k6 === null)('crewload k6 manifest', () => {
  test('starts pods that are one run, and holds no token', async () => {
    await using folder = await temporaryFolder()
    const fake = await fakeCrew()
    try {
      const scenario = await scenarioIn(folder.path)
      const flags = ['--target', fake.url, '--instances', '2', '--k6-vus', '4']
      const env = { CREWLOAD_TOKEN: TOKEN }
      const { stdout, stderr } = await cli(['k6', 'manifest', scenario, ...flags], { env })
      expect(stderr).toContain('k6, 4 VUs in 2 pods')
      expect(stdout).not.toContain(TOKEN)
      const [configMap, testRun] = parseAllDocuments(stdout).map(
        (document) => document.toJS() as unknown,
      ) as [{ data: Record<string, string> }, TestRun]
      const script = join(folder.path, 'crewload.js')
      await writeFile(script, configMap.data['crewload.js']!)

      await initialize(testRun, script, folder.path)
      const logs = await runPods(testRun, script, folder.path)
      const merge = ['report', 'merge', '--logs', ...logs]
      const merged = await cli([...merge, '--out', join(folder.path, 'out'), '--json'])
      expect(documentOf(merged).run).toMatchObject({ instances: 4, place: { target: fake.url } })
      expect(documentOf(merged).verdict).toMatchObject({ outcome: 'passed', valid: true })
      expect(await fake.ledger()).toHaveLength(documentOf(merged).arrivals)

      const halfMerged = await cli(['report', 'merge', '--logs', logs[0]!, '--out', folder.path])
      expect(halfMerged.code).toBe(3)
      expect(halfMerged.stdout).toContain('no journal of instances 1 and 3 of 4')
    } finally {
      await fake.stop()
    }
  })

  test('asks for a budget where kickoffs may cost money', async () => {
    const manifest = ['k6', 'manifest', 'steady', '--target', 'https://crew.example.com']
    const refused = await cli(manifest)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('needs a budget: --max-kickoffs N')
    const { stdout } = await cli([...manifest, '--max-kickoffs', '100'])
    expect(stdout).toContain('image: grafana/k6:2.')
  })

  test('writes to a file, and names it in its commands', async () => {
    await using folder = await temporaryFolder()
    const out = join(folder.path, 'a run.yaml')
    const claim = ['--volume-claim', 'scripts/crews/steady.js', '--name', 'tuesday']
    const where = ['--target', 'http://127.0.0.1:1', '--out', out]
    const { stdout, stderr, code } = await cli(['k6', 'manifest', 'steady', ...where, ...claim])
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 })
    expect(stderr).toContain(
      'note: the target is a loopback address, which inside a pod is the pod itself',
    )
    const text = await readFile(out, 'utf8')
    expect(text).toContain(`kubectl apply --server-side -f '${out}'`)
    expect(text).toContain('volumeClaim:\n      name: scripts\n      file: crews/steady.js\n')
    expect(text).not.toContain('ConfigMap\n')
  })
})

/**
 * What the operator's initializer does before any pod: archives the script with the variables of
 * `env`, and asks the archive for its VUs.
 */
async function initialize({ spec }: TestRun, script: string, folder: string): Promise<void> {
  const archive = join(folder, 'archived.tar')
  const variables = spec.initializer.env.flatMap(({ name, value }) => ['-e', `${name}=${value}`])
  // It knows that `k6 archive` has no such flag.
  const args = spec.args.filter((arg) => arg !== '--no-usage-report')
  const env = { ...process.env, CREWLOAD_TOKEN: TOKEN }
  await execute(k6!.path, ['archive', script, ...variables, '-O', archive, ...args], { env })
  expect(await readFile(archive, 'latin1')).not.toContain(TOKEN)
  const inspect = ['inspect', '--execution-requirements', archive]
  const { stdout } = await execute(k6!.path, inspect, { env })
  expect((JSON.parse(stdout) as { maxVUs: number }).maxVUs).toBeGreaterThanOrEqual(spec.parallelism)
  expect(spec.initializer.envFrom).toBeUndefined()
}

/** Runs the pods as processes; gives their logs. */
async function runPods(
  { metadata, spec }: TestRun,
  script: string,
  folder: string,
): Promise<string[]> {
  const { parallelism: instances, args, runner } = spec
  const addresses = await freeAddresses(instances)
  const variables = Object.fromEntries(runner.env.map(({ name, value }) => [name, value]))
  const pods = addresses.map((address, i) => {
    const pod = { instance: i + 1, instances, name: metadata.name, args, script, address }
    const env = { ...process.env, ...variables, CREWLOAD_TOKEN: TOKEN }
    const child = spawn(k6!.path, runnerArguments(pod), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const path = join(folder, `pod-${i + 1}.log`)
    const log = createWriteStream(path)
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    return { child, path, log, ended: once(child, 'close') }
  })
  const barrier = createBarrier(addresses)
  try {
    await barrier.ready(new AbortController().signal)
    await barrier.release()
    for (const { ended, log } of pods) {
      expect(await ended).toEqual([0, null])
      await new Promise((resolve) => log.end(resolve))
    }
  } finally {
    for (const { child } of pods) child.kill('SIGKILL')
    await barrier.close()
  }
  return pods.map(({ path }) => path)
}
