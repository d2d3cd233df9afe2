/**
 * From the YAML text of a profile, or of faults, to what the model reads, or to every mistake in
 * it, each with its line and column.
 */
import { Lexer, LineCounter, isMap, isSeq, parseDocument } from 'yaml'
import type { Document, YAMLParseError } from 'yaml'
import type { z } from 'zod'
import { assert } from '../../../src/base/assert.ts'
import type { Mistake } from '../../../src/base/mistakes.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import type { Fault } from '../faults/fault.ts'
import type { Profile } from '../profile.ts'
import { toProfile } from './complete.ts'
import { faults, oneFault } from './fault.ts'
import { mistakesOf, untold } from './mistakes.ts'
import { writtenProfile } from './profile.ts'
import { wholeProfile } from './whole/profile.ts'

/**
 * Checks the YAML text of one profile and fills in its defaults. `source` is the file's name: it
 * stands in messages, and names the profile that does not name itself. A profile in its complete
 * form, as the control tells it, is read too. Throws UserError with every mistake.
 */
export function parseProfile(text: string, source: string): Profile {
  const authored = writtenProfile.transform((written) => toProfile(written, stem(source)))
  return parse(text, source, (document) => (isWhole(document) ? wholeProfile : authored))
}

/** Checks a profile in its complete form. Throws UserError with every mistake. */
export function checkProfile(profile: Profile, source: string): void {
  const checked = wholeProfile.safeParse(profile)
  if (checked.success) return
  const file = { source, text: null, schema: wholeProfile }
  throw new UserError(mistakesOf(checked.error.issues, profile, file))
}

/** By a key that an author writes otherwise: `stuck`. */
function isWhole({ contents }: Document): boolean {
  return isMap(contents) && contents.has('stuckChance' satisfies keyof Profile)
}

/** As `parseProfile`, of one fault or a list of them. */
export function parseFaults(text: string, source: string): Fault[] {
  return parse(text, source, (document) => (isSeq(document.contents) ? faults : oneFault))
}

function parse<Schema extends z.ZodType>(
  text: string,
  source: string,
  schemaFor: (document: Document) => Schema,
): z.output<Schema> {
  checkSize(text, source)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) throw new UserError(syntaxMistakes(document, source, lines))
  const written = plainValue(document, source)
  const schema = schemaFor(document)
  const checked = schema.safeParse(written)
  if (checked.success) return checked.data
  const mistakes = mistakesOf(checked.error.issues, written, {
    source,
    text: { document, lines },
    schema,
  })
  assert(mistakes.length > 0, 'a refused text has at least one mistake')
  throw new UserError(mistakes)
}

/**
 * Lexemes of YAML; the longest profile that is shipped has 1,751. Some of what follows takes time
 * that grows with their square.
 */
const MOST_LEXEMES = 10_000

function checkSize(text: string, source: string): void {
  let lexemes = 0
  for (const _ of new Lexer().lex(text)) {
    if (++lexemes <= MOST_LEXEMES) continue
    const problem = `is too long: more than ${MOST_LEXEMES} words and signs of YAML`
    throw new UserError({ source, path: '', problem })
  }
}

/** Keys that stand there twice, beyond which none is told. */
const SYNTAX_MISTAKES_TOLD = 10

function syntaxMistakes({ errors }: Document, source: string, lines: LineCounter): Mistake[] {
  const slip = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  // What the parser says after the first slip is about the same.
  const all = errors.filter((error) => error.code === 'DUPLICATE_KEY' || error === slip)
  const mistakes = all.slice(0, SYNTAX_MISTAKES_TOLD).map((error): Mistake => {
    const { line, col: column } = lines.linePos(error.pos[0])
    return { source, line, column, path: '', problem: syntaxWords(error) }
  })
  const more = all.length - mistakes.length
  return more === 0 ? mistakes : [...mistakes, untold(more, source)]
}

const INDENTATION =
  'the indentation of this line, or of the next, does not fit: keys of one group begin at the same column, with spaces'

/** The parser's codes in the words of who writes a profile. */
function syntaxWords({ code, message }: YAMLParseError): string {
  switch (code) {
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return message.startsWith('Flow')
        ? 'a bracket that was opened before this line is not closed'
        : INDENTATION
    case 'TAB_AS_INDENT':
      return 'a tab: YAML is indented with spaces'
    case 'MULTILINE_IMPLICIT_KEY':
      return 'expected "key: value"; a colon is missing, or the indentation does not fit'
    case 'MISSING_CHAR':
      if (message.startsWith('Sequence item')) return INDENTATION
      return message.includes('quote') ? 'a quotation mark is not closed' : `not YAML: ${message}`
    case 'DUPLICATE_KEY':
      return 'this key stands there twice'
    case 'BAD_SCALAR_START':
      return `a value that begins so needs quotation marks (${message})`
    default:
      return `not YAML: ${message}`
  }
}

/** Aliases are resolved, up to yaml's own limit against an "alias bomb". */
function plainValue(document: Document, source: string): unknown {
  try {
    return document.toJS() as unknown
  } catch (error) {
    const problem = `not readable: ${error instanceof Error ? error.message : String(error)}`
    throw new UserError({ source, path: '', problem })
  }
}

/** `profiles/busy.yaml` is called `busy`. */
function stem(source: string): string {
  const file = source.split(/[/\\]/).at(-1) ?? source
  return file.replace(/\.ya?ml$/, '')
}
