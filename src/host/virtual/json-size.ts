/** An upper bound for the length of a value's JSON text, without building it. */

/** `-1.7976931348623157e+308`, and the comma after it. */
const LONGEST_NUMBER = 25
/** `\u001f`: the longest form of one UTF-16 unit; in UTF-8 it is three bytes. */
const LONGEST_UNIT = 6
/** Quotes, colon and comma, or brackets. */
const AROUND = 4

/**
 * At most the bytes of `JSON.stringify(value)` in UTF-8; the actual text is at least a sixth of it,
 * apart from its numbers.
 */
export function mostJsonBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * LONGEST_UNIT + AROUND
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER
  let bytes = AROUND
  for (const key in value) {
    bytes += key.length * LONGEST_UNIT + AROUND
    bytes += mostJsonBytes((value as Record<string, unknown>)[key])
  }
  return bytes
}
