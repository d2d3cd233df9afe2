/**
 * Times in header fields, without a clock: when a quota is restored, recognised by the format of
 * the value, because each product writes it differently under the same name; and HTTP dates in
 * their three forms (RFC 9110 section 5.6.7), also with the zones that libraries for e-mail write
 * in place of GMT (RFC 5322 section 3.3).
 */

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

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT`. */
const FIXDATE =
  /^[a-z]+, (\d{1,2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) (\d{2}):(\d{2}):(\d{2}) (GMT|UTC?|[+-]\d{4})$/i
/** The obsolete `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i

/** Unix milliseconds; undefined for anything else. A two-digit year is in 1970 to 2069. */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim()
  const fix = FIXDATE.exec(trimmed)
  if (fix !== null) {
    const local = unixMs(fix[3], fix[2], fix[1], fix.slice(4))
    return local === undefined ? undefined : local - offsetMs(fix[7] ?? '')
  }
  const asctime = ASCTIME.exec(trimmed)
  return asctime === null ? undefined : unixMs(asctime[6], asctime[1], asctime[2], asctime.slice(3))
}

/** Whether it ends as RFC 9110 demands, and not in another zone. */
export function isHttpDate(text: string): boolean {
  return parseHttpDate(text) !== undefined && !/(?:UTC?|[+-]\d{4})$/i.test(text.trim())
}

/** `+0130` is 90 minutes; a name is UTC. */
function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? []
  const span = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
  return sign === '-' ? -span : span
}

function unixMs(
  yearText = '',
  monthText = '',
  dayText = '',
  [hour = '', minute = '', second = '']: readonly string[],
): number | undefined {
  const month = MONTHS.indexOf(monthText.toLowerCase())
  const day = Number(dayText)
  const valid = month !== -1 && day >= 1 && day <= 31 && Number(hour) < 24 && Number(minute) < 60
  if (!valid || Number(second) > 60) return undefined
  return Date.UTC(fullYear(yearText), month, day, Number(hour), Number(minute), Number(second))
}

function fullYear(text: string): number {
  if (text.length === 4) return Number(text)
  return Number(text) + (Number(text) < 70 ? 2000 : 1900)
}
