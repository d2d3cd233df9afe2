/** One k6 process, one VU: what executions in flight cost in memory, and polls in CPU time, at 1,000 and 5,000 in flight. Linux alone tells both. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResultDocument } from '../src/analysis/document.ts'

const SIZES = [1_000, 5_000]
const RAMP_SECONDS = 10
const DEADLINE_SECONDS = 40
const POLL_SECONDS = 5
const BOUND_MB = 250
/** Of `/proc/<pid>/stat`: clock ticks a second, on every Linux that Node runs on. */
const TICKS_A_SECOND = 100
const MAIN = 'dist/src/cli/main.js'

/** Executions of half an hour: all are in flight until their deadline. */
function scenarioOf(size: number): string {
  return JSON.stringify({
    name: `in-flight-${size}`,
    arrivals: { rate: `${size / RAMP_SECONDS}/s`, for: `${RAMP_SECONDS}s`, process: 'uniform' },
    inputs: { company: 'Acme', period: '2026' },
    polling: { fixed: `${POLL_SECONDS}s` },
    deadline: `${DEADLINE_SECONDS}s`,
  })
}

interface Seen {
  peakBytes: number
  cpuSeconds: number
}

async function k6Below(pid: number): Promise<number | null> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const child of children.trim().split(' ')) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'k6') return Number(child)
  }
  return null
}

/** The highest resident set, and the CPU time of user and system; null when it is gone. */
async function look(pid: number): Promise<Seen | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(status) ?? []
  if (kilobytes === undefined) return null
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12).map(Number)
  return { peakBytes: Number(kilobytes) * 1024, cpuSeconds: (user + system) / TICKS_A_SECOND }
}

async function measure(size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crewload-bench-'))
  const scenario = join(folder, 'scenario.json')
  await writeFile(scenario, scenarioOf(size))
  const words = ['run', scenario, '--profile', 'slow-report', '--engine', 'k6', '--quiet']
  const out = join(folder, 'out')
  const child = spawn(process.execPath, [MAIN, ...words, '--out', out], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  let seen: Seen = { peakBytes: 0, cpuSeconds: 0 }
  while (child.exitCode === null && child.signalCode === null) {
    const pid = await k6Below(child.pid ?? 0)
    const now = pid === null ? null : await look(pid)
    if (now !== null) seen = now
    await sleep(200)
  }
  await ended
  const [run = ''] = await readdir(out)
  const result = await readFile(join(out, run, 'result.json'), 'utf8')
  await rm(folder, { recursive: true })
  print(size, seen, JSON.parse(result) as ResultDocument)
}

function print(size: number, { peakBytes, cpuSeconds }: Seen, document: ResultDocument): void {
  const polls = (document.metrics['polls.perExecution']?.value ?? 0) * document.arrivals
  const requests = polls + document.arrivals
  const lateness = document.generator.checks.find(({ name }) => name === 'lateness')
  const megabytes = peakBytes / 1_000_000
  process.stdout.write(
    `${size} in flight: peak ${megabytes.toFixed(0)} MB (bound ${BOUND_MB})${megabytes > BOUND_MB ? ', OVER' : ''}, ` +
      `${cpuSeconds.toFixed(1)} s CPU for ${requests} requests = ${((cpuSeconds * 1_000) / requests).toFixed(3)} ms each, ` +
      `lateness p99 ${lateness?.measured ?? 'unknown'}, ${document.verdict.outcome}\n`,
  )
}

for (const size of SIZES) await measure(size)
