/** Handles Ctrl-C and uncaught exceptions during a run, a check or a study. */
import type { RunControl } from '../../run/options.ts'
import type { StopHow } from '../../run/folder/stop.ts'
import type { Io } from './io.ts'

const DRAINS = 'no new kickoffs; waiting for executions in flight (press Ctrl-C again to stop now)'
const STOPS_NOW = 'stopping now; not waiting for executions in flight'

/**
 * The first signal drains, the second stops immediately. Before the clock has started there is
 * nothing to drain, and the process simply ends.
 */
export class Interruption {
  readonly #io: Io
  readonly #words: Readonly<Record<StopHow, string>>
  readonly #stopsShown = new Set<StopHow>()
  #off: () => void = () => {}

  /** `words`: a description of what the first signal does. */
  constructor(io: Io, words = DRAINS) {
    this.#io = io
    this.#words = { drain: words, now: STOPS_NOW }
  }

  get happened(): boolean {
    return this.#stopsShown.size > 0
  }

  arm(control: RunControl): void {
    const offFailure = this.#io.onFailure((error) => control.fail(error))
    const offInterrupt = this.#io.onInterrupt(() => {
      const how = this.happened ? 'now' : 'drain'
      control.stop(how)
      this.tell(how)
    })
    this.#off = () => {
      offFailure()
      offInterrupt()
    }
  }

  /** Whoever has stopped it: the next signal stops immediately. */
  tell(how: StopHow): void {
    const isNews = !this.#stopsShown.has(how) && !this.#stopsShown.has('now')
    if (isNews) this.#io.stderr.write(`crewload: ${this.#words[how]}\n`)
    this.#stopsShown.add(how)
  }

  disarm(): void {
    this.#off()
  }
}
