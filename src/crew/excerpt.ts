/**
 * A short piece of what a stranger wrote, safe to print: one line, nothing that acts, no
 * credentials.
 */
import { visibleLine } from '../base/visible.ts'

export const EXCERPT_LENGTH = 200

/** `Bearer` and what follows, but for the phrase "bearer token" of error messages. */
const BEARER = /\b(bearer)\s+(?!tokens?\b)[^\s"',;}]+/gi
/** `authorization: ...` and `token=...`, also as JSON; `Bearer` after them is the rule above. */
const NAMED =
  /\b(authorization|(?:access_?)?token)(["']?\s*[:=]\s*["']?)(?!bearer\b)(?:basic\s+)?[^\s"',;}]+/gi

/** One word of these has nothing to hide: most that is kept of strangers is the id of a task. */
const PLAIN_WORD = /^[\w.-]+$/

/**
 * At most `length` UTF-16 units; what is cut ends in `…`. What follows `Bearer`, `token=` or
 * `authorization:` is hidden.
 */
export function excerpt(text: string, length = EXCERPT_LENGTH): string {
  if (text.length <= length && PLAIN_WORD.test(text)) return text
  const line = visibleLine(text.slice(0, 4 * length))
    .replace(BEARER, '$1 [hidden]')
    .replace(NAMED, '$1$2[hidden]')
  if (line.length <= length && text.length <= 4 * length) return line
  return `${withoutHalfPair(line.slice(0, length - 1))}…`
}

/** `excerpt` of a value's JSON: `"3"`, `null`, `missing` when undefined. */
export function excerptOf(value: unknown): string {
  if (typeof value === 'string') return excerpt(JSON.stringify(value.slice(0, 2 * EXCERPT_LENGTH)))
  return value === undefined ? 'missing' : excerpt(JSON.stringify(value))
}

function withoutHalfPair(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
