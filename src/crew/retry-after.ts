/**
 * Reads how long an answer asks the client to wait: from `Retry-After`, the RateLimit fields of
 * every draft, and the headers that products send instead of them.
 */
import { MICROS_PER_SECOND } from '../base/units.ts'
import type { Micros } from '../base/units.ts'
import { excerptOf } from './excerpt.ts'
import type { AnswerClock } from './header-times.ts'
import { isHttpDate, plainNumber, secondsUntil } from './header-times.ts'

type AnswerHeaders = Readonly<Record<string, string>>

/** A longer field is ignored: the longest that products send have a few hundred characters. */
const MAX_FIELD_LENGTH = 4_096

const MS_PER_SECOND = 1_000

/** A longer wait is implausible and limited to this: a day. */
export const MAX_WAIT_MICROS = 86_400 * MICROS_PER_SECOND

/** Our wall clock when the answer came, Unix milliseconds: for an answer without a `Date`. */
type WallClock = () => number

/**
 * Microseconds to wait from the last byte of the answer, 0 to `MAX_WAIT_MICROS`; null if the answer
 * does not ask for a wait. `Retry-After` (RFC 9110 section 10.2.3), in milliseconds if the answer
 * says so too, takes precedence over `RateLimit` (draft-ietf-httpapi-ratelimit-headers), which
 * takes precedence over all other fields. Only exhausted quotas ask for a wait; of several, the
 * longest counts. Times are recognised by their format (`secondsUntil`).
 */
export function askedWaitMicros(headers: AnswerHeaders, unixMs?: WallClock): Micros | null {
  return asMicros(
    retryAfterSeconds(headers, unixMs) ??
      rateLimitSeconds(headers, unixMs) ??
      quotaSeconds(headers, unixMs),
  )
}

/**
 * Gives what `askedWaitMicros` gives from `Retry-After` alone: for an answer whose quotas belong to
 * another operation.
 */
export function retryAfterMicros(headers: AnswerHeaders, unixMs?: WallClock): Micros | null {
  return asMicros(retryAfterSeconds(headers, unixMs))
}

/**
 * Whether `Retry-After` has a form that RFC 9110 section 10.2.3 allows: whole seconds, or an HTTP
 * date.
 */
export function isStandardRetryAfter(text: string): boolean {
  return /^\d+$/.test(text.trim()) || isHttpDate(text)
}

/** Whether the answer asks for a wait at all, whatever the time is. */
export function asksToWait(headers: AnswerHeaders): boolean {
  return (askedWaitMicros(headers, () => 0) ?? 0) > 0
}

/** A field that asks for a wait which nobody can read, as it came; undefined if there is none. */
export function unreadableWait(headers: AnswerHeaders): string | undefined {
  const name = WAIT_FIELDS.find((field) => headers[field] !== undefined)
  if (name === undefined || retryAfterSeconds(headers, () => 0) !== null) return undefined
  return `${name}: ${excerptOf(headers[name])}`
}

/** Whether the wait is asked for by itself, and not by a quota. */
export function asksByField(headers: AnswerHeaders): boolean {
  return WAIT_FIELDS.some((field) => headers[field] !== undefined)
}

/** Whether a quota says that nothing of it remains, with or without when it is restored. */
export function isExhausted(headers: AnswerHeaders): boolean {
  const { ratelimit } = headers
  const items = isReadable(ratelimit) ? withoutStrings(ratelimit).split(',').map(parameters) : []
  const drafted = items.some(({ r, remaining }) => plainNumber(r ?? remaining) === 0)
  return drafted || REMAINING_FIELDS.some((field) => isNothing(headers[field]))
}

const REMAINING_FIELDS = [
  'ratelimit-remaining',
  'x-ratelimit-remaining',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-tokens-remaining',
]

function isNothing(field: string | undefined): boolean {
  return isReadable(field) && field.split(',').some((one) => plainNumber(one) === 0)
}

/**
 * The headers, with a `Date` where they have none: a date in `Retry-After` then counts from
 * `unixMs`, when the answer came by the clock of this machine.
 */
export function datedHeaders(headers: AnswerHeaders, unixMs: number): AnswerHeaders {
  if (headers['date'] !== undefined || headers['retry-after'] === undefined) return headers
  return { ...headers, date: new Date(unixMs).toUTCString() }
}

function asMicros(seconds: number | null): Micros | null {
  if (seconds === null) return null
  return Math.min(Math.ceil(seconds * MICROS_PER_SECOND), MAX_WAIT_MICROS)
}

/** The most exact first: those in milliseconds are of Azure and OpenAI. */
const WAIT_FIELDS = ['retry-after-ms', 'x-ms-retry-after-ms', 'retry-after']

/**
 * Whole seconds or a date, and other formats in use: fractions (rate-limiter-flexible), durations,
 * milliseconds under another name. Repeated fields: the longest counts.
 */
function retryAfterSeconds(headers: AnswerHeaders, unixMs: WallClock | undefined): number | null {
  const exact = headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms']
  const milliseconds = isReadable(exact) ? longest(exact.split(',').map(plainNumber)) : null
  if (milliseconds !== null) return milliseconds / MS_PER_SECOND
  const text = headers['retry-after']
  return isReadable(text) ? longest(times(text, { date: headers['date'], unixMs })) : null
}

/**
 * Draft -08 and later `"default";r=0;t=30, ...`, and draft -07 `limit=2, remaining=0, reset=60`.
 * Malformed fields are ignored.
 */
function rateLimitSeconds(headers: AnswerHeaders, unixMs: WallClock | undefined): number | null {
  const field = headers['ratelimit']
  if (!isReadable(field)) return null
  const clock = { date: headers['date'], unixMs }
  const items = withoutStrings(field).split(',').map(parameters)
  const drafted = items.filter(({ r }) => plainNumber(r) === 0)
  if (drafted.length > 0) return longest(drafted.map(({ t = '' }) => secondsUntil(t, clock)))
  const joined: FieldParameters = Object.assign({}, ...items) as FieldParameters
  return plainNumber(joined['remaining']) === 0 ? secondsUntil(joined['reset'] ?? '', clock) : null
}

/**
 * Fields that each describe one quota, what is left of it and when it is restored: drafts -03 to
 * -06 and Kong; GitHub, Fastify, Envoy and express; OpenAI; Anthropic. This runs on every answer,
 * most of which have none: property names in the code are looked up twenty times as fast as those
 * of a list, and k6's engine pays for each call.
 */
function quotaSeconds(headers: AnswerHeaders, unixMs: WallClock | undefined): number | null {
  let longestWait: number | null = null
  const restore = (left: string, resets: string | undefined): void => {
    const clock = { date: headers['date'], unixMs }
    longestWait = later(longestWait, exhaustedSeconds(left, resets, clock))
  }
  const drafted = headers['ratelimit-remaining']
  if (drafted !== undefined) restore(drafted, headers['ratelimit-reset'])
  const legacy = headers['x-ratelimit-remaining']
  if (legacy !== undefined) restore(legacy, headers['x-ratelimit-reset'])
  const requests = headers['x-ratelimit-remaining-requests']
  if (requests !== undefined) restore(requests, headers['x-ratelimit-reset-requests'])
  const tokens = headers['x-ratelimit-remaining-tokens']
  if (tokens !== undefined) restore(tokens, headers['x-ratelimit-reset-tokens'])
  const anthropicRequests = headers['anthropic-ratelimit-requests-remaining']
  if (anthropicRequests !== undefined)
    restore(anthropicRequests, headers['anthropic-ratelimit-requests-reset'])
  const anthropicTokens = headers['anthropic-ratelimit-tokens-remaining']
  if (anthropicTokens !== undefined)
    restore(anthropicTokens, headers['anthropic-ratelimit-tokens-reset'])
  return longestWait
}

/** If several proxies have written a field, each holds a list in the same order. */
function exhaustedSeconds(
  left: string,
  resets: string | undefined,
  clock: AnswerClock,
): number | null {
  if (!isReadable(left) || !isReadable(resets)) return null
  const seconds = times(resets, clock)
  return longest(left.split(',').map((one, i) => (plainNumber(one) === 0 ? seconds[i] : null)))
}

export function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH
}

/** One value, or a list; an HTTP date contains a comma itself. */
function times(text: string, clock: AnswerClock): (number | null)[] {
  const parts = text.split(/,(?! \d{1,2}[ -]\w{3}[ -])/)
  return parts.map((part) => secondsUntil(part, clock))
}

export type FieldParameters = Record<string, string>

function parameters(item: string): FieldParameters {
  return parametersIn(item.split(';'))
}

/** Of `name=value` each, names in lower case. */
export function parametersIn(parts: readonly string[]): FieldParameters {
  const found: FieldParameters = {}
  for (const part of parts) {
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
