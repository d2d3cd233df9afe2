/** One seed under every engine: a run measures the same, against fake crews of one seed. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import { kolmogorovSmirnov } from '../../src/result/statistics/kolmogorov-smirnov.ts'
import { finite } from '../../src/result/statistics/quantiles.ts'
import { longestDelay, reportedSeconds, sawTheEnd } from '../../src/execution/record/readings.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import { readJournal } from '../../src/journal/reader.ts'
import { readRun } from '../../src/run/folder/stored.ts'
import { run } from '../../src/run/run.ts'
import { temporaryFolder } from '../support/cli.ts'
import { EXECUTIONS, SCENARIO, SEED, SPEED } from '../support/one-seed.ts'
import { k6OrSkip } from '../support/k6/k6.ts'

const k6 = await k6OrSkip('k6 among the engines that agree')

/** The first is the reference. */
const ENGINES = ['node', 'virtual', ...(k6 === null ? [] : (['k6'] as const))] as const

/** Largest difference of a quantile, as a share of the reference. */
const QUANTILE_SHARE = 0.05
/** The same of the work of all executions, which differs by rounding alone. */
const WORK_SHARE = 0.001
/** Below this p, two distributions are considered different. */
const LEAST_P = 0.001
/** Times are whole microseconds. */
const ARRIVAL_MICROS = 1

interface Measured {
  engine: (typeof ENGINES)[number]
  document: ResultDocument
  /** By index. */
  records: ExecutionRecord[]
}

async function measure(
  scenario: string,
  engine: Measured['engine'],
  out: string,
): Promise<Measured> {
  const options = { profile: 'default', speed: SPEED, seed: SEED, engine, out }
  const { document, folder } = await run(scenario, options)
  expect({ engine, outcome: document.verdict.outcome }).toEqual({ engine, outcome: 'passed' })
  const { journal } = await readRun(folder!)
  const records: ExecutionRecord[] = []
  for await (const line of readJournal(journal)) {
    if (line.type === 'ended') records.push(line.record)
  }
  records.sort((a, b) => a.index - b.index)
  return { engine, document, records }
}

const QUANTILES = ['execution', 'detectionDelay'].flatMap((time) =>
  ['p50', 'p90', 'p95', 'p99'].map((quantile) => `${time}.${quantile}`),
)

const TIMES: Record<string, (record: ExecutionRecord) => number | null> = {
  execution: (record) => (sawTheEnd(record) ? record.endedMicros - record.intendedMicros : null),
  'longest detection delay': longestDelay,
}

/**
 * The fake crew draws from profile, seed and order of acceptance: what happens is equal under every
 * engine. Times are similar: polls meet the end of an execution in another phase.
 */
function differences(reference: Measured, other: Measured): string[] {
  return [
    ...arrivalsApart(reference, other),
    ...QUANTILES.flatMap((name) => quantileApart(name, reference, other)),
    ...workApart(reference, other),
    ...Object.entries(TIMES).flatMap(([name, read]) => {
      const [a, b] = [reference, other].map(({ records }) =>
        records.flatMap((record) => read(record) ?? []),
      )
      const { p } = kolmogorovSmirnov(a!, b!)
      return p > LEAST_P ? [] : [`${name}: p ${p}`]
    }),
  ]
}

function arrivalsApart({ records }: Measured, other: Measured): string[] {
  return records.flatMap(({ index, intendedMicros }, at) => {
    const twin = other.records[at]
    const isSame =
      twin?.index === index && Math.abs(twin.intendedMicros - intendedMicros) <= ARRIVAL_MICROS
    return isSame ? [] : [`arrival ${index}: ${intendedMicros}, ${twin?.intendedMicros}`]
  })
}

function quantileApart(name: string, reference: Measured, other: Measured): string[] {
  const [a, b] = [reference, other].map(({ document }) => finite(document.metrics[name]!.value)!)
  return Math.abs(b! - a!) <= QUANTILE_SHARE * a! ? [] : [`${name}: ${a} ms, ${b} ms`]
}

/** By the crew's own clock: what it drew, which no poll blurs. */
function workApart(reference: Measured, other: Measured): string[] {
  const [a, b] = [reference, other].map(({ records }) =>
    records.reduce((sum, record) => sum + (reportedSeconds(record) ?? 0), 0),
  )
  return Math.abs(b! - a!) <= WORK_SHARE * a! ? [] : [`work: ${a} s, ${b} s`]
}

// A machine that stalls for seconds changes what happens, and with it what is measured: then once
// more.
test(
  `600 executions of one seed are measured alike under ${ENGINES.join(', ')}`,
  { timeout: 400_000, retry: 1 },
  async () => {
    await using folder = await temporaryFolder()
    const scenario = join(folder.path, 'story.ts')
    await writeFile(scenario, SCENARIO)
    const all: Measured[] = []
    for (const engine of ENGINES) all.push(await measure(scenario, engine, folder.path))
    const [reference, ...others] = all
    for (const { engine, document, records } of [reference!, ...others]) {
      const { arrivals, ledger, polling, outcomes } = document
      expect({ engine, arrivals, records: records.length, outcomes }).toEqual({
        engine,
        arrivals: EXECUTIONS,
        records: EXECUTIONS,
        outcomes: reference!.document.outcomes,
      })
      expect(polling.detectionSource).toBe('ledger')
      expect(ledger).toMatchObject({ agreed: EXECUTIONS, disagreements: [] })
    }
    const found = others.map((other) => [other.engine, differences(reference!, other)])
    expect(found).toEqual(others.map(({ engine }) => [engine, []]))
  },
)
