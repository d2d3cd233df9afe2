/**
 * Measures the cost of a program as a whole: CPU time and memory of its process and all
 * descendants.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

/**
 * The time between looks, short enough to see the end of a run, where reports take a few dozen
 * milliseconds.
 */
const LOOK_EVERY_MS = 10
/**
 * Descendants are searched for only at every nth look, because that reads all processes of the
 * machine.
 */
const LOOKS_A_SEARCH = 10
const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096

export interface Command {
  program: string
  args: readonly string[]
  env?: Record<string, string>
}

export interface ProcessCost {
  /** User and system time, exact to a hundredth of a second. */
  cpuSeconds: number
  /** The largest sum of resident sets; memory that processes share counts once for each. */
  peakBytes: number
  stdout: string
}

/**
 * Runs a program to its end. Returns null if it took longer than `limitMs`; then it is stopped
 * together with its children. Throws if it printed nothing. Only one program may run at a time: its
 * CPU time is what the system adds to this process for children that have ended, and for theirs.
 * Only Linux reports that, in `/proc`.
 */
export async function costOf(command: Command, limitMs: number): Promise<ProcessCost | null> {
  const { program, args, env } = command
  const before = childTicks()
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
  const peakBytes = watch.stop()
  if (child.killed) return null
  if (stdout === '') throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return { cpuSeconds: (childTicks() - before) / TICKS_PER_SECOND, peakBytes, stdout }
}

/** Signals twice: the second Ctrl-C stops immediately. */
function stop(child: ChildProcess): void {
  child.kill('SIGINT')
  setTimeout(() => child.kill('SIGINT'), 500)
}

/** Looks at the process and all its descendants until it is stopped. */
class Watch {
  #peakBytes = 0
  #looks = 0
  readonly #family: Set<number>
  readonly #timer: NodeJS.Timeout

  constructor({ pid }: ChildProcess) {
    this.#family = new Set([pid ?? 0])
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  /** The peak of resident memory, in bytes. */
  stop(): number {
    clearInterval(this.#timer)
    return this.#peakBytes
  }

  #look(): void {
    if (this.#looks++ % LOOKS_A_SEARCH === 0) this.#search()
    let bytes = 0
    for (const pid of this.#family) {
      const stat = statOf(pid)
      if (stat === null) this.#family.delete(pid)
      else bytes += stat.residentBytes
    }
    this.#peakBytes = Math.max(this.#peakBytes, bytes)
  }

  #search(): void {
    const stats = readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : [],
    )
    for (const { pid, parent } of stats.sort((a, b) => a.started - b.started)) {
      if (this.#family.has(parent)) this.#family.add(pid)
    }
  }
}

interface ProcessStat {
  pid: number
  parent: number
  started: number
  residentBytes: number
}

function statOf(pid: number): ProcessStat | null {
  try {
    const at = fieldsOf(`/proc/${pid}/stat`)
    return { pid, parent: at(4), started: at(22), residentBytes: at(24) * PAGE_BYTES }
  } catch {
    return null
  }
}

/**
 * The user and system time of all children that have ended, and of their children, in clock ticks.
 */
function childTicks(): number {
  const at = fieldsOf('/proc/self/stat')
  return at(16) + at(17)
}

/** proc(5): fields are counted from after the name in brackets, which may contain anything. */
function fieldsOf(path: string): (field: number) => number {
  const text = readFileSync(path, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (field) => Number(fields[field - 3])
}
