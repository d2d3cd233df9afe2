/**
 * Converts the YAML text of a profile, or of faults, to what the model reads, or reports every
 * mistake with its line and column.
 */
import { Lexer, LineCounter, isMap, isSeq, parseDocument } from 'yaml'
import type { Document, YAMLParseError } from 'yaml'
import type { z } from 'zod'
import { assert } from '../../src/base/assert.ts'
import type { Mistake } from '../../src/base/mistakes.ts'
import { UserError } from '../../src/base/mistakes.ts'
import type { Fault, WrittenFault } from './faults/fault.ts'
import { faults, oneFault } from './faults/fault.ts'
import type { Profile, WrittenProfile } from './profile.ts'
import { parsedProfile } from './profile.ts'
import type { ScriptProfile, WrittenScript } from './scripts.ts'
import { scriptsFor } from './scripts.ts'
import type { WrittenFile } from './schema/mistakes.ts'
import { NOT_OURS, mistakesOf, untold } from './schema/mistakes.ts'
import { messageOf } from '../../src/base/text.ts'

/** A profile as its author wrote it, and what the model reads. */
export interface ReadProfile {
  written: WrittenProfile
  profile: Profile
}

/** These take precedence over what the author wrote. */
export type ProfileOverrides = Pick<WrittenProfile, 'dialect' | 'speed' | 'seed'>

/**
 * Checks the YAML text of one profile and fills in its defaults. `source` is the file's name: it
 * appears in messages, and names a profile that does not name itself. Throws UserError with every
 * mistake.
 */
export function parseProfileText(text: string, source: string): Profile {
  return readProfile(text, source).profile
}

/** `parseProfileText`, which also returns what was written. */
export function readProfile(
  text: string,
  source: string,
  overrides: ProfileOverrides = {},
): ReadProfile {
  const { document, lines, value } = readYaml(text, source)
  const written = isMap(document.contents)
    ? { name: stem(source), ...(value as object), ...overrides }
    : value
  const profile = checked(parsedProfile, written, { source, text: { document, lines } })
  return { written: written as WrittenProfile, profile }
}

/** Checks a profile that a program has written. Throws UserError with every mistake. */
export function checkProfile(written: WrittenProfile, source: string): ReadProfile {
  return { written, profile: checked(parsedProfile, written, { source, text: null }) }
}

/** Checks faults that a program has written. Throws UserError with every mistake. */
export function checkFaults(written: readonly WrittenFault[], source: string): Fault[] {
  return checked(faults, written, { source, text: null })
}

/** Checks one script or a list of them, as `checkFaults` checks faults. */
export function checkScripts(
  written: WrittenScript | readonly WrittenScript[],
  taskIds: readonly string[],
): ScriptProfile[] {
  const schema = scriptsFor(taskIds, Array.isArray(written))
  return checked(schema, written, { source: 'script', text: null })
}

/** Parses one script or a list of them, as `parseProfileText` parses a profile. */
export function parseScripts(
  text: string,
  source: string,
  taskIds: readonly string[],
): ScriptProfile[] {
  const { document, lines, value } = readYaml(text, source)
  const schema = scriptsFor(taskIds, isSeq(document.contents))
  return checked(schema, value, { source, text: { document, lines } })
}

/** Parses one fault or a list of them, as `parseProfileText` parses a profile. */
export function parseFaults(text: string, source: string): Fault[] {
  const { document, lines, value } = readYaml(text, source)
  const schema = isSeq(document.contents) ? faults : oneFault
  return checked(schema, value, { source, text: { document, lines } })
}

function readYaml(text: string, source: string) {
  checkSize(text, source)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) throw new UserError(syntaxMistakes(document, source, lines))
  return { document, lines, value: plainValue(document, source) }
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  written: unknown,
  place: Omit<WrittenFile, 'schema'>,
): z.output<Schema> {
  const result = schema.safeParse(written, { error: () => NOT_OURS })
  if (result.success) return result.data
  const mistakes = mistakesOf(result.error.issues, written, { ...place, schema })
  assert(mistakes.length > 0, 'a rejected text has at least one mistake')
  throw new UserError(mistakes)
}

/**
 * Maximum number of YAML lexemes; the longest shipped profile has 1,751. Some later steps take time
 * quadratic in their number.
 */
const MOST_LEXEMES = 10_000

function checkSize(text: string, source: string): void {
  let lexemes = 0
  for (const _ of new Lexer().lex(text)) {
    if (++lexemes <= MOST_LEXEMES) continue
    const problem = `is too long: more than ${MOST_LEXEMES} YAML tokens`
    throw new UserError({ source, problem })
  }
}

/** The most duplicate keys that are reported. */
const SYNTAX_MISTAKES_SHOWN = 10

function syntaxMistakes({ errors }: Document, source: string, lines: LineCounter): Mistake[] {
  const slip = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  // Later parser errors are usually consequences of the first.
  const all = errors.filter((error) => error.code === 'DUPLICATE_KEY' || error === slip)
  const mistakes = all.slice(0, SYNTAX_MISTAKES_SHOWN).map((error): Mistake => {
    const { line, col: column } = lines.linePos(error.pos[0])
    return { source, line, column, problem: syntaxWords(error) }
  })
  const more = all.length - mistakes.length
  return more === 0 ? mistakes : [...mistakes, untold(more, source)]
}

const INDENTATION =
  'the indentation of this line or the next is wrong: keys of a group begin at ' +
  'one column, with spaces'

/** The parser's codes as messages for a profile's author. */
function syntaxWords({ code, message }: YAMLParseError): string {
  switch (code) {
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return message.startsWith('Flow')
        ? 'a bracket opened before this line is not closed'
        : INDENTATION
    case 'TAB_AS_INDENT':
      return 'a tab: YAML is indented with spaces'
    case 'MULTILINE_IMPLICIT_KEY':
      return 'expected "key: value"; a colon is missing, or the indentation does not fit'
    case 'MISSING_CHAR':
      if (message.startsWith('Sequence item')) return INDENTATION
      return message.includes('quote') ? 'a quotation mark is not closed' : `not YAML: ${message}`
    case 'DUPLICATE_KEY':
      return 'duplicate key'
    case 'BAD_SCALAR_START':
      return `a value that begins like this needs quotation marks (${message})`
    default:
      return `not YAML: ${message}`
  }
}

/** Aliases are resolved, up to yaml's own limit against an "alias bomb". */
function plainValue(document: Document, source: string): unknown {
  try {
    return document.toJS() as unknown
  } catch (error) {
    const problem = `not readable: ${messageOf(error)}`
    throw new UserError({ source, problem })
  }
}

/** `profiles/busy.yaml` is called `busy`. */
function stem(source: string): string {
  const file = source.split(/[/\\]/).at(-1) ?? source
  return file.replace(/\.ya?ml$/, '')
}
