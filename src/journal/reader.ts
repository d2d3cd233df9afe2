/**
 * Reads a journal line by line: truncated and damaged lines are skipped and counted, and so are
 * foreign ones, except in a log.
 */
import { isUtf8 } from 'node:buffer'
import { UserError } from '../base/mistakes.ts'
import type { JournalLine, RunLine, ResumedLine } from '../execution/record/journal-lines.ts'
import { blocksOf, linesIn } from './file/blocks.ts'
import { otherVersion } from './file/document.ts'
import { parsedJson } from '../base/text.ts'
import { journalLinesIn } from './log-lines.ts'

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
 * of crewload wrote. Memory holds few lines at a time, whatever the length of the file. Of a mix it
 * gives the lines of `part` alone; without one it rejects with a UserError.
 */
export function readJournal(
  path: string,
  form: JournalForm = 'journal',
  part?: string,
): JournalReader {
  return new FileReader(path, form, part)
}

/** The first lines of all instances, of a mix those of all parts. Rejects as reading does. */
export async function readRunLines(path: string): Promise<RunLine[]> {
  const { checkedLine } = await import('./line.ts')
  const runs: RunLine[] = []
  for await (const batch of valuesOf(path, 'journal', mayBeOutline)) {
    for (const { value } of batch) {
      const line = checkedLine(value)
      if (line?.type === 'run') runs.push(line)
    }
  }
  return runs
}

/** Of a mix, the part of every line, also where its first line is lost. Rejects as reading does. */
export async function readPartNames(path: string): Promise<ReadonlySet<string>> {
  const { checkedLine } = await import('./line.ts')
  const names = new Set<string>()
  for await (const batch of valuesOf(path, 'journal')) {
    for (const { value } of batch) {
      const part = checkedLine(value)?.part
      if (part !== undefined) names.add(part)
    }
  }
  return names
}

/** What must be known about a file before its lines are processed one by one. */
export interface Outline {
  /** In order. */
  runs: RunLine[]
  retractions: Retractions
}

/** Rejects as reading does. */
export async function readOutline(
  path: string,
  form: JournalForm,
  part?: string,
): Promise<Outline> {
  const { checkedLine } = await import('./line.ts')
  const runs: RunLine[] = []
  const retractions = new Retractions()
  for await (const batch of valuesOf(path, form, mayBeOutline)) {
    for (const { value } of batch) {
      const type = (value as { type?: unknown } | null | undefined)?.type
      if (type !== 'run' && type !== 'resumed') continue
      const line = checkedLine(value)
      if (line === undefined) refuseOtherVersion(value, path)
      else if (!isOf(part, line, path)) continue
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
  readonly #part: string | undefined

  constructor(path: string, form: JournalForm, part: string | undefined) {
    this.#path = path
    this.#form = form
    this.#part = part
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
        } else if (isOf(this.#part, line, this.#path)) lines.push(line)
      }
      yield lines
    }
  }
}

/** Throws a UserError for a line of a mix where no part was asked for. */
function isOf(part: string | undefined, line: JournalLine, path: string): boolean {
  if (line.part === part) return true
  if (part !== undefined) return false
  const problem = 'the journal of a mix of several scenarios: expected the journal of one'
  throw new UserError({ source: path, problem })
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

/**
 * `2026-11-21T12:00:00.123456789Z stdout F text`: the log format of Kubernetes' runtimes; P marks a
 * partial line, F the last part.
 */
const CRI =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([PF])(?::\S*)? /
const CRI_LENGTH_AT_MOST = 100

/**
 * `{"log":"text\n","stream":"stdout","time":"..."}`: Docker's format; a text without a line end
 * continues.
 */
const DOCKER = '{"log":"'

/** A longer line cannot be ours: it is discarded. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024

/** Parts are joined as bytes, not text: a split may fall within a character. */
export class LogParts {
  readonly #parts = new Map<string, { bytes: Buffer[]; length: number }>()

  /** The lines that this log line, given without its line end, completes. */
  read(line: Buffer): string[] {
    const head = line.toString('latin1', 0, CRI_LENGTH_AT_MOST)
    const cri = CRI.exec(head)
    if (cri !== null)
      return this.#join(`cri ${cri[1]}`, line.subarray(cri[0].length), cri[2] === 'F')
    const docker = head.startsWith(DOCKER) ? dockerEntry(line) : null
    if (docker === null) return [line.toString('utf8')]
    const { log, stream } = docker
    return this.#join(`docker ${stream}`, Buffer.from(log), log.endsWith('\n'))
  }

  /** Lines that were begun but never completed. */
  end(): string[] {
    const rest = [...this.#parts.values()].map(({ bytes }) => Buffer.concat(bytes).toString('utf8'))
    this.#parts.clear()
    return rest
  }

  #join(stream: string, part: Buffer, isLast: boolean): string[] {
    const line = this.#parts.get(stream) ?? { bytes: [], length: 0 }
    line.bytes.push(part)
    line.length += part.length
    this.#parts.set(stream, line)
    if (!isLast && line.length <= LONGEST_LINE_BYTES) return []
    this.#parts.delete(stream)
    return [Buffer.concat(line.bytes).toString('utf8')]
  }
}

function dockerEntry(line: Buffer): { log: string; stream: string } | null {
  try {
    const { log, stream } = JSON.parse(line.toString('utf8')) as Record<string, unknown>
    return typeof log === 'string' ? { log, stream: String(stream) } : null
  } catch {
    return null
  }
}

/**
 * What `resumed` lines retract of the lines before them in their file: ends of executions that were
 * continued, last lines of instances.
 */
class Retractions {
  /** The number of `resumed` lines. */
  lines = 0
  /** `resumed` lines that name it. */
  readonly #ofExecution = new Map<number, number>()
  readonly #ofInstance = new Map<number, number>()

  /** Call it for each `resumed` line of the file, before its lines are read. */
  add(line: ResumedLine): void {
    this.lines++
    count(this.#ofInstance, line.instance)
    for (const index of line.indexes) count(this.#ofExecution, index)
  }

  /** Call it for each line of the file, in order; returns whether the line counts. */
  reader(): (line: JournalLine) => boolean {
    if (this.#ofInstance.size === 0) return () => true
    const executions = new Map(this.#ofExecution)
    const instances = new Map(this.#ofInstance)
    return (line) => {
      switch (line.type) {
        case 'resumed':
          countDown(instances, line.instance)
          for (const index of line.indexes) countDown(executions, index)
          return true
        case 'ended':
          return !executions.has(line.record.index)
        case 'finished':
          return !instances.has(line.instance)
        default:
          return true
      }
    }
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function countDown(counts: Map<number, number>, key: number): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
