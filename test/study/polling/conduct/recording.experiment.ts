/** What is learned from the records of runs: ends and deadlines, waits asked for, arrivals. */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../../../src/execution/record/journal-lines.ts'
import type { PollingDocument } from '../../../../src/study/polling/document.ts'
import { run } from '../../../../src/run/index.ts'
import { readRun } from '../../../../src/run/folder/stored.ts'
import { goalWords } from '../../../../src/study/polling/report/report.ts'
import { conducting, readRecordings } from '../../../../src/study/polling/conduct/conduct.ts'
import { RunReader } from '../../../../src/study/frame/executions/reader.ts'
import type { Recording } from '../../../../src/study/polling/analyse/replay/recording.ts'
import { recordingOf } from '../../../../src/study/polling/analyse/replay/recording.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const CREW = `inputs: [topic]
capacity: { workers: 1000 }
tasks: [{ id: t, agent: A, duration: DURATION }]
`

/** A run in virtual time against a crew whose executions take so long, and its folder. */
async function recorded(
  folder: string,
  { duration, more = '', ...set }: { duration: string; more?: string; [key: string]: string },
  speed = 1,
): Promise<string> {
  const profile = join(folder, `crew-${(await readdir(folder)).length}.yaml`)
  await writeFile(profile, CREW.replace('DURATION', duration) + more)
  const arrivals = { 'arrivals.rate': '30/m', 'arrivals.for': '10m', 'arrivals.warmUp': '0s' }
  const options = {
    profile,
    engine: 'virtual',
    out: folder,
    speed,
    set: { ...arrivals, ...set },
  } as const
  return (await run('steady', options)).folder!
}

async function recordingIn(...folders: string[]): Promise<Recording> {
  const runs = await Promise.all(folders.map((folder) => readRun(folder)))
  return (await readRecordings(runs, () => false)).recording
}

describe('a deadline that some executions pass', () => {
  test('what the ledger ends after its deadline never ended for its client', async () => {
    await using folder = await temporaryFolder()
    const path = await recorded(folder.path, {
      duration: '{ uniform: { min: 10s, max: 100s } }',
      deadline: '70s',
    })
    const recording = await recordingIn(path)
    const late = recording.executions.filter(({ fate }) => fate === 'never')
    expect(late.length).toBeGreaterThan(50)
    for (const { fate, byMicros, deadlineMicros } of recording.executions) {
      expect([fate, byMicros < deadlineMicros]).toEqual([fate, true])
    }
  })

  test('a few ends just before it do not make every strategy impossible', async () => {
    await using folder = await temporaryFolder()
    const path = await recorded(folder.path, {
      duration: '{ lognormal: { median: 60s, p95: 210s } }',
      deadline: '5m',
    })
    const { document } = await conductStudy(conducting, { out: false, runs: [path] })
    expect(document.source.never).toBeGreaterThan(0)
    expect(document.verdict.outcome).toBe('answered')
    // The best constant interval for executions of 75 s is 12 s.
    expect(document.recommended!.pollsPerExecution.value).toBeLessThan(9)
  })
})

test('runs of a time-lapse tell wall times, and one speed at a time', async () => {
  await using folder = await temporaryFolder()
  const crew = { duration: '10s', 'arrivals.for': '16s' }
  const [real, lapsed] = [await recorded(folder.path, crew), await recorded(folder.path, crew, 10)]
  const recording = await recordingIn(lapsed)
  for (const { byMicros } of recording.executions) expect(byMicros).toBeCloseTo(1_000_000, -4)
  const { document } = await conductStudy(conducting, { out: false, runs: [lapsed] })
  // Nothing is asked: a poll is worth a second of the crew, which is 100 ms here.
  expect(document.goal).toMatchObject({ given: false, prices: { poll: 1, delaySecond: 10 } })
  expect(goalWords(document.goal)).toContain('as much as 100 ms of delay')
  const both = conductStudy(conducting, { out: false, runs: [real, lapsed] })
  await expect(both).rejects.toThrow(/expected runs at one speed/)
})

function limitOf(operation: string): string {
  return `{ name: ${operation}, operations: [${operation}], fixedWindow: { limit: 9, window: 30s } }`
}

test('a refusal asks for no interval between polls, be it of a kickoff or of a poll', async () => {
  await using folder = await temporaryFolder()
  const path = await recorded(folder.path, {
    duration: '5s',
    more: `limits: { rules: [${limitOf('kickoff')}, ${limitOf('status')}] }\n`,
  })
  const lines = await linesOf(path)
  const asked = lines.flatMap((line) =>
    line.type === 'ended' ? [line.record.kickoff.asked, line.record.polls.asked] : [],
  )
  expect(asked.filter((each) => each !== undefined).length).toBeGreaterThan(20)
  const recording = await recordingIn(path)
  expect(recording.asked.waitsMicros).toEqual([])
})

describe('a limiter that writes Retry-After on every answer', () => {
  const SLOWAPI = `limits:
  headers: slowapi
  rules: [{ name: all, operations: [status, kickoff], fixedWindow: { limit: 9000, window: 20s } }]
`
  const study = async (hint: 'obey' | 'ignore'): Promise<PollingDocument> => {
    await using folder = await temporaryFolder()
    const set = { 'polling.fixed': '5s', 'polling.hint': hint, 'arrivals.for': '5m' }
    const duration = '{ uniform: { min: 60s, max: 90s } }'
    const path = await recorded(folder.path, { duration, more: SLOWAPI, ...set })
    return (await conductStudy(conducting, { out: false, runs: [path] })).document
  }

  test('delays the replay of polling that obeys it, as it did the run', async () => {
    const { current, findings } = await study('obey')
    const { observed, pollsPerExecution } = current!
    // At 5 s, an execution of 75 s would be polled 15 times.
    expect(observed.pollsPerExecution!).toBeLessThan(9)
    expect(pollsPerExecution.value / observed.pollsPerExecution!).toBeCloseTo(1, 1)
    expect(findings.map(({ message }) => message).join()).toMatch(
      /100 % of the answers asked for a wait \(median 20\.0 s\), which today’s polling obeys/,
    )
  })

  test('delays no other polling', async () => {
    const { current, findings } = await study('ignore')
    const { observed, pollsPerExecution } = current!
    expect(observed.pollsPerExecution!).toBeGreaterThan(14)
    expect(pollsPerExecution.value / observed.pollsPerExecution!).toBeCloseTo(1, 1)
    expect(findings.map(({ message }) => message).join()).not.toContain('obeys')
  })
})

test('arrivals of a run that was cut are counted, whether or not they were seen to end', async () => {
  await using folder = await temporaryFolder()
  const path = await recorded(folder.path, {
    duration: '{ uniform: { min: 60s, max: 500s } }',
    'arrivals.process': 'uniform',
  })
  const lines = await linesOf(path)
  const reader = new RunReader()
  const cut = lines.findLastIndex(({ type }) => type === 'accepted')
  for (const line of lines.slice(0, cut)) reader.saw(line)
  const { executions, arrivalsPerSecond } = recordingOf([{ reader, ledger: null }])
  expect(executions.filter(({ fate }) => fate === 'censored').length).toBeGreaterThan(50)
  expect(arrivalsPerSecond).toBeCloseTo(0.5, 2)
})

async function linesOf(run: string): Promise<JournalLine[]> {
  const text = await readFile(join(run, 'executions.ndjson'), 'utf8')
  const lines = text.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as JournalLine)
}

describe('the rate at which arrivals came in several runs', () => {
  const even = { duration: '20s', 'arrivals.process': 'uniform' }

  test('is that of all over the time of all, however long each was', async () => {
    await using folder = await temporaryFolder()
    const busy = await recorded(folder.path, even)
    const slow = { 'arrivals.rate': '6/m', 'arrivals.for': '30m' }
    const quiet = await recorded(folder.path, { ...even, ...slow })
    const { executions, loads, arrivalsPerSecond } = await recordingIn(busy, quiet)
    expect(executions).toHaveLength(480)
    expect(loads.map((load) => load.executions)).toEqual([300, 180])
    // 480 arrivals in 40 minutes: neither the mean of the rates nor that of what arrived.
    expect(arrivalsPerSecond).toBeCloseTo(0.2, 2)
  })

  test('leaves out a run of which too few tell no rate', async () => {
    await using folder = await temporaryFolder()
    const busy = await recorded(folder.path, even)
    const few = { 'arrivals.rate': '1/m', 'arrivals.for': '4m' }
    const short = await recorded(folder.path, { ...even, ...few })
    expect((await recordingIn(short)).executions).toHaveLength(4)
    const { arrivalsPerSecond } = await recordingIn(busy)
    expect(arrivalsPerSecond).not.toBeNull()
    expect((await recordingIn(busy, short)).arrivalsPerSecond).toBe(arrivalsPerSecond)
    expect((await recordingIn(short, short)).arrivalsPerSecond).toBeNull()
  })
})
