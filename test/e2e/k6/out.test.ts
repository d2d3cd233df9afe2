/**
 * `--k6-out` and `k6 bundle --k6-metrics` for real: what k6's own outputs receive is what the
 * result of the run says.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { finite } from '../../../src/result/statistics/quantiles.ts'
import type { Reach } from '../../../src/result/statistics/quantiles.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { isAnswer, longestDelay } from '../../../src/execution/record/readings.ts'
import type {
  ExecutionRecord,
  Outcome,
  RequestColumns,
} from '../../../src/execution/record/record.ts'
import { cli, temporaryFolder, documentOf } from '../../support/cli.ts'
import { endedIn, fakeCrew, TOKEN } from '../../support/k6/fleet.ts'
import { runFolder } from '../../support/k6/run.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const k6 = await k6OrSkip('the tests of --k6-out')

const execute = promisify(execFile)

const MINE = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'mine',
  arrivals: { rate: '20/s', for: '4s', process: 'poisson', warmUp: '500ms' },
  inputs: ({ index }) => ({ topic: \`topic \${index}\`, audience: 'testers' }),
  tags: ({ index }) => ({ third: String(index % 3) }),
  polling: { fixed: '100ms' },
  deadline: '2s',
  retry: 'none',
  confirm: 0,
  checks: { 'is long': ({ output }) => output.length > 400 },
  thresholds: { 'outcome.completed': '>= 1%' },
  validity: { lateness: '10s', utilisation: 1 },
})`

/** Some fail, some are refused, some never end, and some polls get no answer. */
const PROFILE = JSON.stringify({
  description: 'mixed',
  inputs: ['topic', 'audience'],
  tasks: [
    {
      id: 'write',
      agent: 'Writer',
      duration: { uniform: { min: '100ms', max: '500ms' } },
      failure: { chance: 0.2, message: 'no' },
      output: '500B',
    },
  ],
  faults: [
    { name: 'refusing', status: { code: 500 }, operations: ['kickoff'], chance: 0.15 },
    { name: 'busy', status: { code: 502 }, operations: ['status'], chance: 0.1 },
    { name: 'stuck', stuck: {}, chance: 0.1 },
  ],
})

interface Point {
  value: number
  tags: Record<string, string>
}

/** The samples of k6's own JSON output, by metric. */
async function samplesOf(file: string): Promise<Map<string, Point[]>> {
  const samples = new Map<string, Point[]>()
  for (const text of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
    const { type, metric, data } = JSON.parse(text)
    if (type !== 'Point') continue
    const known = samples.get(metric) ?? []
    samples.set(metric, known)
    known.push(data)
  }
  return samples
}

async function linesOf(journal: string): Promise<JournalLine[]> {
  const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as JournalLine)
}

/** Requests after the last end that ask whether the target still answers. */
function probesIn(lines: readonly JournalLine[]): number {
  return lines.reduce((sum, line) => {
    if (line.type !== 'incident' || line.incident.kind !== 'target-probed') return sum
    return sum + line.incident.probes
  }, 0)
}

async function recordsOf(journal: string): Promise<ExecutionRecord[]> {
  return endedIn(await linesOf(journal))
}

function sorted(values: Iterable<number>): number[] {
  return [...values].sort((a, b) => a - b)
}

function valuesOf(points: readonly Point[] = []): number[] {
  return sorted(points.map(({ value }) => value))
}

function counted(points: readonly Point[] = [], tag: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { value, tags } of points) counts[tags[tag]!] = (counts[tags[tag]!] ?? 0) + value
  return counts
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length)
  for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i]!, 3)
}

/** Polls with such an answer, from the time each was due. */
function pollMillis(
  { answer, lateMicros, waitMicros, serviceMicros }: RequestColumns,
  taken: (answer: RequestColumns['answer'][number]) => boolean,
): number[] {
  return answer.flatMap((each, i) => {
    const micros = lateMicros[i]! + waitMicros[i]! + Math.max(0, serviceMicros[i]!)
    return taken(each) ? [micros / 1_000] : []
  })
}

/** A metric is read from a histogram, so it is exact to a half of a percent. */
function expectSame(found: number | undefined, metric: { value: Reach } | undefined): void {
  expect(found! / finite(metric!.value)!).toBeCloseTo(1, 2)
}

describe.skipIf(k6 === null)('--k6-out', () => {
  test('tells k6 of every execution what the journal and the result tell of it', async () => {
    await using folder = await temporaryFolder()
    const scenario = join(folder.path, 'mine.ts')
    const profile = join(folder.path, 'profile.yaml')
    await writeFile(scenario, MINE)
    await writeFile(profile, PROFILE)
    const output = join(folder.path, 'k6.json')
    const csv = join(folder.path, 'k6.csv')
    const place = ['--profile', profile, '--seed', '7', '--out', join(folder.path, 'out')]
    const engine = ['--engine', 'k6', '--k6-vus', '2']
    const outputs = ['--k6-out', `json=${output}`, '--k6-out', `csv=${csv}`]
    const result = await cli(['run', scenario, ...place, ...engine, ...outputs, '--json'])
    expect(result.stderr).toBe('')
    const document = documentOf(result)
    const journal = await linesOf(join(await runFolder(folder.path), 'executions.ndjson'))
    const all = endedIn(journal)
    const records = all.filter(({ warmUp }) => !warmUp)
    const samples = await samplesOf(output)

    // Each kickoff, poll and probe is among them once, and no request of crewload's own.
    const http = counted(samples.get('http_reqs'), 'name')
    const polls = all.reduce((sum, record) => sum + record.polls.answer.length, 0)
    expect(http).toEqual({ kickoff: all.length, status: polls + probesIn(journal) })
    expect(records.length).toBeLessThan(all.length)
    const outcomes = counted(samples.get('crewload_outcomes'), 'outcome')
    const counts = Object.entries(document.outcomes).filter(([, count]) => count > 0)
    expect(outcomes).toEqual(Object.fromEntries(counts))
    for (const outcome of ['completed', 'failed', 'unknown', 'stuck'] satisfies Outcome[]) {
      expect(outcomes[outcome]).toBeGreaterThan(0)
    }
    expect(Object.keys(document.tags)).toEqual(['third=0', 'third=1', 'third=2'])
    for (const [tag, metrics] of Object.entries(document.tags)) {
      const unserved = samples.get('crewload_unserved')!
      const own = unserved.filter(({ tags }) => `third=${tags['third']}` === tag)
      expect(mean(valuesOf(own))).toBeCloseTo(finite(metrics['outcome.unserved']!.value)!, 6)
    }

    for (const [name, metric] of [
      ['crewload_unserved', 'outcome.unserved'],
      ['crewload_failed', 'execution.failed'],
      ['checks', 'checks.is long'],
    ] as const) {
      const share = mean(valuesOf(samples.get(name)))
      expect(share).toBeCloseTo(finite(document.metrics[metric]!.value)!, 6)
    }

    const accepted = records.filter(({ acceptedMicros }) => acceptedMicros !== null)
    expectClose(
      valuesOf(samples.get('crewload_kickoff_response_duration')),
      sorted(accepted.map((each) => (each.acceptedMicros! - each.intendedMicros) / 1_000)),
    )
    const served = records.filter(({ outcome }) => outcome === 'completed' || outcome === 'failed')
    expectClose(
      valuesOf(samples.get('crewload_execution_duration')),
      sorted(served.map((each) => (each.endedMicros - each.intendedMicros) / 1_000)),
    )
    expectClose(
      valuesOf(samples.get('crewload_detection_delay')),
      sorted(records.flatMap((each) => longestDelay(each) ?? []).map((micros) => micros / 1_000)),
    )
    const answered = records.flatMap(({ polls }) => pollMillis(polls, (answer) => answer === 200))
    expectClose(valuesOf(samples.get('crewload_status_response_duration')), sorted(answered))
    const responses = valuesOf(samples.get('crewload_kickoff_response_duration'))
    const half = Math.ceil(records.length / 2)
    expectSame(responses[half - 1], document.metrics['kickoff.response.p50'])
    const completed = samples
      .get('crewload_execution_duration')!
      .filter(({ tags }) => tags['outcome'] === 'completed')
    expectSame(valuesOf(completed).at(-1), document.metrics['execution.completed.max'])
    // The longest response is not known if a poll that the deadline cut had waited even longer.
    const cut = records.flatMap(({ polls }) => pollMillis(polls, (answer) => !isAnswer(answer)))
    const longest = Math.max(...answered)
    const known = cut.every((millis) => millis < longest)
    const told = document.metrics['status.response.max']!.value
    expectSame(longest, { value: known ? told : longest })
    expect(told === null).toBe(!known)
    const requests = counted(samples.get('crewload_requests'), 'operation')
    expect(requests).toEqual({
      kickoff: records.reduce((sum, { kickoff }) => sum + kickoff.answer.length, 0),
      status: records.reduce((sum, { polls }) => sum + polls.answer.length, 0),
    })

    const named = new Set(samples.get('http_reqs')!.map(({ tags }) => tags['name']))
    for (const name of ['kickoff', 'status']) expect(named).toContain(name)
    expect(samples.get('http_reqs')!.some(({ tags }) => 'url' in tags)).toBe(false)
    const rows = (await readFile(csv, 'utf8')).split('\n')
    const written = rows.filter((row) => row.startsWith('crewload_outcomes,')).length
    expect(written).toBe(records.length)
  })

  test('names an output that k6 does not have, before anything is sent', async () => {
    await using folder = await temporaryFolder()
    const place = ['--profile', 'fast', '--out', join(folder.path, 'out')]
    const result = await cli(['run', 'smoke', ...place, '--engine', 'k6', '--k6-out', 'nowhere=x'])
    expect(result.stderr).toMatch(/--engine k6: .*nowhere/)
    expect(result.code).toBe(2)
  })
})

describe.skipIf(k6 === null)('k6 bundle --k6-metrics', () => {
  test('makes a script by which stock k6 tells its outputs the same', async () => {
    await using folder = await temporaryFolder()
    const scenario = join(folder.path, 'mine.ts')
    await writeFile(scenario, MINE)
    const crew = await fakeCrew()
    try {
      const script = join(folder.path, 'script.js')
      const bundle = ['k6', 'bundle', scenario, '--target', crew.url, '--out', script]
      expect((await cli([...bundle, '--k6-metrics'])).code).toBe(0)
      const output = join(folder.path, 'k6.json')
      const journal = join(folder.path, 'journal.ndjson')
      const quiet = ['--quiet', '--no-usage-report', '--log-format=raw']
      const to = [`--console-output=${journal}`, `--out=json=${output}`]
      const env = { ...process.env, CREWLOAD_TOKEN: TOKEN }
      const { stdout } = await execute(k6!.path, ['run', ...quiet, ...to, script], { env })
      const records = (await recordsOf(journal)).filter(({ warmUp }) => !warmUp)
      const samples = await samplesOf(output)
      expect(records.length).toBeGreaterThan(20)
      expect(counted(samples.get('crewload_outcomes'), 'outcome')).toEqual({
        completed: records.length,
      })
      expectClose(
        valuesOf(samples.get('crewload_execution_duration')),
        sorted(records.map((each) => (each.endedMicros - each.intendedMicros) / 1_000)),
      )
      expect(stdout).toContain('crewload_execution_duration')
    } finally {
      await crew.stop()
    }
  })
})
