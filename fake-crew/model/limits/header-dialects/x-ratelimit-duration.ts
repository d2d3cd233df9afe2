/** X-RateLimit fields for requests, with the reset as a Go duration, as OpenAI writes them. */
import type { Micros } from '../../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, xRateLimit } from './dialect.ts'

export const xRateLimitDuration: HeaderDialectDefinition = {
  description:
    'X-RateLimit-Limit-Requests, -Remaining-Requests and -Reset-Requests, where ' +
    'the reset is a duration such as 6m0s.',
  fields: ofNearest((nearest) => xRateLimit(nearest, goDuration(nearest.fullMicros), '-requests')),
}

const MS_PER_SECOND = 1_000

/**
 * Formats a duration as Go prints it, in whole milliseconds: `12ms`, `1s`, `1.5s`, `6m0s`,
 * `1h0m0s`.
 */
function goDuration(micros: Micros): string {
  const ms = Math.ceil(micros / MICROS_PER_MS)
  if (ms === 0) return '0s'
  if (ms < MS_PER_SECOND) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  const seconds = `${(ms % 60_000) / MS_PER_SECOND}s`
  if (minutes === 0) return seconds
  if (minutes < 60) return `${minutes}m${seconds}`
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
