/** `--k6-mode iterations` for real: k6's executors begin the executions, and its own metrics tell what the result tells. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { finite } from '../../src/analysis/statistics/quantiles.ts'
import type { ResultDocument } from 'crewload/run'
import type { JournalLine } from '../../src/execution/journal.ts'
import type { ExecutionRecord } from '../../src/execution/record.ts'
import { intendedTimes } from '../../src/host/k6/iterations-turns.ts'
import { preparePlan } from '../../src/run/plan/prepare.ts'
import { cli, finished, startCli, temporaryFolder } from '../support/cli.ts'
import { k6OrSkip } from '../support/k6.ts'

const k6 = await k6OrSkip('the tests of --k6-mode iterations')

/** Each test starts three processes. */
vi.setConfig({ testTimeout: 180_000 })

const MINE = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'mine',
  arrivals: { rate: '15/s', for: '4s', process: 'poisson' },
  inputs: ({ index }) => ({ topic: \`topic \${index}\`, audience: 'testers' }),
  polling: { fixed: '100ms' },
  deadline: '30s',
  checks: { 'says something': ({ output }) => output !== '' },
  thresholds: { 'outcome.completed': '>= 100%' },
  validity: { lateness: '10s', utilisation: 1 },
})`

/** Long enough that only we end it. */
const LONG = MINE.replace("for: '4s'", "for: '3m'")

interface Told {
  document: ResultDocument
  lines: JournalLine[]
  records: ExecutionRecord[]
}

async function scenarioIn(folder: string, text: string): Promise<string> {
  const path = join(folder, 'mine.ts')
  await writeFile(path, text)
  return path
}

function args(scenario: string, folder: string, ...more: string[]): string[] {
  const out = join(folder, 'out')
  const engine = ['--engine', 'k6', '--k6-mode', 'iterations', '--seed', '7']
  return ['run', scenario, '--profile', 'fast', ...engine, '--out', out, '--json', ...more]
}

async function journalIn(folder: string): Promise<string> {
  const [run = ''] = await readdir(join(folder, 'out')).catch(() => [])
  return readFile(join(folder, 'out', run, 'executions.ndjson'), 'utf8').catch(() => '')
}

async function toldIn(folder: string, stdout: string): Promise<Told> {
  const journal = await journalIn(folder)
  const lines = journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalLine)
  const records = lines.flatMap((line) => (line.type === 'ended' ? line.record : []))
  return { document: JSON.parse(stdout) as ResultDocument, lines, records }
}

async function underWay(folder: string): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if ((await journalIn(folder)).includes('"type":"ended"')) return
    await sleep(100)
  }
  throw new Error('nothing ended within 90 s')
}

/** The samples of k6's own JSON output, by metric. */
async function samplesOf(file: string): Promise<Map<string, { value: number; tags: object }[]>> {
  const samples = new Map<string, { value: number; tags: object }[]>()
  for (const text of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
    const { type, metric, data } = JSON.parse(text)
    if (type !== 'Point') continue
    const known = samples.get(metric) ?? []
    samples.set(metric, known)
    known.push(data)
  }
  return samples
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length / 2) - 1]!
}

describe.skipIf(k6 === null)('an iteration for each execution', () => {
  it('does every arrival at its time, and k6, result and ledger tell the same', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const output = join(folder.path, 'k6.json')
    const result = await cli(args(scenario, folder.path, '--k6-out', `json=${output}`))
    const { document, records } = await toldIn(folder.path, result.stdout)
    expect(document.verdict.reasons).toEqual([])
    expect(result.code).toBe(0)
    expect(document.ledger!.disagreements).toEqual([])
    const times = intendedTimes(await preparePlan(scenario, { profile: 'fast', seed: 7 }))
    const byIndex = records.toSorted((a, b) => a.index - b.index)
    expect(byIndex.map(({ intendedMicros }) => intendedMicros)).toEqual(times)
    expect(document.ledger!.agreed).toBe(times.length)

    const samples = await samplesOf(output)
    const values = (name: string): number[] => (samples.get(name) ?? []).map(({ value }) => value)
    const sum = (name: string): number => values(name).reduce((all, value) => all + value, 0)
    const polls = records.reduce((all, record) => all + record.polls.answer.length, 0)
    expect(sum('crewload_outcomes')).toBe(times.length)
    expect(samples.get('crewload_outcomes')![0]!.tags).toMatchObject({ outcome: 'completed' })
    expect(sum('checks')).toBe(times.length)
    expect(sum('crewload_polls')).toBe(polls)
    for (const [name, metric] of [
      ['crewload_execution_duration', 'execution.p50'],
      ['crewload_kickoff_duration', 'kickoff.service.p50'],
      ['crewload_status_duration', 'status.service.p50'],
    ] as const) {
      const k6Millis = median(values(name))
      expect(Math.abs(k6Millis / finite(document.metrics[metric]!.value)! - 1)).toBeLessThan(0.01)
    }
    const named = samples.get('http_reqs')!.map(({ tags }) => (tags as { name: string }).name)
    expect(new Set(named)).toEqual(new Set(['kickoff', 'status', 'control']))
  })

  it('with too few VUs, drops, and k6 counts as dropped what the records tell', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const more = ['--k6-vus', '2', '--k6-out', `json=${join(folder.path, 'k6.json')}`]
    const tight = ['--set', 'validity={"lateness":"50ms","utilisation":1}']
    const result = await cli(args(scenario, folder.path, ...more, ...tight))
    const { document, records, lines } = await toldIn(folder.path, result.stdout)
    const samples = await samplesOf(join(folder.path, 'k6.json'))
    const counted = samples.get('dropped_iterations')!.reduce((sum, { value }) => sum + value, 0)
    expect(document.outcomes.dropped).toBeGreaterThan(10)
    expect(counted).toBe(document.outcomes.dropped)
    expect(document.reasons.dropped).toEqual([
      expect.objectContaining({ reason: 'no VU was free: the iteration was dropped' }),
    ])
    expect(new Set(records.map(({ index }) => index)).size).toBe(records.length)
    const times = intendedTimes(await preparePlan(scenario, { profile: 'fast', seed: 7 }))
    expect(records).toHaveLength(times.length)
    expect(JSON.stringify(lines)).toContain(`no VU free for ${counted} of the arrivals`)
    expect(document.generator.checks.find(({ name }) => name === 'records')!.ok).toBe(true)
    expect(document.ledger!.disagreements).toEqual([])
  })

  it.each(['open', 'closed'])('drains at Ctrl-C, %s arrivals', async (kind) => {
    await using folder = await temporaryFolder()
    const closed = ['--set', 'arrivals={"clients":3,"for":"10m","think":"200ms"}']
    const scenario = await scenarioIn(folder.path, LONG)
    const child = startCli(args(scenario, folder.path, ...(kind === 'closed' ? closed : [])))
    const result = finished(child)
    await underWay(folder.path)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await result
    const { document } = await toldIn(folder.path, stdout)
    expect(stderr).toContain('no more kickoffs')
    expect(code).toBe(130)
    expect(document.verdict.reasons.map(({ code }) => code)).toEqual(['interrupted'])
    expect(document.run).toMatchObject({ stopped: 'drained', stopReason: 'interrupted' })
    expect(document.outcomes.aborted).toBe(0)
    expect(document.ledger!.disagreements).toEqual([])
  })

  it('is INVALID when k6 is killed, and keeps what there was', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, LONG)
    const child = startCli(args(scenario, folder.path))
    const result = finished(child)
    await underWay(folder.path)
    process.kill(await k6Below(child.pid!), 'SIGKILL')
    const { code, stdout } = await result
    const { document } = await toldIn(folder.path, stdout)
    expect(code).toBe(3)
    expect(document.verdict.outcome).toBe('invalid')
    expect(JSON.stringify(document)).toContain('k6 was ended by SIGKILL')
    expect(document.outcomes.completed).toBeGreaterThan(0)
  })

  it('does closed clients, and as many as there are', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const arrivals = 'arrivals={"clients":3,"iterations":8,"think":"100ms","for":"2m"}'
    const result = await cli(args(scenario, folder.path, '--set', arrivals))
    const { document, records } = await toldIn(folder.path, result.stdout)
    expect(document.verdict.reasons).toEqual([])
    expect(document.outcomes.completed).toBe(8)
    expect(records.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
  })
})

describe.skipIf(k6 === null)('what does not go together', () => {
  it.each([
    [['--k6-mode', 'events', '--k6-out', 'json=x'], '--k6-out'],
    [['--set', 'arrivals={"clients":3,"for":"1s"}', '--k6-vus', '2'], '--k6-vus'],
  ])('%j', async (more, named) => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await cli(args('steady', folder.path, ...more))
    expect(code).toBe(2)
    expect(stderr).toContain(named)
  })
})

/** The k6 below a process, as the system knows it. */
async function k6Below(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const child of children.trim().split(' ').map(Number)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.trim().startsWith('k6')) return child
  }
  throw new Error(`no k6 below ${pid}: ${children}`)
}
