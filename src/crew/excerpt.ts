/**
 * A short piece of untrusted text, safe to print: one line, no control characters, no credentials.
 */
import { visibleLine } from '../base/visible.ts'

export const EXCERPT_LENGTH = 200

/** `Bearer` and what follows, except the phrase "bearer token" in error messages. */
const BEARER = /\b(bearer)\s+(?!tokens?\b)[^\s"',;}]+/gi
/**
 * `authorization: ...` and `token=...`, also as JSON; the rule above handles `Bearer` after them.
 */
const NAMED =
  /\b(authorization|(?:access_?)?token)(["']?\s*[:=]\s*["']?)(?!bearer\b)(?:basic\s+)?[^\s"',;}]+/gi

/** A single word of these characters has nothing to hide: most kept texts are task ids. */
const PLAIN_WORD = /^[\w.-]+$/

/**
 * At most `length` UTF-16 units; a shortened text ends in `…`. What follows `Bearer`, `token=` or
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

/** `excerpt` of a value's JSON: `"3"`, `null`, `missing` for undefined. */
export function excerptOf(value: unknown): string {
  if (typeof value === 'string') return excerpt(JSON.stringify(value.slice(0, 2 * EXCERPT_LENGTH)))
  return value === undefined ? 'missing' : excerpt(JSON.stringify(value))
}

function withoutHalfPair(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
