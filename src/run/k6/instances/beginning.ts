/**
 * The first lines of several instances, in order: a run's times count from the zero of the instance
 * that began first.
 */
import type { JournalLine, RunLine } from '../../../execution/record/journal-lines.ts'

/**
 * Holds lines until every instance has told its first; then come those first lines, the earliest
 * zero ahead, and the others as they came.
 */
export class Beginning {
  readonly #instances: number
  readonly #pass: (line: JournalLine) => void
  readonly #runs: RunLine[] = []
  readonly #others: JournalLine[] = []
  #isOpen = false

  constructor(instances: number, pass: (line: JournalLine) => void) {
    this.#instances = instances
    this.#pass = pass
  }

  take(line: JournalLine): void {
    if (this.#isOpen) return this.#pass(line)
    if (line.type === 'run') this.#runs.push(line)
    else this.#others.push(line)
    if (this.#runs.length === this.#instances) this.open()
  }

  /** Waits for no more instances. */
  open(): void {
    this.#isOpen = true
    this.#runs.sort((a, b) => a.anchorUnixMs - b.anchorUnixMs)
    for (const line of [...this.#runs.splice(0), ...this.#others.splice(0)]) this.#pass(line)
  }
}
