/**
 * One k6 process: started with the environment it needs and without the user's k6 settings, read,
 * and ended.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ProcessExit } from '../../execution/record/reason.schema.ts'
import { LineTail } from '../../journal/line-tail.ts'
import { holdFor } from '../folder/lock.ts'
import type { K6Command } from './arguments.ts'
import type { K6Output } from './output.ts'

export interface K6Start {
  command: K6Command
  /** The path of the program. */
  path: string
  env: Readonly<Record<string, string>>
  /**
   * Created here; takes everything that k6 prints besides its console lines. It is a file, because
   * k6 outlives a kill of this process until its executions have ended, and writing to a pipe
   * without a reader would end it.
   */
  wordsFile: string
  words: K6Output
  /** Receives what k6 prints besides its console lines, as far as it is shown. */
  onNote: (note: string) => void
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
  readonly ended: Promise<ProcessExit>
  isGone = false
  readonly start: K6Start
  readonly #child: ChildProcess
  readonly #console: LineTail
  readonly #printed: LineTail
  readonly #hear: (line: string) => void

  /**
   * Starts k6 in its own process group: a terminal's Ctrl-C reaches the whole group, and k6 would
   * abandon executions that the run still waits for. A program that cannot be started ends with
   * code null and the reason as its output. `hear` receives the lines of its console. Throws when
   * a file cannot be created.
   */
  constructor(start: K6Start, hear: (line: string) => void) {
    const { command, path, env, wordsFile } = start
    this.start = start
    this.#hear = hear
    // For k6 to append to.
    writeFileSync(command.consoleFile, '')
    this.#console = new LineTail(command.consoleFile)
    const printed = openSync(wordsFile, 'a')
    this.#printed = new LineTail(wordsFile)
    const stdio: StdioOptions = ['ignore', printed, printed]
    this.#child = spawn(path, [...command.args], { env, detached: true, stdio })
    closeSync(printed)
    this.ended = new Promise((resolve) => {
      const end = (exit: ProcessExit): void => {
        if (this.isGone) return
        this.#printed.finish((line) => this.#tell(line))
        this.#console.finish(hear)
        this.isGone = true
        resolve(exit)
      }
      this.#child.once('error', (error) => {
        this.#tell(error.message)
        end({ code: null, signal: null })
      })
      this.#child.once('close', (code, signal) => end({ code, signal }))
    })
    void this.#hold(dirname(command.consoleFile))
  }

  /** Reads what the process has written since the last time, at most `megabytes` of each file. */
  read(megabytes: number): void {
    this.#console.each(this.#hear, megabytes)
    this.#printed.each((line) => this.#tell(line), megabytes)
  }

  /** Asks the process to end, and kills it when it does not. */
  async end(): Promise<void> {
    if (this.isGone) return
    this.#child.kill('SIGTERM')
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    await this.ended
    clearTimeout(impatience)
  }

  /**
   * k6 outlives a kill of this process until its executions have ended; until then nobody may
   * resume the run in `folder`.
   */
  async #hold(folder: string): Promise<void> {
    const { pid } = this.#child
    if (pid === undefined) return
    const hold = await holdFor(folder, pid)
    await this.ended
    await hold.release()
  }

  #tell(line: string): void {
    const text = line.trim()
    if (text === '' || NOISE.test(text)) return
    const { command, words, onNote } = this.start
    const shown = words.heard(text)
    if (shown !== null) onNote(`${command.name}: ${shown}`)
  }
}
