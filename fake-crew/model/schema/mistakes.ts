/**
 * Turns what the schema rejects into messages for people: which key, at which line and column, what
 * was found and what is allowed.
 */
import { isMap, isNode, isScalar, isSeq } from 'yaml'
import type { Document, LineCounter } from 'yaml'
import { z } from 'zod'
import type { Mistake } from '../../../src/base/mistakes.ts'
import { nearestName } from '../../../src/base/mistakes.ts'

type Issue = z.core.$ZodIssue
type KeyPath = readonly PropertyKey[]
type PlacedMistake = Omit<Mistake, 'source' | 'line' | 'column'> & { at: KeyPath }

const FOUND_CHARACTERS = 60

/** The author's input, and the schema that rejected it. */
export interface WrittenFile {
  source: string
  /** Null for values that are not from a text. */
  text: { document: Document; lines: LineCounter } | null
  schema: z.ZodType
}

/** The most mistakes that are reported; beyond that, only their number is. */
const MISTAKES_SHOWN = 100

/**
 * One message per mistake, in the order of the file, and the number beyond the first hundred.
 * `source` names the file.
 */
export function mistakesOf(
  issues: readonly Issue[],
  written: unknown,
  { source, text, schema }: WrittenFile,
): Mistake[] {
  const { kept, more } = firstOf(issues)
  const found = kept.flatMap((issue) => faults(issue, { written, schema }))
  const mistakes =
    text === null ? found.map((each) => placed(each, source)) : inOrder(found, source, text)
  return more === 0 ? mistakes : [...mistakes, untold(more, source)]
}

function inOrder(
  found: readonly PlacedMistake[],
  source: string,
  { document, lines }: NonNullable<WrittenFile['text']>,
): Mistake[] {
  return found
    .map((fault) => ({ fault, offset: offsetOf(document, fault.at) }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ fault, offset }) => {
      const { line, col: column } = lines.linePos(offset)
      return Object.assign(placed(fault, source), { line, column })
    })
}

function placed({ at: _at, ...mistake }: PlacedMistake, source: string): Mistake {
  return Object.assign(mistake, { source })
}

export function untold(more: number, source: string): Mistake {
  return { source, problem: `${more} more mistakes` }
}

/**
 * Takes as many issues as are reported: an issue counts once, or once for each key that it names.
 */
function firstOf(issues: readonly Issue[]): { kept: Issue[]; more: number } {
  const kept: Issue[] = []
  let left = MISTAKES_SHOWN
  let more = 0
  for (const issue of issues) {
    const count = issue.code === 'unrecognized_keys' ? issue.keys.length : 1
    if (left > 0) kept.push(issue.code === 'unrecognized_keys' ? withKeys(issue, left) : issue)
    more += Math.max(0, count - left)
    left = Math.max(0, left - count)
  }
  return { kept, more }
}

function withKeys(issue: z.core.$ZodIssueUnrecognizedKeys, most: number): Issue {
  return { ...issue, keys: issue.keys.slice(0, most) }
}

/** An unknown key, a union's closest branch, or one wrong value. */
function faults(issue: Issue, refused: RefusedKey, base: KeyPath = []): PlacedMistake[] {
  const path = [...base, ...issue.path]
  const known = knownKeys(path, refused.schema)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...path, key], key, known))
  }
  const inner = issue.code === 'invalid_union' ? closestBranch(issue.errors) : []
  if (inner.length > 0) return inner.flatMap((deeper) => faults(deeper, refused, path))
  const found = describe(valueAt(refused.written, path))
  return [{ at: path, path: pathText(path), problem: problemOf(issue, known), found }]
}

interface RefusedKey {
  written: unknown
  schema: z.ZodType
}

function unknownKey(at: KeyPath, key: string, known: readonly string[]): PlacedMistake {
  const nearest = nearestName(key, known)
  return {
    at,
    path: pathText(at),
    problem: `unknown key; allowed: ${known.join(', ')}`,
    ...(nearest === undefined ? {} : { nearest }),
  }
}

/**
 * The branch that the author meant: the one whose mistakes lie inside the value. Empty if none
 * fits.
 */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const inside = (issues: readonly Issue[]): boolean =>
    issues.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys')
  return branches.find(inside) ?? []
}

/** The message of an issue for which our schema has none: they concern whole mappings. */
export const NOT_OURS = 'expected another value'

function problemOf({ message }: Issue, known: readonly string[]): string {
  const isOurs = message !== NOT_OURS
  return isOurs || known.length === 0 ? message : `expected a mapping of ${known.join(', ')}`
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  anyOf?: SchemaNode[]
  oneOf?: SchemaNode[]
}

/** Built at a schema's first mistake, then cached. */
const published = new WeakMap<z.ZodType, SchemaNode>()

function publishedOf(schema: z.ZodType): SchemaNode {
  const known = published.get(schema)
  if (known !== undefined) return known
  const made = z.toJSONSchema(schema, { io: 'input' }) as SchemaNode
  published.set(schema, made)
  return made
}

/** The keys that the published schema allows at a path; none if it holds no mapping. */
function knownKeys(path: KeyPath, schema: z.ZodType): string[] {
  let node: SchemaNode | undefined = publishedOf(schema)
  for (const step of path) {
    const branches = branchesOf(node)
    node =
      typeof step === 'number'
        ? branches.find(({ items }) => items !== undefined)?.items
        : mappingOf(branches)?.[String(step)]
  }
  return Object.keys(mappingOf(branchesOf(node)) ?? {})
}

/** The keys of the first mapping. */
function mappingOf(branches: readonly SchemaNode[]): SchemaNode['properties'] {
  return branches.find(({ properties }) => properties !== undefined)?.properties
}

function branchesOf(node: SchemaNode | undefined): SchemaNode[] {
  if (node === undefined) return []
  const inner = node.anyOf ?? node.oneOf
  return inner === undefined ? [node] : inner.flatMap(branchesOf)
}

/**
 * The position of the key at `path` (or of the list entry); for a missing key, that of the
 * enclosing mapping.
 */
function offsetOf(document: Document, path: KeyPath): number {
  let node: unknown = document.contents
  let offset = 0
  for (const step of path) {
    const place = isMap(node) ? node.items.find(({ key }) => keyOf(key) === step) : undefined
    const entry = isSeq(node) ? node.items[Number(step)] : undefined
    const marker = place?.key ?? entry
    if (!isNode(marker)) break
    offset = marker.range?.[0] ?? offset
    node = place?.value ?? entry
  }
  return offset
}

function keyOf(key: unknown): unknown {
  return isScalar(key) ? String(key.value) : key
}

function valueAt(written: unknown, path: KeyPath): unknown {
  let value = written
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}

/** `tasks[0].duration.lognormal.p95` */
function pathText(path: KeyPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' && typeof value !== 'boolean') return `a ${typeof value}`
  const text = JSON.stringify(value)
  return text.length <= FOUND_CHARACTERS ? text : `${text.slice(0, FOUND_CHARACTERS)}...`
}
