/**
 * Just enough of TypeScript's grammar to find imports: comments, strings, templates and regular
 * expressions told apart.
 */

export interface Import {
  specifier: string
  /**
   * Erased by the compiler: `import type`, `export type`, or every name in the braces marked
   * `type`.
   */
  typeOnly: boolean
  /** `import()`, when the code comes to it. */
  lazy: boolean
}

const NAMES = String.raw`\{[^{}'"]*\}`
const CLAUSE = String.raw`(?:type\s+)?(?:[\w$]+|\*(?:\s+as\s+[\w$]+)?|${NAMES})(?:\s*,\s*(?:${NAMES}|\*\s+as\s+[\w$]+))?`
const FROM = String.raw`^\s*(?:import|export)\s*(?<clause>${CLAUSE})\s*from\s*`
const SPECIFIER = String.raw`(['"])(?<specifier>[^'"]+)['"]`
const STATEMENT = new RegExp(FROM + SPECIFIER, 'gm')
const SIDE_EFFECT = new RegExp(String.raw`^\s*import\s*` + SPECIFIER, 'gm')
const DYNAMIC = new RegExp(String.raw`\bimport\(\s*` + SPECIFIER, 'g')

/** Of texts read before: each planted breach has the whole tree looked at again. */
const KNOWN_IMPORTS = new Map<string, Import[]>()
const KNOWN_CODE = new Map<string, string>()
const KNOWN_SPEECH = new Map<string, string>()

/** Every import, re-export, side-effect import and dynamic import of one source text. */
export function importsOf(text: string): readonly Import[] {
  return computed(KNOWN_IMPORTS, text, readImports)
}

/** The text without comments and the contents of strings, templates and regular expressions. */
export function codeOf(text: string): string {
  return computed(KNOWN_CODE, text, (each) => mask(each, 'drop strings'))
}

/** The text without comments, regular expressions and the contents of templates. */
export function codeWithStrings(text: string): string {
  return computed(KNOWN_SPEECH, text, (each) => mask(each, 'keep strings'))
}

/** What the strings and the templates of a text hold, each by itself; `…` for an expression. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  mask(text, 'keep strings', (each) => words.push(each))
  return words
}

function computed<T>(known: Map<string, T>, text: string, compute: (text: string) => T): T {
  const found = known.get(text) ?? compute(text)
  known.set(text, found)
  return found
}

function readImports(text: string): Import[] {
  const code = mask(text, 'keep strings')
  return [STATEMENT, SIDE_EFFECT, DYNAMIC].flatMap((form) =>
    [...code.matchAll(form)].map(({ groups }) => ({
      specifier: groups?.['specifier'] ?? '',
      typeOnly: isTypeOnly(groups?.['clause'] ?? ''),
      lazy: form === DYNAMIC,
    })),
  )
}

function isTypeOnly(clause: string): boolean {
  if (/^type\s+[^\s,]/.test(clause)) return true
  const names = /^\{(?<names>[^}]*)\}$/.exec(clause)?.groups?.['names'] ?? ''
  const list = names.split(',').filter((name) => name.trim() !== '')
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name))
}

const PLAIN = /[^/'"`{}]+/y
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//y
const STRING = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
/** After these a slash begins a regular expression; elsewhere it divides. */
const BEFORE_REGEX = /(?:^|[=(,:;[!&|?{}+\n]|=>|\breturn|\bcase)\s*$/

function mask(
  text: string,
  mode: 'keep strings' | 'drop strings',
  found: (words: string) => void = () => {},
): string {
  let kept = ''
  let at = 0
  /** One entry for each template that is open: its words, and the braces open inside its `${}`. */
  const templates: { words: string; braces: number }[] = []
  while (at < text.length) {
    const plain = match(PLAIN, text, at)
    if (plain !== '') {
      kept += plain
      at += plain.length
      continue
    }
    const comment = match(COMMENT, text, at)
    const string = match(STRING, text, at)
    const regex = BEFORE_REGEX.test(kept.slice(-20)) ? match(REGEX, text, at) : ''
    const character = text.charAt(at)
    if (comment !== '') {
      at += comment.length
    } else if (string !== '') {
      found(string.slice(1, -1))
      kept += mode === 'keep strings' ? string : "''"
      at += string.length
    } else if (regex !== '') {
      kept += '/ /'
      at += regex.length
    } else if (character === '`' || (character === '}' && templates.at(-1)?.braces === 0)) {
      const before = character === '}' ? templates.pop()!.words : ''
      const { end, opens } = templatePart(text, at + 1)
      const words = before + text.slice(at + 1, opens ? end - 2 : end - 1)
      if (opens) templates.push({ words: `${words}…`, braces: 0 })
      else found(words)
      kept += opens ? ' (' : ') '
      at = end
    } else {
      const open = templates.at(-1)
      if (open !== undefined && character === '{') open.braces++
      if (open !== undefined && character === '}') open.braces--
      kept += character
      at++
    }
  }
  return kept
}

/**
 * From inside a template to behind its closing backtick, or behind the `${` that opens an
 * expression.
 */
function templatePart(text: string, start: number): { end: number; opens: boolean } {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '`') return { end: at + 1, opens: false }
    else if (text.startsWith('${', at)) return { end: at + 2, opens: true }
  }
  return { end: text.length, opens: false }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
