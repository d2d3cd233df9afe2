/** What a program costs as a whole: CPU time and memory of its process and all descendants. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

const LOOK_EVERY_MS = 50
const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096

export interface Command {
  program: string
  args: readonly string[]
  env?: Record<string, string>
}

export interface ProcessCost {
  /** User and system time. */
  cpuSeconds: number
  /** The largest sum of resident sets; memory that processes share counts once for each. */
  peakBytes: number
  stdout: string
}

/**
 * Null if the program took longer than `limitMs`; then it is stopped together with its children.
 * Throws if it printed nothing. Linux only: no other system tells of descendants in `/proc`.
 */
export async function costOf(command: Command, limitMs: number): Promise<ProcessCost | null> {
  const { program, args, env } = command
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const watch = new Watch(child)
  const timer = setTimeout(() => stop(child), limitMs)
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
  return { ...cost, stdout }
}

/** Signals twice: the second Ctrl-C stops immediately. */
function stop(child: ChildProcess): void {
  child.kill('SIGINT')
  setTimeout(() => child.kill('SIGINT'), 500)
}

/** Looks at the process and all its descendants until it is stopped. */
class Watch {
  #peakBytes = 0
  readonly #root: number
  /** CPU time by process, as last seen; processes that have ended keep their last value. */
  readonly #cpuTicks = new Map<number, number>()
  readonly #timer: NodeJS.Timeout

  constructor({ pid }: ChildProcess) {
    this.#root = pid ?? 0
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  stop(): Pick<ProcessCost, 'cpuSeconds' | 'peakBytes'> {
    clearInterval(this.#timer)
    const ticks = [...this.#cpuTicks.values()].reduce((sum, value) => sum + value, 0)
    return { cpuSeconds: ticks / TICKS_PER_SECOND, peakBytes: this.#peakBytes }
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
    this.#peakBytes = Math.max(this.#peakBytes, bytes)
  }
}

interface ProcessStat {
  pid: number
  parent: number
  cpuTicks: number
  started: number
  residentBytes: number
}

/** proc(5): fields are counted from after the name in brackets, which may contain anything. */
function statOf(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (field: number): number => Number(fields[field - 3])
    return {
      pid,
      parent: at(4),
      cpuTicks: at(14) + at(15),
      started: at(22),
      residentBytes: at(24) * PAGE_BYTES,
    }
  } catch {
    return null
  }
}
