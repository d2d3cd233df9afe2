/**
 * Retry-After as limiters write it: correct as seconds or as a date, or wrong in ways seen in the
 * field.
 */
import { unreachable } from '../../../src/base/assert.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { RetryAfterForm } from './profile.ts'

const MS_PER_SECOND = 1_000

/** Undefined for no header. `nowUnixMs`: the wall clock, Unix milliseconds. */
export function retryAfter(
  form: RetryAfterForm,
  waitMicros: Micros,
  nowUnixMs: number,
): string | undefined {
  const seconds = waitMicros / MICROS_PER_SECOND
  switch (form) {
    case 'seconds':
      return String(Math.ceil(seconds))
    case 'date':
      return httpDate(nowUnixMs + waitMicros / MICROS_PER_MS)
    case 'none':
      return undefined
    /** The standard does not allow this form: it is the result of `msBeforeNext / 1000`. */
    case 'fractional':
      return (Math.ceil(waitMicros / MICROS_PER_MS) / MS_PER_SECOND).toFixed(3)
    /** Half the true time: a client that obeys it is refused again. */
    case 'early':
      return String(Math.floor(seconds / 2))
    case 'unreadable':
      return 'soon'
    default:
      return unreachable(form)
  }
}

/** A date that is not before `unixMs`: rounded up to a whole second. */
function httpDate(unixMs: number): string {
  return new Date(Math.ceil(unixMs / MS_PER_SECOND) * MS_PER_SECOND).toUTCString()
}
