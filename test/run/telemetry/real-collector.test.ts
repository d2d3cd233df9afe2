/** A real OpenTelemetry Collector understands every metric and every trace that a run pushes. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeCrew } from 'crewload/fake-crew'
import { TELEMETRY } from '../../../src/host/telemetry/metrics.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { temporaryFolder } from '../../support/cli.ts'
import {
  buildCollector,
  COLLECTOR_BUILD_MS,
  startCollector,
} from '../../support/metrics/real-collector.ts'
import { bench } from '../bench.ts'

const ARRIVALS = 8
const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'collected',
  arrivals: { rate: '${ARRIVALS}/s', for: '1s' },
  inputs: { topic: 'bees', audience: 'children' },
  checks: { 'says something': ({ output }) => output !== '' },
  polling: { fixed: '60ms' },
  deadline: '20s',
  validity: { lateness: '10s', utilisation: 1 },
})
`

let place: Awaited<ReturnType<typeof temporaryFolder>>
let program: string | null

beforeAll(async () => {
  place = await temporaryFolder()
  program = await buildCollector(place.path)
}, COLLECTOR_BUILD_MS)
afterAll(async () => place[Symbol.asyncDispose]())

interface Metric {
  unit: string
  type: string
  /** The text of its data points. */
  points: string
}

/** The last state of each metric: they are cumulative. */
function metricsIn(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>()
  for (const part of text.split(/^Metric #\d+$/m).slice(1)) {
    const read = (key: string): string =>
      new RegExp(`^ {5}-> ${key}: (.*)$`, 'm').exec(part)?.[1] ?? ''
    const points = part.slice(Math.max(0, part.indexOf('NumberDataPoints #0')))
    metrics.set(read('Name'), { unit: read('Unit'), type: read('DataType'), points })
  }
  return metrics
}

interface Span {
  trace: string
  parent: string
  id: string
  name: string
}

function spansIn(text: string): Span[] {
  return text
    .split(/^Span #\d+$/m)
    .slice(1)
    .map((part) => {
      const read = (key: string): string =>
        new RegExp(`^ {4}${key} *: (.*)$`, 'm').exec(part)?.[1] ?? ''
      return {
        trace: read('Trace ID'),
        parent: read('Parent ID'),
        id: read('ID'),
        name: read('Name'),
      }
    })
}

/** What the collector wrote of a run with traces, and the records of that run. */
async function collected(binary: string): Promise<{ text: string; records: ExecutionRecord[] }> {
  const crew = await startFakeCrew({ profile: 'fast', seed: 7 })
  await using folder = await bench()
  await using collector = await startCollector(binary)
  try {
    const file = `${folder.path}/collected.ts`
    await writeFile(file, SCENARIO)
    const where = { target: crew.url, tokens: [crew.token] }
    const { lines } = await folder.run(file, { ...where, otlp: collector.url, otlpTraces: 1 })
    const records = lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))
    return { text: await collector.stop(), records }
  } finally {
    await crew.stop()
  }
}

test('a real collector reads each metric, and a trace of each execution', async ({ skip }) => {
  skip(program === null, 'no collector')
  const { text, records } = await collected(program!)
  expect(text).not.toMatch(/\t(?:error|warn)\t/)
  const metrics = metricsIn(text)
  const listed = Object.keys(TELEMETRY).filter((name) => name !== 'crewload.violations')
  expect([...metrics.keys()].toSorted()).toEqual(listed.toSorted())
  for (const [name, { unit, type }] of metrics) {
    const metric = TELEMETRY[name as keyof typeof TELEMETRY]
    const told = metric.type === 'histogram' ? 'Histogram' : 'Sum'
    expect([name, unit, type]).toEqual([name, metric.unit, told])
  }
  expect(metrics.get('crewload.outcomes')!.points).toMatch(
    new RegExp(`outcome: Str\\(completed\\)[^]*^Value: ${ARRIVALS}(?:\\.0+)?$`, 'm'),
  )
  const polls = records.reduce((sum, record) => sum + record.polls.answer.length, 0)
  const spans = spansIn(text)
  const roots = spans.filter(({ parent }) => parent === '')
  expect(roots.map(({ name }) => name)).toEqual(roots.map(() => 'execution'))
  const counts = [records.length, roots.length, spans.length - roots.length]
  expect(counts).toEqual([ARRIVALS, ARRIVALS, ARRIVALS + polls])
  const traceOf = new Map(roots.map(({ id, trace }) => [id, trace]))
  for (const { parent, trace } of spans.filter((span) => span.parent !== '')) {
    expect(traceOf.get(parent)).toBe(trace)
  }
})
