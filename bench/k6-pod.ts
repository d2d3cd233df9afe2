/**
 * What one pod costs: the bundled script under stock k6, as a pod runs it, with a number of executions in flight. Memory and CPU time are
 * those of the k6 process alone; what an execution and a poll cost is told by the difference between two sizes, so that starting k6 cancels out.
 * Linux alone tells both of another process.
 */
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SCRIPT_FLAGS } from '../src/run/k6/arguments.ts'

const MAIN = 'dist/src/cli/main.js'
const RAMP_SECONDS = 5
const DEADLINE_SECONDS = 30
const K6 = process.env['K6_BIN'] ?? 'tools/k6/k6'

interface Size {
  inFlight: number
  pollSeconds: number
}

interface Cost extends Size {
  polls: number
  cpuSeconds: number
  peakBytes: number
  journalBytes: number
  sockets: number
}

const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
const fake = spawn(process.execPath, [MAIN, 'fake', '--profile', 'slow-report', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(createInterface({ input: fake.stdout }), 'line')) as [string]
  const { url, token } = JSON.parse(line) as { url: string; token: string }
  const costs: Cost[] = []
  for (const size of [
    { inFlight: 1, pollSeconds: 5 },
    { inFlight: 1_000, pollSeconds: 5 },
    { inFlight: 5_000, pollSeconds: 5 },
    { inFlight: 1_000, pollSeconds: 1 },
  ]) {
    costs.push(await measured(size, { url, token }))
  }
  print(costs)
} finally {
  fake.kill()
  rmSync(folder, { recursive: true })
}

async function measured(
  { inFlight, pollSeconds }: Size,
  { url, token }: { url: string; token: string },
): Promise<Cost> {
  const script = join(folder, 'crewload.js')
  const journal = join(folder, `${inFlight}-${pollSeconds}.ndjson`)
  execFileSync(
    process.execPath,
    [MAIN, 'k6', 'bundle', scenario({ inFlight, pollSeconds }), '--out', script],
    {
      stdio: 'pipe',
    },
  )
  const args = ['run', '--quiet', ...SCRIPT_FLAGS, `--console-output=${journal}`, script]
  const env = { ...process.env, CREWLOAD_TARGET: url, CREWLOAD_TOKEN: token }
  const { cpuSeconds, peakBytes } = await watched(spawn(K6, args, { env, stdio: 'inherit' }))
  const lines = readFileSync(journal, 'utf8').trim().split('\n')
  const records = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'ended')
  const polls = records.reduce((sum, { record }) => sum + record.polls.answer.length, 0)
  const { host } = JSON.parse(lines.at(-1)!) as { host: { connectionsOpened: number } }
  const journalBytes = statSync(journal).size
  return {
    inFlight,
    pollSeconds,
    polls,
    cpuSeconds,
    peakBytes,
    journalBytes,
    sockets: host.connectionsOpened,
  }
}

/** Its executions take half an hour, and are given up at the deadline: from the end of the ramp until then all are in flight. */
function scenario({ inFlight, pollSeconds }: Size): string {
  const path = join(folder, 'scenario.json')
  const arrivals = { rate: `${inFlight / RAMP_SECONDS}/s`, for: `${RAMP_SECONDS}s` }
  const inputs = { company: 'Acme', period: '2026' }
  const deadline = `${DEADLINE_SECONDS}s`
  const polling = { fixed: `${pollSeconds}s` }
  writeFileSync(path, JSON.stringify({ name: 'pod', arrivals, inputs, polling, deadline }))
  return path
}

/** User and system time, and the largest resident set, as the kernel counted them last. */
async function watched(child: ChildProcess): Promise<{ cpuSeconds: number; peakBytes: number }> {
  let cpuSeconds = 0
  let peakBytes = 0
  const look = (): void => {
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakBytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? peakBytes / 1_024) * 1_024
    } catch {
      // It has just ended.
    }
  }
  const timer = setInterval(look, 50)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearInterval(timer)
  if (code !== 0) throw new Error(`k6 ended with exit code ${code}`)
  return { cpuSeconds, peakBytes }
}

function print(costs: readonly Cost[]): void {
  const [load = 0] = loadavg()
  process.stdout.write(`load average of this machine meanwhile: ${load.toFixed(1)}\n\n`)
  process.stdout.write('in flight   poll   polls   CPU s   peak MB   journal MB   sockets opened\n')
  for (const {
    inFlight,
    pollSeconds,
    polls,
    cpuSeconds,
    peakBytes,
    journalBytes,
    sockets,
  } of costs) {
    const cells = [
      inFlight.toLocaleString('en').padStart(9),
      `${pollSeconds} s`.padStart(6),
      polls.toLocaleString('en').padStart(7),
      cpuSeconds.toFixed(1).padStart(7),
      (peakBytes / 1e6).toFixed(0).padStart(9),
      (journalBytes / 1e6).toFixed(1).padStart(12),
      String(sockets).padStart(16),
    ]
    process.stdout.write(`${cells.join(' ')}\n`)
  }
  const [base, thousand, many, often] = costs as [Cost, Cost, Cost, Cost]
  const perExecution = (a: Cost): number =>
    (a.peakBytes - base.peakBytes) / (a.inFlight - base.inFlight)
  const perPollMs =
    ((often.cpuSeconds - thousand.cpuSeconds) / (often.polls - thousand.polls)) * 1_000
  const perPollBytes = (often.journalBytes - thousand.journalBytes) / (often.polls - thousand.polls)
  const restBytes = (thousand.journalBytes - thousand.polls * perPollBytes) / thousand.inFlight
  process.stdout.write(
    `\nk6 alone ${(base.peakBytes / 1e6).toFixed(0)} MB; an execution in flight ${(perExecution(thousand) / 1e3).toFixed(0)} kB ` +
      `among 1,000, ${(perExecution(many) / 1e3).toFixed(0)} kB among 5,000\n` +
      `a poll ${perPollMs.toFixed(3)} ms of CPU, ${perPollBytes.toFixed(0)} bytes of journal; ` +
      `an execution ${restBytes.toFixed(0)} bytes of journal besides\n`,
  )
}
