/**
 * Orders the first lines of several instances: a run's times count from the zero of the instance
 * that began first.
 */
import type { JournalLine, RunLine } from '../../../execution/record/journal-lines.ts'

/**
 * Holds lines back until every instance has written its first one. Then it releases those first
 * lines, the earliest zero first, and the others in the order of their arrival.
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

  /** Releases the lines without waiting for the remaining instances. */
  open(): void {
    this.#isOpen = true
    this.#runs.sort((a, b) => a.anchorUnixMs - b.anchorUnixMs)
    for (const line of [...this.#runs.splice(0), ...this.#others.splice(0)]) this.#pass(line)
  }
}
