/**
 * When a quota is restored, recognised by the format of the value: each product writes it
 * differently under the same name.
 */
import { parseHttpDate } from './http-date.ts'

/** A duration as Go prints it: `6m0s`, `1.5s`, `250ms`, `1h0m0s`. */
const GO_DURATION = /^(?:\d{1,15}(?:\.\d{1,15})?(?:ns|us|µs|μs|ms|s|m|h)){1,6}$/
const GO_PART = /(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
}
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

const UNIX_SECONDS_FROM = 1e9
/** The same for an answer of virtual time, which begins in 2000: not long before its own `Date`. */
const EARLIEST_UNIX_SECONDS = 9e8
const LONG_PAST_SECONDS = 86_400
const UNIX_MS_FROM = 1e12

/** The clock to which a point in time is compared. */
export interface AnswerClock {
  /** The answer's own `Date`: its clock is the one that wrote the point in time. */
  date?: string | undefined
  /** Our wall clock when the answer came, Unix milliseconds, for an answer without a `Date`. */
  unixMs?: (() => number) | undefined
}

/**
 * Seconds from now, 0 or more; null for an unreadable value. A number is Unix milliseconds from
 * 1e12, Unix seconds from 1e9 (of an answer of virtual time, from a day before its `date`),
 * otherwise a delta; other formats are Go durations, RFC 3339 and HTTP dates.
 */
export function secondsUntil(text: string, clock: AnswerClock): number | null {
  const trimmed = text.trim()
  const number = plainNumber(trimmed)
  if (number !== null) {
    if (number < EARLIEST_UNIX_SECONDS || number < unixSecondsFrom(number, clock)) return number
    return after(number < UNIX_MS_FROM ? number * 1_000 : number, clock)
  }
  if (GO_DURATION.test(trimmed)) return goSeconds(trimmed)
  const unixMs = RFC_3339.test(trimmed) ? Date.parse(trimmed.replace(' ', 'T')) : undefined
  return after(unixMs ?? parseHttpDate(trimmed), clock)
}

/** Returns the number from which on a value is a point in time, and not a duration. */
function unixSecondsFrom(number: number, clock: AnswerClock): number {
  const nowUnixMs = number < UNIX_SECONDS_FROM ? nowOf(clock) : undefined
  if (nowUnixMs === undefined) return UNIX_SECONDS_FROM
  return Math.max(EARLIEST_UNIX_SECONDS, nowUnixMs / 1_000 - LONG_PAST_SECONDS)
}

/** A decimal without sign or exponent; null for anything else. */
export function plainNumber(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(text) ? Number(text) : null
}

function goSeconds(text: string): number {
  let seconds = 0
  for (const [, amount, unit = ''] of text.matchAll(GO_PART)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0)
  }
  return seconds
}

function nowOf({ date, unixMs }: AnswerClock): number | undefined {
  return parseHttpDate(date ?? '') ?? unixMs?.()
}

function after(unixMs: number | undefined, clock: AnswerClock): number | null {
  if (unixMs === undefined || Number.isNaN(unixMs)) return null
  const nowUnixMs = nowOf(clock)
  return nowUnixMs === undefined || Number.isNaN(nowUnixMs)
    ? null
    : Math.max(0, (unixMs - nowUnixMs) / 1_000)
}
