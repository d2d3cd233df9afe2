/** Ctrl-C while a run goes on. */
import type { RunControl } from '../run/index.ts'
import type { Io } from './io.ts'

/** The first signal drains, the second stops now. Before the clock has started there is nothing to drain: the process just ends. */
export class Interruption {
  happened = false
  readonly #io: Io
  #off: () => void = () => {}

  constructor(io: Io) {
    this.#io = io
  }

  arm(control: RunControl): void {
    this.#off = this.#io.onInterrupt(() => {
      control.stop(this.happened ? 'now' : 'drain')
      if (!this.happened) {
        this.#io.stderr.write(
          'crewload: no more kickoffs; waiting for those in flight (again: stop now)\n',
        )
      }
      this.happened = true
    })
  }

  disarm(): void {
    this.#off()
  }
}
