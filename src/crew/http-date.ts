/** Parses HTTP dates in their three forms (RFC 9110 section 5.6.7) without a clock. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT`. */
const FIXDATE = /^[a-z]+, (\d{2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/i
/** The obsolete `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i

/** Unix milliseconds; undefined for anything else. A two-digit year is in 1970 to 2069. */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim()
  const fix = FIXDATE.exec(trimmed)
  if (fix !== null) return unixMs(fix[3], fix[2], fix[1], fix.slice(4))
  const asctime = ASCTIME.exec(trimmed)
  return asctime === null ? undefined : unixMs(asctime[6], asctime[1], asctime[2], asctime.slice(3))
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
