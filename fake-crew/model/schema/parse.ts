/**
 * Converts the YAML text of a profile, or of faults, to what the model reads, or reports every
 * mistake with its line and column.
 */
import { Lexer, LineCounter, isMap, isSeq, parseDocument } from 'yaml'
import type { Document, YAMLParseError } from 'yaml'
import type { z } from 'zod'
import { assert, unreachable } from '../../../src/base/assert.ts'
import type { Mistake } from '../../../src/base/mistakes.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import type { Fault } from '../faults/fault.ts'
import type { Profile, ColdStartProfile } from '../profile.ts'
import { faults, oneFault } from './fault.ts'
import { mistakesOf, untold } from './mistakes.ts'
import { writtenProfile } from './profile.ts'
import { completeProfile } from './complete-form/profile.ts'
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import { toLimits } from './limits.ts'
import type { WrittenProfile } from './profile.ts'

/**
 * Checks the YAML text of one profile and fills in its defaults. `source` is the file's name: it
 * appears in messages, and names a profile that does not name itself. Also accepts a profile in its
 * complete form, as the control returns it. Throws UserError with every mistake.
 */
export function parseProfile(text: string, source: string): Profile {
  const authored = writtenProfile.transform((written) => toProfile(written, stem(source)))
  return parse(text, source, (document) => (isWhole(document) ? completeProfile : authored))
}

/** Checks a profile in its complete form. Throws UserError with every mistake. */
export function checkProfile(profile: Profile, source: string): void {
  const checked = completeProfile.safeParse(profile)
  if (checked.success) return
  const file = { source, text: null, schema: completeProfile }
  throw new UserError(mistakesOf(checked.error.issues, profile, file))
}

/** Keyed by a key that an author writes differently: `stuck`. */
function isWhole({ contents }: Document): boolean {
  return isMap(contents) && contents.has('stuckChance' satisfies keyof Profile)
}

/** Parses one fault or a list of them, as `parseProfile` parses a profile. */
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
    throw new UserError({ source, path: '', problem })
  }
}

/** The most duplicate keys that are reported. */
const SYNTAX_MISTAKES_TOLD = 10

function syntaxMistakes({ errors }: Document, source: string, lines: LineCounter): Mistake[] {
  const slip = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  // Later parser errors are usually consequences of the first.
  const all = errors.filter((error) => error.code === 'DUPLICATE_KEY' || error === slip)
  const mistakes = all.slice(0, SYNTAX_MISTAKES_TOLD).map((error): Mistake => {
    const { line, col: column } = lines.linePos(error.pos[0])
    return { source, line, column, path: '', problem: syntaxWords(error) }
  })
  const more = all.length - mistakes.length
  return more === 0 ? mistakes : [...mistakes, untold(more, source)]
}

const INDENTATION =
  'the indentation of this line or the next is wrong: keys of one group begin at ' +
  'the same column, with spaces'

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
    const problem = `not readable: ${error instanceof Error ? error.message : String(error)}`
    throw new UserError({ source, path: '', problem })
  }
}

/** `profiles/busy.yaml` is called `busy`. */
function stem(source: string): string {
  const file = source.split(/[/\\]/).at(-1) ?? source
  return file.replace(/\.ya?ml$/, '')
}

/** Converts the validated input of a profile's author to the profile that the model reads. */
function toProfile(written: WrittenProfile, fallbackName: string): Profile {
  const { description, seed, speed, dialect, inputs, tasks, tokens } = written
  return {
    name: written.name ?? fallbackName,
    description,
    seed,
    speed,
    dialect,
    inputs,
    ...ofSomeCrews(written),
    tasks,
    overhead: written.overhead,
    stuckChance: written.stuck,
    capacity: toCapacity(written.capacity),
    http: { latency: written.http.latency, pool: written.http.pool ?? null },
    retentionMicros: written.retention,
    tokens,
    limits: toLimits(written.limits),
    faults: written.faults,
  }
}

function ofSomeCrews({ optionalInputs, paths, progress }: WrittenProfile) {
  return {
    ...(optionalInputs === undefined ? {} : { optionalInputs }),
    ...(paths === undefined ? {} : { paths }),
    ...(progress === undefined ? {} : { progress }),
  }
}

function toCapacity(written: WrittenProfile['capacity']): Profile['capacity'] {
  const { queueLimit, overLimit, coldStart } = written
  const { status, retryAfter } = overLimit
  return {
    ...toWorkers(written),
    queueLimit,
    overLimit: {
      status,
      retryAfterSeconds: retryAfter === null ? null : retryAfter / MICROS_PER_SECOND,
    },
    coldStart: coldStart === undefined ? null : toColdStart(coldStart),
    ...toShared(written),
  }
}

function toWorkers({
  workers,
}: WrittenProfile['capacity']): Pick<Profile['capacity'], 'workers' | 'scaling'> {
  if (workers === null || typeof workers === 'number') return { workers }
  const { from, to, upAfter, downAfter } = workers
  return {
    workers: from,
    scaling: { to, upAfterMicros: upAfter, downAfterMicros: downAfter },
  }
}

function toShared({ quota, tokens, slowdown }: WrittenProfile['capacity']) {
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(slowdown === undefined ? {} : { slowdown }),
  }
}

function toColdStart({
  delay,
  idle,
  requests,
  refusal,
}: NonNullable<WrittenProfile['capacity']['coldStart']>): ColdStartProfile {
  const sleep = { delay, idleMicros: idle }
  switch (requests) {
    case 'at once':
      return sleep
    case 'late':
      return { ...sleep, requests: { kind: 'late' } }
    case 'refused': {
      const { status, retryAfter } = refusal
      const told = { status, retryAfter: retryAfter === 'seconds' }
      return { ...sleep, requests: { kind: 'refused', ...told } }
    }
    default:
      return unreachable(requests)
  }
}
