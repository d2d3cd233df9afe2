/**
 * The bodies side by side, as whole programs: `crewload run` under Node and k6, and beside them
 * autocannon and wrk (if installed), which are closed loops of one request. All send load to one
 * target that answers fixed bytes. The sizes are executions in flight; for autocannon and wrk,
 * which have no executions, connections. The cost of a poll is the difference between two sizes, so
 * that starting the program cancels out; likewise for memory. Only Linux reports both for a whole
 * process tree.
 */
import type { ChildProcess } from 'node:child_process'
import { fork, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultDocument } from '../../src/analysis/document.ts'
import { canned } from '../support/canned.ts'

const SIZES = [100, 1_000, 5_000] as const
const RAMP_SECONDS = 3
const SECONDS = 15
const POLL_SECONDS = 2
const LIMIT_MS = 90_000
const MAIN = 'dist/bin/crewload.js'

/**
 * Serves kickoffs, inputs and polls that never report an end: each execution is polled until its
 * deadline.
 */
function serve(): void {
  const running = canned({
    status: 'running',
    current_task: 'research',
    progress: { completed_tasks: 1, total_tasks: 3 },
  })
  const inputs = canned({ inputs: [] })
  let kickoffs = 0
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {})
    socket.on('data', (chunk) => {
      const [, path = ''] = chunk.toString('latin1', 0, 40).split(' ')
      if (path === '/kickoff') socket.write(canned({ kickoff_id: `id-${kickoffs++}` }))
      else socket.write(path === '/inputs' ? inputs : running)
    })
  })
  server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port))
}

interface Cost {
  requests: number
  cpuSeconds: number
  peakBytes: number
}

const CLOSED_LOOPS: ReadonlySet<string> = new Set(['autocannon', 'wrk'])

type Contender = (url: string, size: number) => Promise<Cost | null>

/**
 * Measures user and system time, and the largest sum of resident sets, of the process and all its
 * descendants.
 */
class Watch {
  peakBytes = 0
  readonly #root: number
  /** CPU time by process, as last seen; processes that have ended keep their last value. */
  readonly #cpuTicks = new Map<number, number>()
  readonly #timer: NodeJS.Timeout

  constructor({ pid }: ChildProcess) {
    this.#root = pid ?? 0
    this.#timer = setInterval(() => this.#look(), 50)
  }

  stop(): Pick<Cost, 'cpuSeconds' | 'peakBytes'> {
    clearInterval(this.#timer)
    const ticks = [...this.#cpuTicks.values()].reduce((sum, value) => sum + value, 0)
    return { cpuSeconds: ticks / 100, peakBytes: this.peakBytes }
  }

  #look(): void {
    const family = new Set([this.#root])
    let bytes = 0
    const stats = readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : [],
    )
    for (const stat of stats.sort((a, b) => a.started - b.started)) {
      if (!family.has(stat.pid) && !family.has(stat.parent)) continue
      family.add(stat.pid)
      bytes += stat.residentBytes
      this.#cpuTicks.set(stat.pid, stat.cpuTicks)
    }
    this.peakBytes = Math.max(this.peakBytes, bytes)
  }
}

/** proc(5): fields are counted from after the name in brackets, which may contain anything. */
function statOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (field: number): number => Number(fields[field - 3])
    return {
      pid,
      parent: at(4),
      cpuTicks: at(14) + at(15),
      started: at(22),
      residentBytes: at(24) * 4_096,
    }
  } catch {
    return null
  }
}

/**
 * The cost of a program. Null when it took longer than `LIMIT_MS`; then it is stopped together with
 * its children.
 */
async function costOf(
  program: string,
  args: readonly string[],
  requestsIn: (stdout: string) => number,
): Promise<Cost | null> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CREWLOAD_TOKEN: 'bench' },
  })
  const watch = new Watch(child)
  const timer = setTimeout(() => stop(child), LIMIT_MS)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr = (stderr + text).slice(-2_000)))
  await new Promise((closed) => child.once('close', closed))
  clearTimeout(timer)
  const cost = watch.stop()
  if (child.killed) return null
  if (stdout === '') throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return { requests: requestsIn(stdout), ...cost }
}

/** Signals twice: the second Ctrl-C stops immediately. */
function stop(child: ChildProcess): void {
  child.kill('SIGINT')
  setTimeout(() => child.kill('SIGINT'), 500)
}

function crewload(...engine: string[]): Contender {
  return async (url, size) => {
    const settings = {
      arrivals: { rate: `${size / RAMP_SECONDS}/s`, for: `${RAMP_SECONDS}s`, process: 'uniform' },
      polling: { fixed: `${POLL_SECONDS}s` },
      deadline: `${SECONDS - RAMP_SECONDS}s`,
      admission: { maxInFlight: size },
      inputs: { topic: 'load' },
      checks: {},
      thresholds: {},
      confirm: 0,
    }
    const set = Object.entries(settings).flatMap(([path, value]) => [
      '--set',
      `${path}=${JSON.stringify(value)}`,
    ])
    const place = ['--target', url, '--out', join(folder, 'reports'), '--json']
    return costOf(
      process.execPath,
      [MAIN, 'run', 'steady', ...place, ...engine, ...set],
      (stdout) => (JSON.parse(stdout) as ResultDocument).generator.requests,
    )
  }
}

const autocannon: Contender = async (url, size) => {
  const script = 'node_modules/autocannon/autocannon.js'
  const args = ['--connections', String(size), '--duration', String(SECONDS - RAMP_SECONDS)]
  return costOf(
    process.execPath,
    [script, ...args, '--json', `${url}/status/id-0`],
    (stdout) => (JSON.parse(stdout) as { requests: { total: number } }).requests.total,
  )
}

const wrk: Contender = async (url, size) => {
  const args = ['--threads', '1', '--connections', String(size)]
  const time = ['--duration', `${SECONDS - RAMP_SECONDS}s`]
  return costOf('wrk', [...args, ...time, `${url}/status/id-0`], (stdout) =>
    Number(/(\d+) requests in/.exec(stdout)?.[1]),
  )
}

const CONTENDERS: Record<string, Contender> = {
  node: crewload('--engine', 'node'),
  k6: crewload('--engine', 'k6'),
  autocannon,
  wrk,
}

/**
 * The difference between the smallest and the largest size; autocannon and wrk send as much as they
 * can at each, so that starting hardly counts.
 */
function requestsPerCpuSecond(name: string, least: Cost, most: Cost): number {
  if (CLOSED_LOOPS.has(name)) return most.requests / most.cpuSeconds
  return (most.requests - least.requests) / (most.cpuSeconds - least.cpuSeconds)
}

async function row(name: string, contender: Contender, url: string): Promise<string> {
  const costs: { size: number; cost: Cost }[] = []
  const cells: string[] = []
  for (const size of SIZES) {
    const cost = await contender(url, size)
    cells.push(cost === null ? 'too slow' : `${(cost.peakBytes / 1e6).toFixed(0)} MB`)
    if (cost !== null) costs.push({ size, cost })
  }
  const [least] = costs
  const most = costs.at(-1)
  if (least !== undefined && most !== undefined && least !== most) {
    const kilobytes =
      (most.cost.peakBytes - least.cost.peakBytes) / (most.size - least.size) / 1_000
    const rate = requestsPerCpuSecond(name, least.cost, most.cost)
    cells.push(`${kilobytes.toFixed(1)} kB`, Math.round(rate).toLocaleString('en'))
  }
  return [name.padEnd(16), ...cells.map((cell) => cell.padStart(18))].join('')
}

async function compare(chosen: readonly string[]): Promise<void> {
  const target = fork(fileURLToPath(import.meta.url), ['serve'])
  const port = await new Promise<number>((told) => target.once('message', told))
  const sizes = SIZES.map((size) => `${size.toLocaleString('en')} in flight`)
  const titles = [...sizes, 'an execution', 'requests/core s']
  console.log([''.padEnd(16), ...titles.map((title) => title.padStart(18))].join(''))
  for (const [name, contender] of Object.entries(CONTENDERS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    const isMissing = name === 'wrk' && spawnSync('wrk', ['--version']).error !== undefined
    console.log(
      isMissing ? `${name}: not installed` : await row(name, contender, `http://127.0.0.1:${port}`),
    )
  }
  target.kill()
}

const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
if (process.argv[2] === 'serve') serve()
else {
  await compare(process.argv.slice(2))
  rmSync(folder, { recursive: true })
}
