/** Reads a journal back, line by line: what is cut, foreign or broken is skipped and counted. */
import { createReadStream } from 'node:fs'
import type { JournalLine } from '../execution/journal.ts'

/** A line longer than this is no line of ours: it is skipped without being held. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

export interface JournalReader extends AsyncIterable<JournalLine> {
  /** Lines skipped so far. */
  readonly skipped: number
}

/** Iterating rejects when the file cannot be read. Memory holds one line at a time, whatever the length of the file. */
export function readJournal(path: string): JournalReader {
  return new FileReader(path)
}

class FileReader implements JournalReader {
  skipped = 0
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalLine> {
    const { journalLineSchema } = await import('./schema/journal.ts')
    for await (const text of linesOf(this.#path)) {
      if (text === '') continue
      const parsed = journalLineSchema.safeParse(parseJson(text))
      if (parsed.success) yield parsed.data
      else this.skipped++
    }
  }
}

/** An overlong line comes out as a text that is no JSON. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end))
      yield textOf(parts, length + end - from)
      parts = []
      length = 0
      from = end + 1
    }
    length += chunk.length - from
    if (length <= LONGEST_LINE_BYTES) parts.push(chunk.subarray(from))
    else parts = []
  }
  yield textOf(parts, length)
}

function textOf(parts: readonly Buffer[], length: number): string {
  return length > LONGEST_LINE_BYTES ? 'overlong' : Buffer.concat(parts).toString('utf8').trim()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
