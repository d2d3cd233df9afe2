/** Several k6 processes on this machine, over segments: they are one run. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { cli, finished, startCli, temporaryFolder, documentOf } from '../../support/cli.ts'
import {
  arrivalsIn,
  endedIn,
  instanceOf,
  journalIn,
  SCENARIO,
  scenarioIn,
} from '../../support/k6/fleet.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const k6 = await k6OrSkip('the tests of several k6 processes')

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
    run: { ...run, command: null, profile: null, node: null, machine: null },
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

  test('that cannot share their VUs are refused', async () => {
    const vus = ['--instances', '4', '--k6-vus', '6', '--profile', 'fast']
    const node = await cli(['run', 'smoke', ...vus])
    expect(node.stderr).toContain('--instances: only allowed with --engine k6, not with node')
    const { code, stderr } = await cli(['run', 'steady', '--engine', 'k6', ...vus])
    expect(code).toBe(2)
    expect(stderr).toBe('crewload: --k6-vus: expected a multiple of the 4 instances (found 6)\n')
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
