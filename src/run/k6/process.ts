/** One k6 process: started with what it needs and nothing of the user's k6 settings, heard, and ended. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { K6Exit } from './exit.ts'

export interface K6Start {
  /** The program. */
  path: string
  /** All that follows the word `k6`. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Every line that k6 prints beside its console, as it comes. */
  onWords: (line: string) => void
}

/** Between being asked to end and being made to. */
const PATIENCE_MS = 2_000
/** Said of every request that got no answer, which its record tells better; and of what an exception, which is told too, leaves behind. */
const NOISE = /^Request Failed$|^set(Timeout|Interval) \d+ was stopped/

export class K6Process {
  /** Resolves when it has ended and said all. */
  readonly ended: Promise<K6Exit>
  readonly #child: ChildProcess
  #isGone = false

  /**
   * In a process group of its own: a terminal's Ctrl-C reaches the whole group, and k6 would leave its executions at once where they shall be waited
   * for. A program that cannot be started ends with code null and its reason as words.
   */
  constructor({ path, args, env, onWords }: K6Start) {
    this.#child = spawn(path, [...args], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) listen(stream, onWords)
    this.ended = new Promise((resolve) => {
      const end = (exit: K6Exit): void => {
        this.#isGone = true
        resolve(exit)
      }
      this.#child.once('error', (error) => {
        onWords(error.message)
        end({ code: null, signal: null })
      })
      this.#child.once('close', (code, signal) => end({ code, signal }))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Asks it to end, and makes it. */
  async end(): Promise<void> {
    if (this.#isGone) return
    this.#child.kill('SIGTERM')
    const impatience = new AbortController()
    const late = sleep(PATIENCE_MS, 'late', { signal: impatience.signal }).catch(() => 'ended')
    const first = await Promise.race([late, this.ended])
    impatience.abort()
    if (first === 'late') this.#child.kill('SIGKILL')
    await this.ended
  }
}

function listen(stream: Readable | null, onWords: (line: string) => void): void {
  if (stream === null) return
  createInterface({ input: stream }).on('line', (line) => {
    const words = line.trim()
    if (words !== '' && !NOISE.test(words)) onWords(words)
  })
}
