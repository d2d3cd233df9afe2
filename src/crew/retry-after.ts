/** How long an answer asks us to wait: `Retry-After`, the RateLimit fields, and `X-RateLimit-*`. */
import { MICROS_PER_SECOND } from '../units.ts'
import type { Micros } from '../units.ts'
import { parseHttpDate } from './http-date.ts'

type Headers = Readonly<Record<string, string>>

/** A longer wait is not believed, and cut to this: a day. */
export const MAX_WAIT_MICROS = 86_400 * MICROS_PER_SECOND

/**
 * Microseconds to wait from the last byte of the answer, 0 to `MAX_WAIT_MICROS`; null when the answer does not ask. `Retry-After` (RFC 9110
 * section 10.2.3) goes before the RateLimit fields (draft-ietf-httpapi-ratelimit-headers), those before `X-RateLimit-*`; of the latter two
 * only an exhausted quota asks. Points in time are compared with the answer's own `Date`: its clock is not ours.
 */
export function askedWaitMicros(headers: Headers): Micros | null {
  const seconds =
    retryAfterSeconds(headers) ??
    rateLimitSeconds(headers['ratelimit']) ??
    draftFieldsSeconds(headers) ??
    legacyFieldsSeconds(headers)
  return asMicros(seconds)
}

/** As `askedWaitMicros`, from `Retry-After` alone: for an answer whose quotas are another operation's. */
export function retryAfterMicros(headers: Headers): Micros | null {
  return asMicros(retryAfterSeconds(headers))
}

function asMicros(seconds: number | null): Micros | null {
  if (seconds === null) return null
  return Math.min(Math.ceil(seconds * MICROS_PER_SECOND), MAX_WAIT_MICROS)
}

/** Whole seconds, illegal fractions (rate-limiter-flexible sends them), or a date. Repeated fields: the longest counts. */
function retryAfterSeconds(headers: Headers): number | null {
  const text = headers['retry-after']
  if (text === undefined) return null
  const at = parseHttpDate(text)
  return at === undefined ? longest(text.split(',').map(plainNumber)) : secondsUntil(at, headers)
}

/** Draft -08 and later `"default";r=0;t=30, ...`, and draft -07 `limit=2, remaining=0, reset=60`. Malformed fields are ignored. */
function rateLimitSeconds(field: string | undefined): number | null {
  if (field === undefined) return null
  const items = withoutStrings(field).split(',').map(parameters)
  const drafted = items.filter((item) => item['r'] === 0).map((item) => item['t'] ?? null)
  if (drafted.length > 0) return longest(drafted)
  const joined: Parameters = Object.assign({}, ...items) as Parameters
  return joined['remaining'] === 0 ? (joined['reset'] ?? null) : null
}

/** Drafts -03 to -06: `RateLimit-Remaining: 0` and `RateLimit-Reset: 60`, always a delta. */
function draftFieldsSeconds(headers: Headers): number | null {
  return plainNumber(headers['ratelimit-remaining']) === 0
    ? plainNumber(headers['ratelimit-reset'])
    : null
}

/** `X-RateLimit-Reset` by its shape: from 1e12 Unix milliseconds, from 1e9 Unix seconds, else a delta. */
function legacyFieldsSeconds(headers: Headers): number | null {
  if (plainNumber(headers['x-ratelimit-remaining']) !== 0) return null
  const reset = plainNumber(headers['x-ratelimit-reset'])
  if (reset === null || reset < 1e9) return reset
  return secondsUntil(reset < 1e12 ? reset * 1_000 : reset, headers)
}

function secondsUntil(unixMs: number, headers: Headers): number | null {
  const nowUnixMs = parseHttpDate(headers['date'] ?? '')
  return nowUnixMs === undefined ? null : Math.max(0, (unixMs - nowUnixMs) / 1_000)
}

type Parameters = Record<string, number>

function parameters(item: string): Parameters {
  const found: Parameters = {}
  for (const part of item.split(';')) {
    const [name = '', value] = part.split('=', 2)
    const number = plainNumber(value)
    if (number !== null) found[name.trim().toLowerCase()] = number
  }
  return found
}

/** Quoted strings may hold commas and semicolons; only their place matters here. */
function withoutStrings(field: string): string {
  return field.replace(/"(?:[^"\\]|\\.)*"/g, '')
}

/** A decimal without sign or exponent; null for anything else. */
function plainNumber(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(text) ? Number(text) : null
}

function longest(seconds: readonly (number | null)[]): number | null {
  const known = seconds.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}
