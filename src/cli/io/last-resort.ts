/**
 * Handles uncaught exceptions from timers and callbacks: a run in progress drains and reports
 * before the process ends.
 */
import { visible } from '../../base/visible.ts'
import { EXIT } from '../exit-codes.ts'

const MOST_TOLD = 3
const MOST_CHARACTERS = 4_000

export class LastResort {
  /**
   * Whether an exception was caught; the process then ends with `EXIT.bug`, however the command
   * ended.
   */
  happened = false
  readonly #watching = new Set<(error: unknown) => void>()
  #count = 0

  /** Handles uncaught exceptions of this process from now on. */
  guard(): void {
    process.on('uncaughtException', (error) => this.#caught(error))
  }

  /** `handler` must end the command, and must not throw. The returned function removes it. */
  watch(handler: (error: unknown) => void): () => void {
    this.#watching.add(handler)
    return () => this.#watching.delete(handler)
  }

  #caught(error: unknown): void {
    this.happened = true
    if (this.#count++ < MOST_TOLD) tellFailure(error)
    if (this.#watching.size === 0) process.exit(EXIT.bug)
    for (const handler of this.#watching) handler(error)
  }
}

/**
 * The exit code is not 1, which means "a threshold was missed": a CI job must not mistake our own
 * failure for a regression.
 */
export function tellFailure(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const head = 'crewload itself failed; please report this, unless your scenario caused the error:'
  process.stderr.write(`crewload: ${head}\n${visible(words.slice(0, MOST_CHARACTERS))}\n`)
}
