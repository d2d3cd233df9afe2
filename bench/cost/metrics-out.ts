/**
 * Measures what the generator pays to export the metrics of a run while it goes. First it measures
 * the bookkeeping alone, with lines and answers of made-up executions: the lowest CPU time per
 * request of five rounds. Then it runs the same load without an exporter, with a Prometheus
 * endpoint that is scraped every second, with OTLP, and with OTLP and a trace of every execution,
 * in turns, against one fake crew in a process of its own: the CPU time of the generator per
 * request (median of the rounds, with the lowest and the highest), the ratio of the medians to that
 * without, and the p99 of lateness.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { LiveTelemetry } from '../../src/host/telemetry/live.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { openOtlp } from '../../src/host/telemetry/otlp.ts'
import type { MetricsExporter } from '../../src/host/telemetry/live.ts'
import { openPrometheus } from '../../src/host/telemetry/prometheus.ts'
import { executionRecord, runLine } from '../../test/result/lines.ts'
import { finite } from '../../src/result/statistics/quantiles.ts'
import type { RunOptions, Scenario } from '../../src/run/index.ts'
import { run } from '../../src/run/index.ts'

/** The executions per round of the measurement of the bookkeeping alone, each polled 20 times. */
const EXECUTIONS = 4_000
const ALONE_ROUNDS = 5
const ROUNDS = Number(process.argv[2] ?? 3)
const TOKEN = 'bench-token'

/** 100 executions in flight, each polled 10 times a second. */
const SCENARIO: Scenario = {
  name: 'metrics-out',
  arrivals: { rate: '50/s', for: '8s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
  deadline: '60s',
  validity: { lateness: '10s', utilisation: 1 },
}

/**
 * Accepts whatever it receives, in a process of its own, because its CPU time must not be counted.
 */
const COLLECTOR = `
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end())
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const fake = spawn(
  process.execPath,
  ['dist/bin/crewload.js', 'fake', '--profile', 'fast', '--port', '0', '--json'],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CREWLOAD_FAKE_TOKEN: TOKEN } },
)
const collector = spawn(process.execPath, ['-e', COLLECTOR], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const { url } = JSON.parse(await firstLine(fake)) as { url: string }
const otlp = `http://127.0.0.1:${await firstLine(collector)}`

async function firstLine({ stdout }: typeof fake): Promise<string> {
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string]
  return line
}

const VARIANTS: [string, RunOptions][] = [
  ['without', {}],
  ['prometheus', { prometheus: true }],
  ['otlp', { otlp }],
  ['otlp and traces', { otlp, otlpTraces: 1 }],
]

interface Measured {
  microsPerRequest: number
  lateMs: number
}

async function measure(options: RunOptions): Promise<Measured> {
  let cpu = process.cpuUsage()
  let scraping: NodeJS.Timeout | undefined
  const { document } = await run(SCENARIO, {
    target: url,
    tokens: [TOKEN],
    out: false,
    ...options,
    onStart: () => {
      cpu = process.cpuUsage()
    },
    onNote: (note) => {
      const endpoint = / (http:\S+)$/.exec(note)?.[1]
      if (endpoint === undefined) return
      scraping = setInterval(
        () => void fetch(endpoint).then(async (answer) => answer.text()),
        1_000,
      )
    },
  }).finally(() => clearInterval(scraping))
  const { user, system } = process.cpuUsage(cpu)
  return {
    microsPerRequest: (user + system) / document.generator.requests,
    lateMs: finite(document.metrics['lateness.p99']?.value ?? 0) ?? 0,
  }
}

/** Returns the microseconds of CPU time per request, of the bookkeeping alone. */
async function alone(exporter: MetricsExporter | null): Promise<number> {
  const live = new LiveTelemetry(otlp, (...sample) => exporter?.add(...sample))
  const record = executionRecord(0, { pollMicros: 100_000 })
  const requests = EXECUTIONS * (1 + record.polls.answer.length)
  const timing = { releasedMicros: 0, sentMicros: 5, doneMicros: 1_500, newConnection: false }
  const answer = { kind: 'answer', status: 200, headers: {}, body: '', timing } as const
  const see = (line: JournalLine): void => {
    live.saw(line)
    exporter?.saw?.(line)
  }
  see(runLine())
  let least = Infinity
  for (let round = 0; round < ALONE_ROUNDS; round++) {
    const cpu = process.cpuUsage()
    for (let index = 0; index < EXECUTIONS; index++) {
      for (const _ of record.polls.answer) live.answered('status', answer)
      live.answered('kickoff', answer)
      see({ type: 'ended', record: { ...record, index } })
      // The exporter sends its batches in between, as in a run.
      if (index % 100 === 0) await setImmediate()
    }
    const { user, system } = process.cpuUsage(cpu)
    least = Math.min(least, (user + system) / requests)
  }
  await exporter?.close()
  return least
}

const pushing = (traces: number): MetricsExporter =>
  openOtlp({ endpoint: new URL(otlp), traces, runId: 'bench', version: '0', env: process.env })
const ALONE: [string, MetricsExporter | null][] = [
  ['without', null],
  ['prometheus', await openPrometheus({ host: '127.0.0.1', port: 0 })],
  ['otlp', pushing(0)],
  ['otlp, 5 % traces', pushing(0.05)],
  ['otlp and traces', pushing(1)],
]
for (const [name, exporter] of ALONE) {
  const micros = await alone(exporter)
  process.stdout.write(`alone: ${name.padEnd(16)} ${micros.toFixed(1)} us of CPU per request\n`)
}

const measured = VARIANTS.map(([name, options]) => ({ name, options, all: [] as Measured[] }))
for (let round = -1; round < ROUNDS; round++) {
  for (const { options, all } of measured) {
    const one = await measure(options)
    // The first round compiles.
    if (round >= 0) all.push(one)
  }
}
fake.kill()
collector.kill()

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
let without = NaN
for (const { name, all } of measured) {
  const cpu = all.map(({ microsPerRequest }) => microsPerRequest)
  if (Number.isNaN(without)) without = median(cpu)
  const span = `${Math.min(...cpu).toFixed(0)} to ${Math.max(...cpu).toFixed(0)}`
  const late = median(all.map(({ lateMs }) => lateMs))
  process.stdout.write(
    `${name.padEnd(16)} ${median(cpu).toFixed(0)} us of CPU per request (${span}), ` +
      `${(median(cpu) / without).toFixed(2)} of without; lateness p99 ${late.toFixed(1)} ms\n`,
  )
}
