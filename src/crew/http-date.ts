/**
 * Parses HTTP dates in their three forms (RFC 9110 section 5.6.7), and with the zones that
 * libraries for e-mail write in place of GMT (RFC 5322 section 3.3), without a clock.
 */

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
