/** Handles Ctrl-C and uncaught exceptions during a run, a check or a study. */
import type { RunControl } from '../../run/options.ts'
import type { Io } from './io.ts'

const DRAINS = 'no new kickoffs; waiting for executions in flight (press Ctrl-C again to stop now)'

/**
 * The first signal drains, the second stops immediately. Before the clock has started there is
 * nothing to drain, and the process simply ends.
 */
export class Interruption {
  happened = false
  readonly #io: Io
  readonly #words: string
  #off: () => void = () => {}

  /** `words`: a description of what the first signal does. */
  constructor(io: Io, words = DRAINS) {
    this.#io = io
    this.#words = words
  }

  arm(control: RunControl): void {
    const offFailure = this.#io.onFailure((error) => control.fail(error))
    const offInterrupt = this.#io.onInterrupt(() => {
      control.stop(this.happened ? 'now' : 'drain')
      this.tell()
    })
    this.#off = () => {
      offFailure()
      offInterrupt()
    }
  }

  /** Whoever has stopped it: the next signal stops immediately. */
  tell(): void {
    if (!this.happened) this.#io.stderr.write(`crewload: ${this.#words}\n`)
    this.happened = true
  }

  disarm(): void {
    this.#off()
  }
}
