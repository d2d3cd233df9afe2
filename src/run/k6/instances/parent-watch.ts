/**
 * Paused processes must not outlive this one: nobody would ever release them, and their environment
 * contains secrets.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { execPath } from 'node:process'

/** Receives one pid per line. The pipe closes when this process ends, in whatever way. */
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
 * Watches from a separate process in its own process group, so a terminal's Ctrl-C does not end it.
 */
export class ParentWatch {
  readonly #watcher: ChildProcess

  constructor() {
    const stdio = ['pipe', 'ignore', 'ignore'] as const
    this.#watcher = spawn(execPath, ['-e', WATCH], { env: {}, detached: true, stdio: [...stdio] })
    // A watcher that cannot be started, or has ended, watches nothing; nothing else depends on it.
    this.#watcher.on('error', () => {})
    this.#watcher.stdin?.on('error', () => {})
  }

  /**
   * Makes the process end with this one from now on. `undefined` is a process that could not be
   * started.
   */
  hold(pid: number | undefined): void {
    if (pid !== undefined) this.#watcher.stdin?.write(`${pid}\n`)
  }

  /** Allows all processes to outlive this one again. */
  letGo(): void {
    this.#watcher.kill('SIGKILL')
  }
}
