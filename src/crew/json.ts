/** Parses untrusted JSON safely and reads its fields leniently. */

export type JsonObject = Readonly<Record<string, unknown>>

export type ParsedJson =
  | { ok: true; value: unknown }
  | { ok: false; fault: 'not-json' | 'wrong-shape' }

/**
 * Arrays and objects nested more deeply are not parsed: no answer of the interface exceeds 10
 * levels, recursive parsers run out of stack, and a body of 10 MB of `[` would become several
 * hundred MB of arrays.
 */
export const MAX_DEPTH = 500

/**
 * `JSON.parse` without exceptions; of duplicate keys the last counts. A body nested deeper than
 * `MAX_DEPTH` is `wrong-shape`.
 */
export function parseJson(text: string): ParsedJson {
  if (isTooDeep(text)) return { ok: false, fault: 'wrong-shape' }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false, fault: 'not-json' }
  }
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

/** An object that is no array. */
export function isObject(value: unknown): value is JsonObject {
  return asObject(value) !== undefined
}

/** A finite number, also one written as a string (`"12.5"`); null for anything else. */
export function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Text unchanged, any other value as its JSON; null for null and missing values. */
export function asTextOrJson(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Counts brackets outside strings; most answers are shorter than the limit and are not scanned. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) i = endOfString(text, i)
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) depth++
    else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/**
 * The position of the quote that closes the string opened at `start`; the text's end if none does.
 */
function endOfString(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote
  }
  return text.length
}

/** `application/json`, with or without parameters, and the `+json` types. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json; charset=utf-8') return true
  if (contentType === 'application/json') return true
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType?.trim() ?? '')
}
