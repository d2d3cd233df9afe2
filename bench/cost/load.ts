/**
 * Measures the whole program under load: `crewload run` against its own fake crew, both on this
 * machine. In the first run, 2,000 executions in flight poll every 2 s, which is 1,000 polls a
 * second: the run must be VALID, with lateness p99 under 5 ms and the harness under 150 MB. In the
 * second, the generator gets more load than it can send: it must say so, and exit with 3.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResultDocument } from '../../src/result/document.ts'

const MAIN = 'dist/bin/crewload.js'
const LIMIT_MS = 120_000

const PROFILE = `name: steady-load
inputs: [topic]
capacity: { workers: unlimited }
tasks:
  - id: research
    agent: researcher
    duration: { uniform: { min: 14s, max: 22s } }
`

const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
const profile = join(folder, 'profile.yaml')
writeFileSync(profile, PROFILE)

function run(settings: Record<string, unknown>): { code: number | null; document: ResultDocument } {
  const unlike = { tags: {}, checks: {}, thresholds: {} }
  const common = { inputs: { topic: 'load' }, ...unlike, ...settings }
  const set = Object.entries(common).flatMap(([path, value]) => [
    '--set',
    `${path}=${JSON.stringify(value)}`,
  ])
  const place = ['--profile', profile, '--out', join(folder, 'reports')]
  const args = [MAIN, 'run', 'steady', ...place, '--json', ...set]
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 256_000_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { code: status, document: JSON.parse(stdout) as ResultDocument }
}

function tell(title: string, { code, document }: ReturnType<typeof run>): void {
  const { verdict, generator, metrics, series } = document
  const busiest = Math.max(...series.statusPerSecond)
  const memory = ((generator.peakMemoryBytes ?? 0) / 1e6).toFixed(0)
  process.stdout.write(`${title}
  verdict      ${verdict.valid ? 'VALID' : 'INVALID'}, exit code ${code}
  in flight    ${metrics['inFlight.max']?.value} at most
  polls/s      ${busiest.toFixed(0)} in the busiest interval, ${generator.requests} requests
  lateness     p50 ${metrics['lateness.p50']?.value} ms, p99 ${metrics['lateness.p99']?.value} ms
  event loop   ${((generator.utilisationMean ?? 0) * 100).toFixed(0)} % busy
  memory       ${memory} MB at its peak
${verdict.reasons.map(({ message }) => `  reason       ${message}\n`).join('')}`)
}

tell(
  '2,000 in flight, a poll every 2 s each',
  run({ arrivals: { rate: '500/s', for: '4s' }, polling: { fixed: '2s' }, deadline: '40s' }),
)
tell(
  'more than one generator can do',
  run({
    arrivals: { rate: '2000/s', for: '4s' },
    polling: { fixed: '50ms' },
    deadline: '8s',
    retry: 'none',
  }),
)
rmSync(folder, { recursive: true })
