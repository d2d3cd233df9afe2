/**
 * One k6 process: started with what it needs and nothing of the user's k6 settings, heard, and
 * ended.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { LineTail } from '../../journal/line-tail.ts'
import type { K6Exit } from './exit.ts'

export interface K6Start {
  /** The program. */
  path: string
  /** All that follows the word `k6`. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /**
   * Takes all that k6 prints beside its console, and is made here. A file, for k6 outlives a kill
   * of this process until its executions have ended: its next word into a pipe that nobody reads
   * would be its last.
   */
  wordsFile: string
  /** Every line of that, when it is read. */
  onWords: (line: string) => void
}

/** Between being asked to end and being made to. */
const PATIENCE_MS = 2_000
/**
 * Said of every request that got no answer, which its record tells better; and of what an
 * exception, which is told too, leaves behind.
 */
const NOISE = /^Request Failed$|^set(Timeout|Interval) \d+ was stopped/

export class K6Process {
  /** Resolves when it has ended and all that it said was heard. */
  readonly ended: Promise<K6Exit>
  readonly #child: ChildProcess
  readonly #words: LineTail
  readonly #onWords: (line: string) => void
  #isGone = false

  /**
   * In a process group of its own: a terminal's Ctrl-C reaches the whole group, and k6 would leave
   * its executions at once where they shall be waited for. A program that cannot be started ends
   * with code null and its reason as words. Throws what making the file throws.
   */
  constructor({ path, args, env, wordsFile, onWords }: K6Start) {
    this.#onWords = onWords
    const words = openSync(wordsFile, 'a')
    this.#words = new LineTail(wordsFile)
    this.#child = spawn(path, [...args], { env, detached: true, stdio: ['ignore', words, words] })
    closeSync(words)
    this.ended = new Promise((resolve) => {
      const end = (exit: K6Exit): void => {
        if (this.#isGone) return
        this.hear(Infinity)
        this.#tell(this.#words.cut)
        this.#words.close()
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

  /** Undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Takes what it has said since the last time, `megabytes` of it at most. */
  hear(megabytes: number): void {
    if (this.#isGone) return
    for (let i = 0; i < megabytes; i++) {
      const lines = this.#words.read()
      if (lines === null) return
      for (const line of lines) this.#tell(line)
    }
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

  #tell(line: string): void {
    const words = line.trim()
    if (words !== '' && !NOISE.test(words)) this.#onWords(words)
  }
}
