/** Reads a file that holds one JSON document, and checks it. */
import { isUtf8 } from 'node:buffer'
import { dirname } from 'node:path'
import type { z } from 'zod'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { toMistakes } from '../../scenario/schema/mistakes.ts'
import { openRegular, unreadable } from './regular.ts'

/** No document of ours is as large; a longer text would not fit into one string of V8. */
const MOST_BYTES = 256 * 1024 * 1024
const MOST_MISTAKES = 20

export interface DocumentDamage {
  /** What can be done about a file that is damaged, as the end of a sentence. */
  remedy?: string
}

/**
 * The document as `schema` gives it; null when there is no such file. Throws a UserError that names
 * the file for everything else.
 */
export async function readDocument<T>(
  path: string,
  schema: z.ZodType<T>,
  damage: DocumentDamage = {},
): Promise<T | null> {
  const bytes = await bytesOf(path, damage)
  if (bytes === null) return null
  return checked(jsonOf(bytes, { path, ...damage }), schema, { path, ...damage })
}

/** The whole file, which must be UTF-8; null when there is none. Throws as `readDocument`. */
export async function readText(path: string): Promise<string | null> {
  const bytes = await bytesOf(path, {})
  return bytes === null ? null : textOf(bytes, { path })
}

async function bytesOf(path: string, damage: DocumentDamage): Promise<Buffer | null> {
  const file = await openRegular(path)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    if (size > MOST_BYTES) throw damaged('it is larger than any of ours', { path, ...damage })
    return await file.readFile()
  } catch (error) {
    throw unreadable(path, error)
  } finally {
    await file.close()
  }
}

/** The place of a value: a file, or a line of it. */
export interface DocumentPlace extends DocumentDamage {
  path: string
  /** 1-based, in a file of lines. */
  line?: number
}

function textOf(bytes: Buffer, place: DocumentPlace): string {
  if (!isUtf8(bytes)) throw damaged('it is not UTF-8 text', place)
  const text = bytes.toString('utf8')
  if (text.startsWith(LFS_POINTER)) {
    throw new UserError({ source: place.path, problem: LFS_PROBLEM })
  }
  return text
}

/** The first line of a pointer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n'

const LFS_PROBLEM =
  'is a Git LFS pointer in place of the file. "git lfs pull" fetches it (in CI, check out with LFS)'

/** Throws a UserError. */
export function jsonOf(bytes: Buffer, place: DocumentPlace): unknown {
  const text = textOf(bytes, place)
  if (text.trim() === '') throw damaged('it is empty', place)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(`it is not JSON (${(error as Error).message})`, place)
  }
}

/** Throws a UserError with the first mistakes. */
export function checked<T>(value: unknown, schema: z.ZodType<T>, place: DocumentPlace): T {
  const { success, data, error } = schema.safeParse(value, { error: expectation })
  if (success) return data
  const other = error.issues.flatMap((issue) =>
    issue.code === 'invalid_value' && issue.path.join('.') === 'schema'
      ? (otherVersion(value, String(issue.values[0]), place.path) ?? ofMix(value, place.path) ?? [])
      : [],
  )
  if (other.length > 0) throw new UserError(other)
  const first = toMistakes(error.issues, value, place.path).slice(0, MOST_MISTAKES)
  throw new UserError(
    first.map((mistake) => Object.assign(mistake, damagedBy(mistake.problem, place))),
  )
}

/** In the words of our messages; undefined leaves an issue to the schema's own. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `expected ${NOUNS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_union') return 'expected another value'
  if (issue.code !== 'invalid_value') return undefined
  return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
}

const NOUNS: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

/** A result of several scenarios in place of that of one; null for any other value. */
function ofMix(value: unknown, source: string): Mistake | null {
  const { schema, parts } = (value ?? {}) as { schema?: unknown; parts?: unknown }
  if (schema !== 'crewload/mix/1' || !Array.isArray(parts)) return null
  const names = parts.map((each) => String((each as { part?: unknown } | null)?.part))
  const first = `${dirname(source)}/${names[0]}`
  const problem = `holds the results of a mix (${names.join(', ')}): expected one of them, like ${first}`
  return { source, problem }
}

/**
 * What is wrong with a value that follows another number of the schema `ours`, `crewload/result/1`;
 * null for any other value.
 */
export function otherVersion(value: unknown, ours: string, source: string): Mistake | null {
  const found = (value as { schema?: unknown } | null | undefined)?.schema
  if (typeof found !== 'string' || found === ours) return null
  const name = ours.slice(0, ours.lastIndexOf('/') + 1)
  if (!found.startsWith(name) || !/^\d+$/.test(found.slice(name.length))) return null
  const problem = `this version of crewload reads ${ours}: use the version that wrote it`
  return { source, path: 'schema', found, problem }
}

function damaged(why: string, place: DocumentPlace): UserError {
  return new UserError({ source: place.path, ...damagedBy(why, place) })
}

function damagedBy(
  why: string,
  { line, remedy }: DocumentPlace,
): Pick<Mistake, 'line' | 'problem'> {
  const problem = `the file is damaged: ${why}${remedy === undefined ? '' : `; ${remedy}`}`
  return line === undefined ? { problem } : { line, problem }
}
