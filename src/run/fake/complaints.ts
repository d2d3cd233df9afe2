/**
 * What a fake crew prints on standard error during a run, reported in pieces that belong together.
 */
import { excerpt } from '../../crew/excerpt.ts'

/** Text is reported when nothing has followed for this long. */
const QUIET_MS = 50
const MOST_CHARACTERS = 2_000
/** The number of pieces reported; the rest is omitted. */
const MOST_TOLD = 20
const MOST_CHARACTERS_OF_CAUSE = 200

/** Node's own hint after a warning: `(Use `node --trace-warnings ...` to show where ...)`. */
const ADVICE = /^\(Use `node /
const STACK_FRAME = /^\s+at /
const CAUSE = /error|exception|killed|out of memory/i

export class Complaints {
  readonly #tell: (words: string) => void
  #text = ''
  #timer: NodeJS.Timeout | undefined
  #told = 0
  #cause: string | null = null

  /** `tell` receives whole sentences on one line, in which text from a target is neutralised. */
  constructor(tell: (words: string) => void) {
    this.#tell = tell
  }

  /** The last line that names a cause; null when none does. */
  get cause(): string | null {
    return this.#cause
  }

  hear(text: string): void {
    this.#text = (this.#text + text).slice(0, 2 * MOST_CHARACTERS)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), QUIET_MS).unref()
  }

  /** Reports what has not been reported yet. */
  flush(): void {
    clearTimeout(this.#timer)
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '' && !ADVICE.test(line))
    this.#text = ''
    if (lines.length === 0) return
    const cause = lines.findLast((line) => CAUSE.test(line) && !STACK_FRAME.test(line))
    if (cause !== undefined) this.#cause = excerpt(cause, MOST_CHARACTERS_OF_CAUSE)
    if (++this.#told > MOST_TOLD) return
    this.#tell(`the fake crew of this run says: ${excerpt(lines.join('\n'), MOST_CHARACTERS)}`)
  }
}
