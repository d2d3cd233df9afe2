/**
 * Journal lines within one line of a log, behind and between whatever loggers wrote around them: a
 * pure function.
 */

export type Found =
  /** As JSON tells it: whether it is a line of ours to the last key is for the schema to say. */
  | { kind: 'line'; value: unknown }
  /** Recognisably a journal line, but cut or damaged. */
  | { kind: 'broken' }

/**
 * Where a journal line begins. In a string of another line its quotes are escaped, once or several
 * times over.
 */
const MARK =
  /\{\s*(\\*)"type\1"\s*:\s*\1"(?:run|started|accepted|ended|resumed|finding|finished)\1"/g

/**
 * What the text holds, in order; nothing for a foreign one. Text before, between and after the
 * lines is passed over: a timestamp, a pod's name, a progress bar, ANSI codes, `source=console`. A
 * line that is the string of another one is unescaped: k6's logfmt (`level=info
 * msg="{\"type\":...}"`), its JSON form, and whatever wraps a line in a JSON string.
 */
export function journalLinesIn(text: string): Found[] {
  const plain = withoutAnsi(text)
  const found: Found[] = []
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

interface Mark {
  begin: number
  end: number
  /** Backslashes before each quote. */
  escapes: number
}

/**
 * What a stranger wrote into a line has more escapes than the line: in a broken one it must not be
 * taken for one of ours.
 */
function markFrom(text: string, from: number, mostEscapes: number): Mark | null {
  MARK.lastIndex = from
  for (;;) {
    const match = MARK.exec(text)
    if (match === null) return null
    const escapes = match[1]!.length
    if (escapes <= mostEscapes) return { begin: match.index, end: MARK.lastIndex, escapes }
  }
}

/** `lines` is null for what cannot be read. */
interface Reading {
  lines: Found[] | null
  end: number
}

function objectAt(text: string, begin: number): Reading {
  const rest = parseJson(text.slice(begin))
  if (rest !== undefined) return { lines: [{ kind: 'line', value: rest }], end: text.length }
  const end = endOfObject(text, begin)
  const value = parseJson(text.slice(begin, end))
  return { lines: value === undefined ? null : [{ kind: 'line', value }], end }
}

/**
 * What stands from `begin` to the end of the string that holds it, one level of escapes taken off.
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

/** Just behind the brace that closes the one at `begin`; the end of the text when none does. */
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

/** The next quote that no backslash escapes; the end of the text when there is none. */
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
  const json = parseJson(`"${text}"`)
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

/** A byte beyond ASCII stands for a text that was no UTF-8. */
function character(point: number, highest: number): string {
  return point <= highest ? String.fromCodePoint(point) : '\uFFFD'
}

const ESC = '\u001B'
const ANSI = new RegExp(String.raw`${ESC}\[[\d;?]*[ -/]*[@-~]`, 'g')

/** A journal line has none: JSON escapes control characters. */
function withoutAnsi(text: string): string {
  return text.includes(ESC) ? text.replaceAll(ANSI, '') : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
