/**
 * Reads a journal line by line: truncated and damaged lines are skipped and counted, and so are
 * foreign ones, except in a log.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import { readUnsent } from '../execution/record/unsent.ts'
import { journalLinesIn } from './log-lines.ts'
import { LogParts } from './log-parts.ts'
import { Retractions } from './retractions.ts'

/**
 * `journal`: only our lines. `log`: a container's log, in which our lines are mixed with others and
 * may be wrapped by a logger.
 */
export type JournalForm = 'journal' | 'log'

/**
 * After a power cut, some file systems restore a file's length without its content: zeros in place
 * of lost lines, followed by what was appended later.
 */
// oxlint-disable-next-line no-control-regex
const POWER_CUT = /^\0+/
/** A longer line cannot be ours: it is skipped without being buffered. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d

export interface JournalReader extends AsyncIterable<JournalLine> {
  /** Lines skipped so far. */
  readonly skipped: number
}

/**
 * Iterating rejects if the file cannot be read. Memory holds one line at a time, whatever the
 * length of the file.
 */
export function readJournal(path: string, form: JournalForm = 'journal'): JournalReader {
  return new FileReader(path, form)
}

/** What must be known about a file before its lines are processed one by one. */
export interface Outline {
  /** In order. */
  runs: RunLine[]
  retractions: Retractions
}

/** Rejects as reading does. */
export async function readOutline(path: string, form: JournalForm): Promise<Outline> {
  const { journalLine } = await import('../execution/record/journal-lines.ts')
  const runs: RunLine[] = []
  const retractions = new Retractions()
  for await (const value of valuesIn(path, form)) {
    const type = (value as { type?: unknown } | null | undefined)?.type
    if (type !== 'run' && type !== 'resumed') continue
    const { data } = journalLine.safeParse(value)
    if (data?.type === 'run') runs.push(data)
    if (data?.type === 'resumed') retractions.add(data)
  }
  return { runs, retractions }
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
    const { journalLine } = await import('../execution/record/journal-lines.ts')
    for await (const value of valuesIn(this.#path, this.#form)) {
      const parsed = journalLine.safeParse(value)
      if (parsed.success) yield asToday(parsed.data)
      else this.skipped++
    }
  }
}

function asToday(line: JournalLine): JournalLine {
  return line.type === 'ended' ? { ...line, record: readUnsent(line.record) } : line
}

/** Undefined for a line that should be ours but cannot be read. */
async function* valuesIn(path: string, form: JournalForm): AsyncGenerator {
  if (form === 'log') yield* readLogged(path)
  else yield* journalValues(path)
}

async function* journalValues(path: string): AsyncGenerator {
  for await (const bytes of linesOf(path)) {
    if (bytes[0] === 0) yield undefined
    const text = bytes.toString('utf8').replace(POWER_CUT, '').trim()
    if (text !== '') yield parseJson(text)
  }
}

/**
 * Our lines in a log, not yet checked against the schema; undefined for one that cannot be read.
 * Rejects as reading does.
 */
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

/** Without line ends; an overlong line is returned as a text that is not JSON. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of await bytesOf(path)) {
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

const GZIP = Buffer.from([0x1f, 0x8b])

/** Decompresses a gzip file, the form in which log stores export them. */
export async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(path)
  const stream = createReadStream(path)
  if (!isCompressed) return stream
  const plain = createGunzip()
  stream.on('error', (error) => plain.destroy(error))
  return stream.pipe(plain)
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
    return bytesRead === GZIP.length && buffer.equals(GZIP)
  } finally {
    await file.close()
  }
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
