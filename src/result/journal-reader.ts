/** Reads a journal back, line by line: what is cut or broken is skipped and counted, and what is foreign too, but in a log. */
import { createReadStream } from 'node:fs'
import type { JournalLine, RunLine } from '../execution/journal.ts'
import { journalLinesIn } from './log-lines.ts'
import { LogParts } from './log-parts.ts'

/** `journal`: nothing but our lines. `log`: of a container, in which our lines stand among others, each in whatever a logger made of it. */
export type JournalForm = 'journal' | 'log'

/** A line longer than this is no line of ours: it is skipped without being held. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d

export interface JournalReader extends AsyncIterable<JournalLine> {
  /** Lines skipped so far. */
  readonly skipped: number
}

/** Iterating rejects when the file cannot be read. Memory holds one line at a time, whatever the length of the file. */
export function readJournal(path: string, form: JournalForm = 'journal'): JournalReader {
  return new FileReader(path, form)
}

/** The `run` lines of a file alone, in order. Rejects as reading does. */
export async function readRunLines(path: string, form: JournalForm): Promise<RunLine[]> {
  const { journalLineSchema } = await import('./schema/journal.ts')
  const runs: RunLine[] = []
  for await (const value of valuesIn(path, form)) {
    if ((value as { type?: unknown } | null | undefined)?.type !== 'run') continue
    const parsed = journalLineSchema.safeParse(value)
    if (parsed.success && parsed.data.type === 'run') runs.push(parsed.data)
  }
  return runs
}

class FileReader implements JournalReader {
  skipped = 0
  readonly #path: string
  readonly #form: JournalForm

  constructor(path: string, form: JournalForm) {
    this.#path = path
    this.#form = form
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalLine> {
    const { journalLineSchema } = await import('./schema/journal.ts')
    for await (const value of valuesIn(this.#path, this.#form)) {
      const parsed = journalLineSchema.safeParse(value)
      if (parsed.success) yield parsed.data
      else this.skipped++
    }
  }
}

/** Undefined for what should be a line and cannot be read. */
async function* valuesIn(path: string, form: JournalForm): AsyncGenerator {
  if (form === 'log') yield* readLogged(path)
  else yield* journalValues(path)
}

async function* journalValues(path: string): AsyncGenerator {
  for await (const bytes of linesOf(path)) {
    const text = bytes.toString('utf8').trim()
    if (text !== '') yield parseJson(text)
  }
}

/** The lines of ours in a log, not yet held against the schema; undefined for one that cannot be read. Rejects as reading does. */
export async function* readLogged(path: string): AsyncGenerator {
  const parts = new LogParts()
  for await (const bytes of linesOf(path)) yield* valuesOf(parts.read(bytes))
  yield* valuesOf(parts.end())
}

function* valuesOf(texts: readonly string[]): Generator {
  for (const found of texts.flatMap(journalLinesIn)) {
    yield found.kind === 'line' ? found.value : undefined
  }
}

/** Without their ends; an overlong line comes out as a text that is no JSON. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end))
      yield lineOf(parts, length + end - from)
      parts = []
      length = 0
      from = end + 1
    }
    length += chunk.length - from
    if (length <= LONGEST_LINE_BYTES) parts.push(chunk.subarray(from))
    else parts = []
  }
  if (length > 0) yield lineOf(parts, length)
}

function lineOf(parts: readonly Buffer[], length: number): Buffer {
  if (length > LONGEST_LINE_BYTES) return Buffer.from('overlong')
  const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
