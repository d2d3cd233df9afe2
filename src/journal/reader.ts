/**
 * Reads a journal line by line: truncated and damaged lines are skipped and counted, and so are
 * foreign ones, except in a log.
 */
import { isUtf8 } from 'node:buffer'
import { UserError } from '../base/mistakes.ts'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import { blocksOf, passingBlocksOf } from './file/blocks.ts'
import { otherVersion } from './file/document.ts'
import { isPlainLine } from './plain-lines.ts'
import { journalLinesIn } from './log-lines.ts'
import { LogParts } from './log-parts.ts'
import { Retractions } from './retractions.ts'
import { WrittenLines } from './written-lines.ts'

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
const JOURNAL_SCHEMA = 'crewload/journal/1'
const NEWLINE = 0x0a
const RETURN = 0x0d

export interface JournalReader extends AsyncIterable<JournalLine> {
  /** The same lines, many at once: a million of them should not be awaited one by one. */
  batches(): AsyncIterable<readonly JournalLine[]>
  /** Lines skipped so far. */
  readonly skipped: number
  /** The first line skipped so far, of a journal; null for none, and for logs. */
  readonly damage: Damage | null
}

export interface Damage {
  /** 1-based. */
  line: number
  /** No line follows it: a kill may have cut it. */
  isTail: boolean
}

/**
 * Iterating rejects if the file cannot be read, and with a UserError for a run that another version
 * of crewload wrote. Memory holds one line at a time, whatever the
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
  const values = form === 'log' ? loggedValues(path) : outlineValues(path)
  for await (const batch of values) {
    for (const value of batch) {
      const type = (value as { type?: unknown } | null | undefined)?.type
      if (type !== 'run' && type !== 'resumed') continue
      const { data } = journalLine.safeParse(value)
      if (data === undefined) refuseOtherVersion(value, path)
      if (data?.type === 'run') runs.push(data)
      if (data?.type === 'resumed') retractions.add(data)
    }
  }
  return { runs, retractions }
}

/** The first bytes of a line as this program writes it; another form is parsed. */
const TYPE_FIRST = Buffer.from('{"type":"')
const LETTER_R = 0x72

/** False for a line that surely is neither `run` nor `resumed`, without parsing it. */
function mayBeOutline(bytes: Buffer, from: number): boolean {
  for (let i = 0; i < TYPE_FIRST.length; i++) if (bytes[from + i] !== TYPE_FIRST[i]) return true
  return bytes[from + TYPE_FIRST.length] === LETTER_R
}

class FileReader implements JournalReader {
  skipped = 0
  readonly #damages = new Damages()
  readonly #path: string
  readonly #form: JournalForm

  constructor(path: string, form: JournalForm) {
    this.#path = path
    this.#form = form
  }

  get damage(): Damage | null {
    return this.#damages.damage
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalLine> {
    for await (const lines of this.batches()) yield* lines
  }

  async *batches(): AsyncGenerator<readonly JournalLine[]> {
    const { journalLine } = await import('../execution/record/journal-lines.ts')
    const checked = (value: unknown): JournalLine | undefined => {
      if (isPlainLine(value)) return value
      const { data } = journalLine.safeParse(value)
      if (data === undefined) refuseOtherVersion(value, this.#path)
      return data
    }
    const isLog = this.#form === 'log'
    const batches = isLog
      ? loggedLines(this.#path, checked)
      : journalLines(this.#path, checked, this.#damages)
    for await (const batch of batches) {
      const lines: JournalLine[] = []
      for (const line of batch) {
        if (line === undefined) this.skipped++
        else lines.push(line)
      }
      yield lines
    }
  }
}

/** `value` is no line of ours. */
function refuseOtherVersion(value: unknown, path: string): void {
  const mistake = otherVersion(value, JOURNAL_SCHEMA, path)
  if (mistake !== null) throw new UserError(mistake)
}

/** Undefined for what is no line of ours. */
type Checked = (value: unknown) => JournalLine | undefined
/** A batch for each part of the file that was read; undefined for a line that cannot be read. */
type Lines = AsyncGenerator<readonly (JournalLine | undefined)[]>

/** Where a journal is damaged. */
class Damages {
  /** 1-based. */
  line = 0
  #last = 0
  #first: number | null = null

  get damage(): Damage | null {
    return this.#first === null ? null : { line: this.#first, isTail: this.#first === this.#last }
  }

  /** The line has something that could be read. */
  read(): void {
    this.#last = this.line
  }

  unread(): void {
    this.#last = this.line
    this.#first ??= this.line
  }
}

async function* journalLines(path: string, checked: Checked, damages: Damages): Lines {
  const written = new WrittenLines()
  for await (const block of passingBlocksOf(path)) {
    const lines: (JournalLine | undefined)[] = []
    for (let from = 0; from <= block.length;) {
      damages.line++
      const end = endOfLine(block, from)
      const plain = written.read(block, from, end)
      if (plain !== null) {
        damages.read()
        lines.push(plain)
      } else {
        for (const value of valuesIn(block, from, end)) {
          const line = checked(value)
          if (line === undefined) damages.unread()
          else damages.read()
          lines.push(line)
        }
      }
      from = end + 1
    }
    yield lines
  }
}

async function* loggedLines(path: string, checked: Checked): Lines {
  for await (const value of readLogged(path)) yield [checked(value)]
}

type Values = AsyncGenerator<readonly unknown[]>

/** Reads what `valuesIn` reads, of the lines that may be in an outline. */
async function* outlineValues(path: string): Values {
  for await (const block of passingBlocksOf(path)) {
    const values: unknown[] = []
    for (let from = 0; from <= block.length;) {
      const end = endOfLine(block, from)
      if (mayBeOutline(block, from)) values.push(...valuesIn(block, from, end))
      from = end + 1
    }
    yield values
  }
}

async function* loggedValues(path: string): Values {
  for await (const value of readLogged(path)) yield [value]
}

function endOfLine(block: Buffer, from: number): number {
  const newline = block.indexOf(NEWLINE, from)
  return newline === -1 ? block.length : newline
}

/**
 * What a line says, undefined if it cannot be read. Nothing for an empty line; zeros before one are
 * a line of their own.
 */
function valuesIn(block: Buffer, from: number, end: number): unknown[] {
  const bytes = block.subarray(from, end)
  if (!isUtf8(bytes)) return [undefined]
  const line = bytes.toString('utf8')
  const values: unknown[] = line.startsWith('\0') ? [undefined] : []
  const plain = line.startsWith('{') ? line : line.replace(POWER_CUT, '').trim()
  if (plain !== '') values.push(parseJson(plain))
  return values
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

/** The lines of a block, without line ends. */
function* linesOf(block: Buffer): Generator<Buffer> {
  for (let from = 0; from <= block.length;) {
    const newline = block.indexOf(NEWLINE, from)
    const end = newline === -1 ? block.length : newline
    const line = block.subarray(from, end)
    yield line.at(-1) === RETURN ? line.subarray(0, -1) : line
    from = end + 1
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
