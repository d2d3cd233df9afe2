/** Writes a profile as YAML, with comments above the keys that they explain. */

/** Comments by path, such as `capacity.workers` or `tasks.0.duration`. */
export type Comments = ReadonlyMap<string, string>

/** The keys whose values are written on one line. */
const ON_ONE_LINE = new Set([
  'duration',
  'failure',
  'output',
  'overLimit',
  'delay',
  'workers',
  'quota',
  'slowdown',
  'kickoff',
  'status',
  'operations',
  'refusal',
  'tokenBucket',
  'leakyBucket',
  'fixedWindow',
  'slidingLog',
  'slidingCounter',
  'concurrency',
])

const COLUMNS = 98

export function yamlOf(
  value: Readonly<Record<string, unknown>>,
  comments: Comments,
  head: readonly string[],
): string {
  const lines = [...head.flatMap((text) => commentLines(text, '')), '']
  writeMap(lines, value, { indent: '', path: '', comments })
  return `${lines.join('\n')}\n`
}

interface YamlPlace {
  indent: string
  path: string
  comments: Comments
}

function writeMap(lines: string[], map: object, { indent, path, comments }: YamlPlace): void {
  let isFirst = true
  for (const [key, value] of Object.entries(map)) {
    const own = path === '' ? key : `${path}.${key}`
    if (path === '' && !isFirst && isBlock(key, value)) lines.push('')
    isFirst = false
    const comment = comments.get(own)
    if (comment !== undefined) lines.push(...commentLines(comment, indent))
    writeEntry(lines, [key, value], { indent, path: own, comments })
  }
}

function isBlock(key: string, value: unknown): boolean {
  return typeof value === 'object' && value !== null && !ON_ONE_LINE.has(key)
}

function writeEntry(
  lines: string[],
  [key, value]: readonly [string, unknown],
  { indent, path, comments }: YamlPlace,
): void {
  const inner = `${indent}  `
  if (!isBlock(key, value)) {
    lines.push(`${indent}${key}: ${flow(value)}`)
  } else if (Array.isArray(value)) {
    lines.push(`${indent}${key}:`)
    for (const [i, item] of value.entries()) {
      const at = `${path}.${i}`
      const comment = comments.get(at)
      if (comment !== undefined) lines.push(...commentLines(comment, inner))
      const from = lines.length
      writeMap(lines, item as object, { indent: `${inner}  `, path: at, comments })
      startItem(lines, from, inner)
    }
  } else {
    lines.push(`${indent}${key}:`)
    writeMap(lines, value as object, { indent: inner, path, comments })
  }
}

/** Puts the dash of a list item before its first line that is not a comment. */
function startItem(lines: string[], from: number, indent: string): void {
  const first = lines.findIndex((line, i) => i >= from && !line.trimStart().startsWith('#'))
  const line = lines[first]
  if (line !== undefined) lines[first] = `${indent}- ${line.trimStart()}`
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => `${key}: ${flow(each)}`)
    return `{ ${entries.join(', ')} }`
  }
  return typeof value === 'string' ? scalar(value) : String(value)
}

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i
const PLAIN = /^[A-Za-z][\w-]*$/
const QUANTITY = /^(?:0|\d+(?:\.\d+)?(?:us|ms|s|m|h|%|B|kB))$/

/** Writes a string as JSON, which is valid YAML. */
function scalar(text: string): string {
  if (QUANTITY.test(text) || (PLAIN.test(text) && !RESERVED.test(text))) return text
  return JSON.stringify(text)
}

function commentLines(text: string, indent: string): string[] {
  const lines: string[] = []
  let line = `${indent}#`
  for (const word of text.replaceAll(/\s+/g, ' ').split(' ')) {
    if (line.length + 1 + word.length > COLUMNS && line !== `${indent}#`) {
      lines.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
