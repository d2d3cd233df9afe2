/**
 * What is thrown in a timer or a callback, where nobody takes it: a run that is going on drains and
 * reports before the process ends.
 */
import { visible } from '../../base/visible.ts'
import { EXIT } from '../exit-codes.ts'

const MOST_TOLD = 3
const MOST_CHARACTERS = 4_000

export class LastResort {
  /** The process ends with `EXIT.bug`, however the command ended. */
  happened = false
  readonly #watching = new Set<(error: unknown) => void>()
  #count = 0

  /** Takes over from here on what is thrown in this process. */
  guard(): void {
    process.on('uncaughtException', (error) => this.#caught(error))
  }

  /** `handler` must bring the command to its end, and not throw. Returns what takes it back. */
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
 * Not 1: that says "a threshold was missed", and a CI job must not take a failure of ours for a
 * regression.
 */
export function tellFailure(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const head = 'crewload itself failed; please report this, unless your scenario caused the error:'
  process.stderr.write(`crewload: ${head}\n${visible(words.slice(0, MOST_CHARACTERS))}\n`)
}
