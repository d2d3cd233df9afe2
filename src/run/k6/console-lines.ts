/** Follows the console file of a k6 process: our lines, and what the author's functions print. */
import { writeFileSync } from 'node:fs'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { LineTail } from '../../journal/line-tail.ts'
import { lineFrom } from '../../journal/line.ts'

export interface ConsoleEvents {
  line: (line: JournalLine) => void
  /** Called for one of our lines that was cut or damaged. */
  damaged: () => void
  /** Called for text that the scenario itself prints. */
  foreign: (text: string) => void
}

export class ConsoleLines {
  readonly #tail: LineTail
  readonly #events: ConsoleEvents

  /** Creates the file, for k6 to append to. Throws when the file cannot be written. */
  constructor(path: string, events: ConsoleEvents) {
    writeFileSync(path, '')
    this.#tail = new LineTail(path)
    this.#events = events
  }

  /** Reads what has arrived, at most `megabytes` of it. */
  read(megabytes: number): void {
    for (let i = 0; i < megabytes; i++) {
      const lines = this.#tail.read()
      if (lines === null) return
      for (const text of lines) if (text !== '') this.#take(text)
    }
  }

  /** Reads all that is left when nobody writes any more. */
  finish(): void {
    this.read(Infinity)
    if (this.#tail.cut !== '') this.#take(this.#tail.cut)
    this.#tail.close()
  }

  #take(text: string): void {
    if (!text.startsWith('{"type":"')) return this.#events.foreign(text)
    const line = lineFrom(text)
    if (line === undefined) this.#events.damaged()
    else this.#events.line(line)
  }
}
