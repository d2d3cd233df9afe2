/** One worker thread as seen by the run: started, given orders, and watched until it ends. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import type { SharedZero } from '../../host/node/clock.ts'
import { blank } from '../../host/secrets.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { packageRoot } from '../environment/package-root.ts'
import type { Assignment, Order, Report } from './messages.ts'

/** The limit of each of two steps: loading modules and scenario, and opening connections. */
const STEP_LIMIT_MS = 60_000

export class RunWorker {
  readonly instance: number
  /** The name in the report: `instance 1 of 4`, counted from 0. */
  readonly name: string
  /** Resolves when the thread has ended: with null after its last line, else with the reason. */
  readonly gone: Promise<string | null>
  readonly #thread: Worker
  #onReport: (report: Report) => void = () => {}
  #isGone = false
  #endedWell = false
  #why: string | null = null

  constructor(assignment: Assignment) {
    const program = join(packageRoot(), 'dist', 'bin', 'thread.js')
    assert(existsSync(program), 'crewload is not built: run "npm run build"')
    this.instance = assignment.instance
    this.name = `instance ${assignment.instance} of ${assignment.instances}`
    this.#thread = new Worker(program, { workerData: assignment, execArgv: [] })
    this.#thread.on('message', (report: Report) => this.#heard(report))
    this.#thread.once('error', (error) => {
      this.#why ??= blank(wordsOf(error), assignment.tokens)
    })
    this.gone = new Promise((resolve) => {
      this.#thread.once('exit', (code) => {
        this.#isGone = true
        resolve(this.#endedWell ? null : (this.#why ?? `its thread ended with code ${code}`))
      })
    })
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /**
   * Waits until the plan and the author's functions are loaded. Throws UserError when they are not.
   */
  async loaded(): Promise<void> {
    await this.#reached('loaded')
  }

  /** Opens the connections. Throws UserError. */
  async open(journal: string, missingInputs: MissingInputs): Promise<void> {
    this.#tell({ kind: 'open', journal, missingInputs })
    await this.#reached('opened')
  }

  /** Begins the run; from now on `onReport` receives the worker's reports. */
  begin(zero: SharedZero, onReport: (report: Report) => void): void {
    this.#onReport = onReport
    this.#tell({ kind: 'begin', zero })
  }

  stop(how: 'drain' | 'now', reason: string | undefined): void {
    this.#tell({ kind: 'stop', how, reason })
  }

  /**
   * Ends the thread wherever it is; `gone` resolves with `why` unless the thread ended by itself.
   */
  async end(why: string): Promise<void> {
    this.#why ??= why
    await this.#thread.terminate()
  }

  #tell(order: Order): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#thread.postMessage(order)
  }

  #heard(report: Report): void {
    this.#onReport(report)
    if (report.kind !== 'ended') return
    this.#endedWell = true
    // What the author's code left open must not keep the thread alive.
    void this.#thread.terminate()
  }

  async #reached(kind: 'loaded' | 'opened'): Promise<void> {
    const timer = setTimeout(
      () => void this.end(`it did not start within ${STEP_LIMIT_MS / 1_000} s`),
      STEP_LIMIT_MS,
    )
    const answered = new Promise<readonly Mistake[]>((resolve) => {
      this.#onReport = (report) => {
        if (report.kind === kind) resolve([])
        if (report.kind === 'mistaken') resolve(report.mistakes)
      }
    })
    const mistakes = await Promise.race([answered, this.gone.then((why) => [this.#lost(why)])])
    clearTimeout(timer)
    if (mistakes.length > 0) throw new UserError(mistakes)
  }

  #lost(why: string | null): Mistake {
    return { source: '--workers', path: '', problem: `${this.name} cannot start: ${why}` }
  }
}

/** The message of whatever the author's code threw. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
