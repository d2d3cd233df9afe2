/**
 * Processes that are held back must not outlive this one: nobody would ever let them go, and what
 * they were told lies in their environment.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { execPath } from 'node:process'

/** Pids come a line each. The pipe closes when this process is gone, however it went. */
const WATCH = `
const held = []
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (pid) => held.push(Number(pid)))
  .on('close', () => {
    for (const pid of held) try { process.kill(pid, 'SIGKILL') } catch {}
  })
`

/**
 * Watches from a process of its own, in a process group of its own: a terminal's Ctrl-C must not
 * end it.
 */
export class ParentWatch {
  readonly #watcher: ChildProcess

  constructor() {
    const stdio = ['pipe', 'ignore', 'ignore'] as const
    this.#watcher = spawn(execPath, ['-e', WATCH], { env: {}, detached: true, stdio: [...stdio] })
    // One that cannot be started, or is gone, watches nobody; nothing else depends on it.
    this.#watcher.on('error', () => {})
    this.#watcher.stdin?.on('error', () => {})
  }

  /** From now on the process ends with this one. Undefined is one that could not be started. */
  hold(pid: number | undefined): void {
    if (pid !== undefined) this.#watcher.stdin?.write(`${pid}\n`)
  }

  /** All may outlive this process again. */
  letGo(): void {
    this.#watcher.kill('SIGKILL')
  }
}
