/**
 * Reads how long an answer asks the client to wait: from `Retry-After`, the RateLimit fields of
 * every draft, and the headers that products send instead of them.
 */
import { MICROS_PER_SECOND } from '../base/units.ts'
import type { Micros } from '../base/units.ts'
import { parseHttpDate } from './http-date.ts'
import { plainNumber, secondsUntil } from './reset.ts'

type Headers = Readonly<Record<string, string>>

/** A longer field is ignored: the longest that products send have a few hundred characters. */
const MAX_FIELD_LENGTH = 4_096

/** A longer wait is implausible and limited to this: a day. */
export const MAX_WAIT_MICROS = 86_400 * MICROS_PER_SECOND

/**
 * Microseconds to wait from the last byte of the answer, 0 to `MAX_WAIT_MICROS`; null if the answer
 * does not ask for a wait. `Retry-After` (RFC 9110 section 10.2.3) takes precedence over
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers), which takes precedence over all other fields.
 * Only exhausted quotas ask for a wait; of several, the longest counts. Times are recognised by
 * their format (`secondsUntil`).
 */
export function askedWaitMicros(headers: Headers): Micros | null {
  return asMicros(
    retryAfterSeconds(headers) ??
      rateLimitSeconds(headers['ratelimit'], headers['date']) ??
      quotaSeconds(headers),
  )
}

/**
 * Gives what `askedWaitMicros` gives from `Retry-After` alone: for an answer whose quotas belong to
 * another operation.
 */
export function retryAfterMicros(headers: Headers): Micros | null {
  return asMicros(retryAfterSeconds(headers))
}

/**
 * Whether `Retry-After` has a form that RFC 9110 section 10.2.3 allows: whole seconds, or an HTTP
 * date.
 */
export function isStandardRetryAfter(text: string): boolean {
  return /^\d+$/.test(text.trim()) || parseHttpDate(text) !== undefined
}

/**
 * The headers, with a `Date` where they have none: a date in `Retry-After` then counts from
 * `unixMs`, when the answer came by the clock of this machine.
 */
export function datedHeaders(headers: Headers, unixMs: number): Headers {
  if (headers['date'] !== undefined || headers['retry-after'] === undefined) return headers
  return { ...headers, date: new Date(unixMs).toUTCString() }
}

function asMicros(seconds: number | null): Micros | null {
  if (seconds === null) return null
  return Math.min(Math.ceil(seconds * MICROS_PER_SECOND), MAX_WAIT_MICROS)
}

/**
 * Whole seconds or a date, and other formats in use: fractions (rate-limiter-flexible), durations.
 * Repeated fields: the longest counts.
 */
function retryAfterSeconds({ 'retry-after': text, date }: Headers): number | null {
  return isReadable(text) ? longest(times(text, date)) : null
}

/**
 * Draft -08 and later `"default";r=0;t=30, ...`, and draft -07 `limit=2, remaining=0, reset=60`.
 * Malformed fields are ignored.
 */
function rateLimitSeconds(field: string | undefined, date: string | undefined): number | null {
  if (!isReadable(field)) return null
  const items = withoutStrings(field).split(',').map(parameters)
  const drafted = items.filter(({ r }) => plainNumber(r) === 0)
  if (drafted.length > 0) return longest(drafted.map(({ t = '' }) => secondsUntil(t, date)))
  const joined: Parameters = Object.assign({}, ...items) as Parameters
  return plainNumber(joined['remaining']) === 0 ? secondsUntil(joined['reset'] ?? '', date) : null
}

/**
 * Fields that each describe one quota, what is left of it and when it is restored: drafts -03 to
 * -06 and Kong; GitHub, Fastify, Envoy and express; OpenAI; Anthropic. This runs on every answer:
 * property names in the code are looked up twenty times as fast as those of a list.
 */
function quotaSeconds(headers: Headers): number | null {
  const { date } = headers
  const drafted = exhaustedSeconds(headers['ratelimit-remaining'], headers['ratelimit-reset'], date)
  const legacy = exhaustedSeconds(
    headers['x-ratelimit-remaining'],
    headers['x-ratelimit-reset'],
    date,
  )
  const requests = exhaustedSeconds(
    headers['x-ratelimit-remaining-requests'],
    headers['x-ratelimit-reset-requests'],
    date,
  )
  const tokens = exhaustedSeconds(
    headers['x-ratelimit-remaining-tokens'],
    headers['x-ratelimit-reset-tokens'],
    date,
  )
  const anthropicRequests = exhaustedSeconds(
    headers['anthropic-ratelimit-requests-remaining'],
    headers['anthropic-ratelimit-requests-reset'],
    date,
  )
  const anthropicTokens = exhaustedSeconds(
    headers['anthropic-ratelimit-tokens-remaining'],
    headers['anthropic-ratelimit-tokens-reset'],
    date,
  )
  return later(
    later(later(drafted, legacy), later(requests, tokens)),
    later(anthropicRequests, anthropicTokens),
  )
}

/** If several proxies have written a field, each holds a list in the same order. */
function exhaustedSeconds(
  left: string | undefined,
  resets: string | undefined,
  date: string | undefined,
): number | null {
  if (!isReadable(left) || !isReadable(resets)) return null
  const seconds = times(resets, date)
  return longest(left.split(',').map((one, i) => (plainNumber(one) === 0 ? seconds[i] : null)))
}

function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH
}

/** One value, or a list; an HTTP date contains a comma itself. */
function times(text: string, date: string | undefined): (number | null)[] {
  const parts = text.split(/,(?! \d\d[ -]\w{3}[ -])/)
  return parts.map((part) => secondsUntil(part, date))
}

type Parameters = Record<string, string>

function parameters(item: string): Parameters {
  const found: Parameters = {}
  for (const part of item.split(';')) {
    const [name = '', value = ''] = part.split('=', 2)
    found[name.trim().toLowerCase()] = value.trim()
  }
  return found
}

/**
 * Quoted strings may contain commas and semicolons; only their position matters here. An unclosed
 * one extends to the end: no match attempt fails, so that the time is linear in the length.
 */
function withoutStrings(field: string): string {
  return field.replace(/"(?:[^"\\]|\\.?)*(?:"|$)/gs, '')
}

function longest(seconds: readonly (number | null | undefined)[]): number | null {
  return seconds.reduce<number | null>((most, one) => later(most, one ?? null), null)
}

function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a
}
