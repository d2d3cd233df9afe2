/**
 * Reads a journal line by line: truncated and damaged lines are skipped and counted, and so are
 * foreign ones, except in a log.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import { readUnsent } from '../execution/record/unsent.ts'
import { isPlainLine } from './plain-lines.ts'
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
  /** The same lines, many at once: a million of them should not be awaited one by one. */
  batches(): AsyncIterable<readonly JournalLine[]>
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
  const values = form === 'log' ? loggedValues(path) : journalValues(path, mayBeOutline)
  for await (const batch of values) {
    for (const value of batch) {
      const type = (value as { type?: unknown } | null | undefined)?.type
      if (type !== 'run' && type !== 'resumed') continue
      const { data } = journalLine.safeParse(value)
      if (data?.type === 'run') runs.push(data)
      if (data?.type === 'resumed') retractions.add(data)
    }
  }
  return { runs, retractions }
}

/** As every line is written; another form is looked at more closely. */
const TYPE_FIRST = '{"type":"'

/** False for a line that surely is neither `run` nor `resumed`, without parsing it. */
function mayBeOutline(text: string): boolean {
  return !text.startsWith(TYPE_FIRST) || text[TYPE_FIRST.length] === 'r'
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
    for await (const lines of this.batches()) yield* lines
  }

  async *batches(): AsyncGenerator<readonly JournalLine[]> {
    const { journalLine } = await import('../execution/record/journal-lines.ts')
    const parsed = (value: unknown): JournalLine | undefined =>
      isPlainLine(value) ? value : journalLine.safeParse(value).data
    const isLog = this.#form === 'log'
    for await (const values of isLog ? loggedValues(this.#path) : journalValues(this.#path)) {
      const lines: JournalLine[] = []
      for (const value of values) {
        const line = parsed(value)
        if (line === undefined) this.skipped++
        else lines.push(asToday(line))
      }
      yield lines
    }
  }
}

function asToday(line: JournalLine): JournalLine {
  return line.type === 'ended' ? { ...line, record: readUnsent(line.record) } : line
}

type Values = AsyncGenerator<readonly unknown[]>

/**
 * What each line says, undefined for one that cannot be read, a batch for each part of the file
 * that was read. `wanted` leaves lines out unread.
 */
async function* journalValues(path: string, wanted = (_text: string): boolean => true): Values {
  for await (const block of blocksOf(path)) {
    const values: unknown[] = []
    const text = block.toString('utf8')
    for (let from = 0; from <= text.length;) {
      const end = text.indexOf('\n', from)
      const line = text.slice(from, end === -1 ? text.length : end)
      from = end === -1 ? text.length + 1 : end + 1
      if (line.startsWith('\0')) values.push(undefined)
      const plain = line.startsWith('{') ? line : line.replace(POWER_CUT, '').trim()
      if (plain !== '' && wanted(plain)) values.push(parseJson(plain))
    }
    yield values
  }
}

async function* loggedValues(path: string): Values {
  for await (const value of readLogged(path)) yield [value]
}

/**
 * Our lines in a log, not yet checked against the schema; undefined for one that cannot be read.
 * Rejects as reading does.
 */
export async function* readLogged(path: string): AsyncGenerator {
  const parts = new LogParts()
  for await (const block of blocksOf(path)) {
    for (const bytes of linesOf(block)) yield* valuesOf(parts.read(bytes))
  }
  yield* valuesOf(parts.end())
}

function* valuesOf(texts: readonly string[]): Generator {
  for (const found of texts.flatMap(journalLinesIn)) {
    yield found.kind === 'line' ? found.value : undefined
  }
}

/** Without line ends. */
function* linesOf(block: Buffer): Generator<Buffer> {
  for (let from = 0; from <= block.length;) {
    const newline = block.indexOf(NEWLINE, from)
    const end = newline === -1 ? block.length : newline
    const line = block.subarray(from, end)
    yield line.at(-1) === RETURN ? line.subarray(0, -1) : line
    from = end + 1
  }
}

/** A text that is no line of ours, in place of one that is too long. */
const OVERLONG = Buffer.from('overlong')

/** Whole lines, many at once, without the end of the last one. Rejects as reading does. */
export async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  /** Of a line whose end was not read yet. */
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of await bytesOf(path)) {
    const first = chunk.indexOf(NEWLINE)
    const isOverlong = length + (first === -1 ? chunk.length : first) > LONGEST_LINE_BYTES
    if (isOverlong) parts = [OVERLONG]
    if (first === -1) {
      if (!isOverlong) parts.push(chunk)
      length += chunk.length
      continue
    }
    const last = chunk.lastIndexOf(NEWLINE)
    parts.push(chunk.subarray(isOverlong ? first : 0, last))
    yield parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = [chunk.subarray(last + 1)]
    length = chunk.length - last - 1
  }
  if (length > 0) yield Buffer.concat(parts)
}

/** Each read passes through another thread, which costs as much as some 100 kB of lines. */
const READ_BYTES = 256 * 1024
const GZIP = Buffer.from([0x1f, 0x8b])

/** Decompresses a gzip file, the form in which log stores export them. */
export async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(path)
  const stream = createReadStream(path, { highWaterMark: READ_BYTES })
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
