/**
 * Finds journal lines within one line of a log, after and between whatever loggers wrote around
 * them: a pure function.
 */
import { journalLine } from '../execution/record/journal-lines.ts'
import { parsedJson } from '../base/text.ts'

export type FoundLine =
  /** The parsed JSON: the schema decides whether it is a valid line of ours. */
  | { kind: 'line'; value: unknown }
  /** Recognisably a journal line, but truncated or damaged. */
  | { kind: 'broken' }

/**
 * Matches the beginning of a journal line. Within a string of another line, its quotes are escaped,
 * once or several times.
 */
const TYPES = journalLine.options.map(({ shape }) => shape.type.value).join('|')
const MARK = new RegExp(String.raw`\{\s*(\\*)"type\1"\s*:\s*\1"(?:${TYPES})\1"`, 'g')

/**
 * The journal lines in the text, in order; none for foreign text. Text before, between and after
 * the lines is skipped: a timestamp, a pod's name, a progress bar, ANSI codes, `source=console`. A
 * line inside a string of another one is unescaped: k6's logfmt (`level=info
 * msg="{\"type\":...}"`), its JSON form, and any other wrapping in a JSON string.
 */
export function journalLinesIn(text: string): FoundLine[] {
  const plain = withoutAnsi(text)
  const found: FoundLine[] = []
  let from = 0
  let mostEscapes = Infinity
  for (;;) {
    const mark = markFrom(plain, from, mostEscapes)
    if (mark === null) return found
    const { lines, end } =
      mark.escapes === 0 ? objectAt(plain, mark.begin) : quotedAt(plain, mark.begin)
    if (lines === null) {
      found.push({ kind: 'broken' })
      mostEscapes = mark.escapes
      from = mark.end
    } else {
      found.push(...lines)
      from = end
    }
  }
}

interface LineMark {
  begin: number
  end: number
  /** The number of backslashes before each quote. */
  escapes: number
}

/**
 * Text of a target inside a line has more escapes than the line: in a damaged line, it must not be
 * taken for one of ours.
 */
function markFrom(text: string, from: number, mostEscapes: number): LineMark | null {
  MARK.lastIndex = from
  for (;;) {
    const match = MARK.exec(text)
    if (match === null) return null
    const escapes = match[1]!.length
    if (escapes <= mostEscapes) return { begin: match.index, end: MARK.lastIndex, escapes }
  }
}

/** `lines` is null for unreadable text. */
interface Reading {
  lines: FoundLine[] | null
  end: number
}

function objectAt(text: string, begin: number): Reading {
  const rest = parsedJson(text.slice(begin))
  if (rest !== undefined) return { lines: [{ kind: 'line', value: rest }], end: text.length }
  const end = endOfObject(text, begin)
  const value = parsedJson(text.slice(begin, end))
  return { lines: value === undefined ? null : [{ kind: 'line', value }], end }
}

/**
 * The text from `begin` to the end of the string that contains it, with one level of escapes
 * removed.
 */
function quotedAt(text: string, begin: number): Reading {
  const end = endOfString(text, begin)
  const inner = end === text.length ? null : unescaped(text.slice(begin, end))
  return { lines: inner === null ? null : journalLinesIn(inner), end }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * The position after the brace that closes the one at `begin`; the end of the text if none does.
 */
function endOfObject(text: string, begin: number): number {
  let depth = 0
  for (let i = begin; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i + 1)
    else if (code === OPEN) depth++
    else if (code === CLOSE && --depth === 0) return i + 1
  }
  return text.length
}

/** The next quote without a backslash before it; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i++
    else if (code === QUOTE) return i
  }
  return text.length
}

const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.?))/gs

const SHORT_ESCAPES = new Map([
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['/', '/'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

/** The escapes of JSON and those of Go's `%q`, which k6's logger writes. Null for any other. */
function unescaped(text: string): string | null {
  const json = parsedJson(`"${text}"`)
  return typeof json === 'string' ? json : goUnescaped(text)
}

function goUnescaped(text: string): string | null {
  let isWhole = true
  const plain = text.replaceAll(
    ESCAPE,
    (_, byte?: string, unit?: string, point?: string, short?: string) => {
      if (byte !== undefined) return character(Number.parseInt(byte, 16), 0x7f)
      if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
      if (point !== undefined) return character(Number.parseInt(point, 16), 0x10_ff_ff)
      const meant = SHORT_ESCAPES.get(short ?? '')
      isWhole &&= meant !== undefined
      return meant ?? ''
    },
  )
  return isWhole ? plain : null
}

/** Non-ASCII bytes represent text that was not UTF-8. */
function character(point: number, highest: number): string {
  return point <= highest ? String.fromCodePoint(point) : '\uFFFD'
}

const ESC = '\u001B'
const ANSI = new RegExp(String.raw`${ESC}\[[\d;?]*[ -/]*[@-~]`, 'g')

/** A journal line contains none: JSON escapes control characters. */
function withoutAnsi(text: string): string {
  return text.includes(ESC) ? text.replaceAll(ANSI, '') : text
}
