/**
 * Compares one event loop with several: the same load, more than a single generator can sustain, is
 * sent with `--workers` 1, 2 and 4 to one fake crew on this machine. Prints for each the requests
 * per second while arrivals came, the utilisation of the generators' loops and of the recording
 * thread, and the lateness of requests. The rate grows with the threads only on a machine with a
 * core for each thread and one for the fake crew.
 */
import { finite } from '../../src/analysis/statistics/quantiles.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import type { Scenario } from '../../src/run/index.ts'
import { run } from '../../src/run/index.ts'

const WORKERS = [1, 2, 4]
const ROUNDS = Number(process.argv[2] ?? 2)
const TOKEN = 'bench-token'

/** 400 executions in flight, each polled 25 times a second: up to 10,000 requests a second. */
const SCENARIO: Scenario = {
  name: 'workers-bench',
  arrivals: { clients: 400, for: '10s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '40ms' },
  deadline: '60s',
  drain: '1s',
  connections: { max: 256, preOpen: 64 },
}

const fake = spawn(
  process.execPath,
  ['dist/bin/crewload.js', 'fake', '--profile', 'fast', '--port', '0', '--json'],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CREWLOAD_FAKE_TOKEN: TOKEN } },
)
const [ready] = (await once(createInterface({ input: fake.stdout }), 'line')) as [string]
const { url } = JSON.parse(ready) as { url: string }

async function measure(workers: number): Promise<string> {
  let begun = performance.eventLoopUtilization()
  let cpu = process.cpuUsage()
  const { document } = await run(SCENARIO, {
    target: url,
    tokens: [TOKEN],
    engine: { kind: 'node', workers },
    out: false,
    onStart: () => {
      begun = performance.eventLoopUtilization()
      cpu = process.cpuUsage()
    },
  })
  const main = performance.eventLoopUtilization(begun).utilization
  const { user, system } = process.cpuUsage(cpu)
  const { generator, metrics, series } = document
  const perRequest = (user + system) / generator.requests
  const busiest = series.statusPerSecond.toSorted((a, b) => b - a)
  const rate = busiest[Math.floor(busiest.length / 2)] ?? 0
  const late = finite(metrics['lateness.p99']?.value ?? 0) ?? 0
  const loop = generator.utilisationMean ?? 0
  return [
    `${workers} ${workers === 1 ? 'worker ' : 'workers'}`,
    `${rate.toFixed(0).padStart(6)} polls/s`,
    `${(100 * loop).toFixed(0).padStart(3)} % generators' loops`,
    `${(100 * main).toFixed(0).padStart(3)} % main loop`,
    `lateness p99 ${late.toFixed(1).padStart(5)} ms`,
    `${perRequest.toFixed(0).padStart(4)} us of CPU a request`,
  ].join('   ')
}

process.stdout.write(`${cpus().length} cores\n`)
for (let round = 0; round < ROUNDS; round++) {
  for (const workers of WORKERS) process.stdout.write(`${await measure(workers)}\n`)
}
fake.kill('SIGTERM')
await once(fake, 'exit')
