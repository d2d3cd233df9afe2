/**
 * Prints the table of bench/results/engines.md: `node bench/run.mjs engines`. One seed under every
 * engine, in turn, against fake crews of one seed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestDelay, reportedSeconds, sawTheEnd } from '../../src/execution/record/readings.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import { readJournal } from '../../src/journal/reader.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { kolmogorovSmirnov } from '../../src/result/statistics/kolmogorov-smirnov.ts'
import { finite } from '../../src/result/statistics/quantiles.ts'
import { readRun } from '../../src/run/folder/stored.ts'
import { run } from '../../src/run/index.ts'
import { SCENARIO, SEED, SPEED } from '../../test/support/one-seed.ts'

const ENGINES = ['node', 'virtual', 'k6'] as const
const QUANTILES = ['execution.p50', 'execution.p95', 'detectionDelay.p50', 'detectionDelay.p95']

interface Measured {
  document: ResultDocument
  records: ExecutionRecord[]
}

async function measure(scenario: string, engine: (typeof ENGINES)[number]): Promise<Measured> {
  const options = { engine, profile: 'default', seed: SEED, speed: SPEED }
  const { document, folder } = await run(scenario, {
    ...options,
    out: join(scenario, '..', engine),
  })
  const records: ExecutionRecord[] = []
  for await (const line of readJournal((await readRun(folder!)).journal)) {
    if (line.type === 'ended') records.push(line.record)
  }
  return { document, records: records.toSorted((a, b) => a.index - b.index) }
}

const tookMicros = (record: ExecutionRecord): number | null =>
  sawTheEnd(record) ? record.endedMicros - record.intendedMicros : null

/** The p-value of one distribution in both runs. */
function likeness(a: Measured, b: Measured, read: (record: ExecutionRecord) => number | null) {
  const [own = [], other = []] = [a, b].map(({ records }) =>
    records.flatMap((each) => read(each) ?? []),
  )
  return kolmogorovSmirnov(own, other).p.toFixed(2)
}

function rowOf(engine: string, reference: Measured, measured: Measured): string {
  const { document, records } = measured
  const { completed, failed } = document.outcomes
  const apart = records.map(({ intendedMicros }, i) =>
    Math.abs(intendedMicros - (reference.records.at(i)?.intendedMicros ?? Infinity)),
  )
  const work = records.reduce((sum, record) => sum + (reportedSeconds(record) ?? 0), 0)
  const metrics = new Map(Object.entries(document.metrics))
  const quantiles = QUANTILES.map((name) => {
    const { value = null, low = null, high = null } = metrics.get(name) ?? {}
    const [mid, from, to] = [value, low, high].map((each) => finite(each)?.toFixed(0) ?? 'none')
    return `${mid} (${from} to ${to})`
  })
  const p = [tookMicros, longestDelay].map((read) => likeness(reference, measured, read))
  const cells = [completed, failed, Math.max(...apart), work.toFixed(1), ...quantiles, ...p]
  return `| ${[engine, ...cells].join(' | ')} |\n`
}

const folder = await mkdtemp(join(tmpdir(), 'crewload-engines-'))
try {
  const scenario = join(folder, 'story.ts')
  await writeFile(scenario, SCENARIO)
  const head = ['completed', 'failed', 'arrivals apart, us', 'work of the crew, s', ...QUANTILES]
  const titles = ['engine', ...head, 'p: execution', 'p: longest detection delay']
  process.stdout.write(`| ${titles.join(' | ')} |\n| --- |${' ---: |'.repeat(titles.length - 1)}\n`)
  let reference: Measured | null = null
  for (const engine of ENGINES) {
    const measured = await measure(scenario, engine)
    reference ??= measured
    process.stdout.write(rowOf(engine, reference, measured))
  }
} finally {
  await rm(folder, { recursive: true })
}
