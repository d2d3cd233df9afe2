/**
 * One k6 process: started with the environment it needs and without the user's k6 settings, read,
 * and ended.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { LineTail } from '../../journal/line-tail.ts'

interface K6Start {
  /** The path of the program. */
  path: string
  /** The arguments of `k6`. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /**
   * Created here; takes everything that k6 prints besides its console lines. It is a file, because
   * k6 outlives a kill of this process until its executions have ended, and writing to a pipe
   * without a reader would end it.
   */
  wordsFile: string
  /** Called for every line of that file, when it is read. */
  onWords: (line: string) => void
}

/** The time between asking the process to end and killing it. */
const PATIENCE_MS = 2_000
/**
 * k6 prints these for every request without an answer, which the record describes better, and after
 * an exception, which is reported too.
 */
const NOISE = /^Request Failed$|^set(Timeout|Interval) \d+ was stopped/

export class K6Process {
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<K6Exit>
  readonly #child: ChildProcess
  readonly #words: LineTail
  readonly #onWords: (line: string) => void
  #isGone = false

  /**
   * Starts k6 in its own process group: a terminal's Ctrl-C reaches the whole group, and k6 would
   * abandon executions that the run still waits for. A program that cannot be started ends with
   * code null and the reason as its output. Throws when the file cannot be created.
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
        this.#words.finish((line) => this.#tell(line))
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

  /** Undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Reads what the process has printed since the last time, at most `megabytes` of it. */
  hear(megabytes: number): void {
    if (!this.#isGone) this.#words.each((line) => this.#tell(line), megabytes)
  }

  /** Asks the process to end, and kills it when it does not. */
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

export interface K6Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Those that a script of ours can end with (`errext/exitcodes/codes.go` of k6 2.2). */
const MEANINGS = new Map<number, string>([
  [104, 'its configuration is wrong'],
  [105, 'it was interrupted'],
  [107, 'its script threw'],
  [108, 'its script aborted the run'],
  [109, 'a Go panic'],
])

/** The words begin with a verb; null when the process ended normally. */
export function exitWords({ code, signal }: K6Exit): string | null {
  if (signal !== null) return `was ended by ${signal}`
  if (code === 0) return null
  if (code === null) return 'could not be started'
  const meaning = MEANINGS.get(code)
  return `ended with exit code ${code}${meaning === undefined ? '' : `: ${meaning}`}`
}
