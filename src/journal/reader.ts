/**
 * Reads a journal line by line: truncated and damaged lines are skipped and counted, and so are
 * foreign ones, except in a log.
 */
import { isUtf8 } from 'node:buffer'
import { UserError } from '../base/mistakes.ts'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import { blocksOf, linesIn } from './file/blocks.ts'
import { otherVersion } from './file/document.ts'
import { journalLinesIn, parsedJson } from './log-lines.ts'
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
const JOURNAL_SCHEMA = 'crewload/journal/1'
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
 * of crewload wrote. Memory holds
 * few lines at a time, whatever the length of the file.
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
  const { checkedLine } = await import('./line.ts')
  const runs: RunLine[] = []
  const retractions = new Retractions()
  for await (const batch of valuesOf(path, form, mayBeOutline)) {
    for (const { value } of batch) {
      const type = (value as { type?: unknown } | null | undefined)?.type
      if (type !== 'run' && type !== 'resumed') continue
      const line = checkedLine(value)
      if (line === undefined) refuseOtherVersion(value, path)
      if (line?.type === 'run') runs.push(line)
      if (line?.type === 'resumed') retractions.add(line)
    }
  }
  return { runs, retractions }
}

/** The first bytes of a line as this program writes it; another form is parsed. */
const TYPE_FIRST = Buffer.from('{"type":"')
const LETTER_R = 0x72

/** False for a line that surely is neither `run` nor `resumed`, without parsing it. */
function mayBeOutline(bytes: Buffer): boolean {
  for (let i = 0; i < TYPE_FIRST.length; i++) if (bytes[i] !== TYPE_FIRST[i]) return true
  return bytes[TYPE_FIRST.length] === LETTER_R
}

class FileReader implements JournalReader {
  skipped = 0
  /** The line that the last value is from; 1-based. */
  #last = 0
  #firstSkipped: number | null = null
  readonly #path: string
  readonly #form: JournalForm

  constructor(path: string, form: JournalForm) {
    this.#path = path
    this.#form = form
  }

  get damage(): Damage | null {
    const line = this.#firstSkipped
    if (line === null || this.#form === 'log') return null
    return { line, isTail: line === this.#last }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalLine> {
    for await (const lines of this.batches()) yield* lines
  }

  async *batches(): AsyncGenerator<readonly JournalLine[]> {
    const { checkedLine } = await import('./line.ts')
    for await (const batch of valuesOf(this.#path, this.#form)) {
      const lines: JournalLine[] = []
      for (const { value, at } of batch) {
        this.#last = at
        const line = checkedLine(value)
        if (line === undefined) {
          refuseOtherVersion(value, this.#path)
          this.skipped++
          this.#firstSkipped ??= at
        } else lines.push(line)
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

/** What one line of a file says, not yet checked. */
interface Value {
  /** Undefined if it cannot be read. */
  value: unknown
  /** The number of the line, 1-based; in a log, nobody asks for it. */
  at: number
}

/** A batch for each part of the file that was read. Rejects as reading does. */
async function* valuesOf(
  path: string,
  form: JournalForm,
  wanted: (bytes: Buffer) => boolean = () => true,
): AsyncGenerator<readonly Value[]> {
  if (form === 'log') {
    for await (const value of readLogged(path)) yield [{ value, at: 0 }]
    return
  }
  let at = 0
  for await (const block of blocksOf(path)) {
    const values: Value[] = []
    for (const bytes of linesIn(block)) {
      at++
      if (!wanted(bytes)) continue
      for (const value of valuesIn(bytes)) values.push({ value, at })
    }
    yield values
  }
}

/**
 * What a line says, undefined if it cannot be read. Nothing for an empty line; zeros before one are
 * a line of their own.
 */
function valuesIn(bytes: Buffer): unknown[] {
  if (!isUtf8(bytes)) return [undefined]
  const line = bytes.toString('utf8')
  if (line.startsWith('{')) return [parsedJson(line)]
  const text = line.replace(POWER_CUT, '').trim()
  const lost = line.startsWith('\0') ? [undefined] : []
  return text === '' ? lost : [...lost, parsedJson(text)]
}

/**
 * Our lines in a log, not yet checked against the schema; undefined for one that cannot be read.
 * Rejects as reading does.
 */
export async function* readLogged(path: string): AsyncGenerator {
  const parts = new LogParts()
  for await (const block of blocksOf(path)) {
    for (const line of linesIn(block)) {
      yield* loggedIn(parts.read(line.at(-1) === RETURN ? line.subarray(0, -1) : line))
    }
  }
  yield* loggedIn(parts.end())
}

function* loggedIn(texts: readonly string[]): Generator {
  for (const found of texts.flatMap(journalLinesIn)) {
    yield found.kind === 'line' ? found.value : undefined
  }
}
