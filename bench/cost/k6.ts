/**
 * The cost of one k6 process, as in a pod or a local run: the bundled script under stock k6 with a
 * number of executions in flight, in one VU. Memory and CPU time are those of the k6 process alone;
 * the cost of an execution and a poll is the difference between two sizes, so that starting k6
 * cancels out. Only Linux reports both for another process. Exit code 1 when 5,000 executions in
 * flight exceed their bound.
 */
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { HTTP1_ONLY, SCRIPT_FLAGS } from '../../src/run/k6/arguments.ts'

const MAIN = 'dist/bin/crewload.js'
const K6 = process.env['K6_BIN'] ?? 'tools/k6/k6'
const RAMP_SECONDS = 5
const DEADLINE_SECONDS = 30
const LOOK_EVERY_MS = 50
/**
 * The clock ticks per second in `/proc/<pid>/stat`; they are the same on every Linux on which Node
 * runs.
 */
const TICKS_A_SECOND = 100
const BOUND = { inFlight: 5_000, megabytes: 250 }
const SIZES = [
  { inFlight: 1, pollSeconds: 5 },
  { inFlight: 1_000, pollSeconds: 5 },
  { inFlight: BOUND.inFlight, pollSeconds: 5 },
  { inFlight: 1_000, pollSeconds: 1 },
] as const

interface Size {
  inFlight: number
  pollSeconds: number
}

interface Used {
  cpuSeconds: number
  peakBytes: number
}

interface Cost extends Size, Used {
  polls: number
  journalBytes: number
  sockets: number
  /** The lateness of polls. */
  latenessP99Ms: number
}

const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
const fake = spawn(process.execPath, [MAIN, 'fake', '--profile', 'slow-report', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(createInterface({ input: fake.stdout }), 'line')) as [string]
  const { url, token } = JSON.parse(line) as { url: string; token: string }
  const env = { ...process.env, GODEBUG: HTTP1_ONLY, CREWLOAD_TARGET: url, CREWLOAD_TOKEN: token }
  const costs: Cost[] = []
  for (const size of SIZES) costs.push(await measured(size, env))
  print(costs as [Cost, Cost, Cost, Cost])
} finally {
  fake.kill()
  rmSync(folder, { recursive: true })
}

async function measured(size: Size, env: NodeJS.ProcessEnv): Promise<Cost> {
  const script = join(folder, 'crewload.js')
  const journal = join(folder, `${size.inFlight}-${size.pollSeconds}.ndjson`)
  const bundle = [MAIN, 'k6', 'bundle', scenario(size), '--out', script]
  execFileSync(process.execPath, bundle, { stdio: 'pipe' })
  const args = ['run', '--quiet', ...SCRIPT_FLAGS, `--console-output=${journal}`, script]
  const used = await watched(spawn(K6, args, { env, stdio: ['ignore', 'inherit', 'ignore'] }))
  const lines = readFileSync(journal, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalLine)
  const polls = lines.flatMap((line) => (line.type === 'ended' ? [line.record.polls] : []))
  const late = polls.flatMap(({ lateMicros }) => lateMicros).sort((a, b) => a - b)
  const last = lines.at(-1)
  if (last?.type !== 'finished') throw new Error('k6 ended before its engine did')
  return {
    ...size,
    ...used,
    polls: late.length,
    journalBytes: statSync(journal).size,
    sockets: last.host.connectionsOpened ?? 0,
    latenessP99Ms: (late[Math.floor(late.length * 0.99)] ?? 0) / 1_000,
  }
}

/**
 * Its executions take half an hour, and are given up at the deadline: from the end of the ramp
 * until then, all are in flight.
 */
function scenario({ inFlight, pollSeconds }: Size): string {
  const path = join(folder, 'scenario.json')
  const arrivals = { rate: `${inFlight / RAMP_SECONDS}/s`, for: `${RAMP_SECONDS}s` }
  const inputs = { company: 'Acme', period: '2026' }
  const deadline = `${DEADLINE_SECONDS}s`
  const polling = { fixed: `${pollSeconds}s` }
  writeFileSync(path, JSON.stringify({ name: 'pod', arrivals, inputs, polling, deadline }))
  return path
}

/** User and system time, and the largest resident set, as the kernel last reported them. */
async function watched(child: ChildProcess): Promise<Used> {
  let used: Used = { cpuSeconds: 0, peakBytes: 0 }
  const timer = setInterval(() => {
    used = look(child.pid ?? 0) ?? used
  }, LOOK_EVERY_MS)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearInterval(timer)
  if (code !== 0) throw new Error(`k6 ended with exit code ${code}`)
  return used
}

/** Null when the process has just ended. */
function look(pid: number): Used | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')'))
      .split(' ')
      .slice(12)
      .map(Number)
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    if (peak === undefined) return null
    return { cpuSeconds: (user + system) / TICKS_A_SECOND, peakBytes: Number(peak) * 1_024 }
  } catch {
    return null
  }
}

function print(costs: readonly [Cost, Cost, Cost, Cost]): void {
  const [load = 0] = loadavg()
  const rows = costs.map((cost) => [
    cost.inFlight.toLocaleString('en'),
    `${cost.pollSeconds} s`,
    cost.polls.toLocaleString('en'),
    cost.cpuSeconds.toFixed(1),
    (cost.peakBytes / 1e6).toFixed(0),
    (cost.journalBytes / 1e6).toFixed(1),
    String(cost.sockets),
    cost.latenessP99Ms.toFixed(1),
  ])
  const heads = ['in flight', 'poll', 'polls', 'CPU s', 'peak MB', 'journal MB', 'sockets opened']
  const table = [[...heads, 'late p99 ms'], ...rows].map((row) =>
    row.map((cell) => cell.padStart(15)).join(''),
  )
  const words = [`load average of this machine meanwhile: ${load.toFixed(1)}`, '', ...table, '']
  process.stdout.write(`${[...words, ...differences(costs)].join('\n')}\n`)
  const [, , most] = costs
  const isOver = most.peakBytes / 1e6 > BOUND.megabytes
  const bound = `${BOUND.inFlight} in flight, at most ${BOUND.megabytes} MB`
  process.stdout.write(`${bound}: ${isOver ? 'OVER' : 'kept'}\n`)
  if (isOver) process.exitCode = 1
}

function differences([base, thousand, many, often]: readonly [Cost, Cost, Cost, Cost]): string[] {
  const perExecution = (cost: Cost): string =>
    `${((cost.peakBytes - base.peakBytes) / (cost.inFlight - base.inFlight) / 1e3).toFixed(0)} kB`
  const morePolls = often.polls - thousand.polls
  const pollMs = ((often.cpuSeconds - thousand.cpuSeconds) / morePolls) * 1_000
  const pollBytes = (often.journalBytes - thousand.journalBytes) / morePolls
  const restBytes = (thousand.journalBytes - thousand.polls * pollBytes) / thousand.inFlight
  return [
    `k6 alone ${(base.peakBytes / 1e6).toFixed(0)} MB; an execution in flight ` +
      `${perExecution(thousand)} among 1,000, ${perExecution(many)} among 5,000`,
    `a poll ${pollMs.toFixed(3)} ms of CPU, ${pollBytes.toFixed(0)} bytes of journal; an ` +
      `execution ${restBytes.toFixed(0)} bytes of journal besides`,
  ]
}
