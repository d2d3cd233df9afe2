/** The fields of slowapi, the usual limiter of FastAPI (slowapi 0.1, `_inject_headers`). */
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, xRateLimit } from './dialect.ts'

const MS_PER_SECOND = 1_000
/** slowapi adds a second to every reset. */
const LATE_SECONDS = 1

export const slowapi: HeaderDialectDefinition = {
  description:
    'X-RateLimit-Limit, -Remaining and -Reset, and Retry-After on every answer, 200 too: the ' +
    'reset is in Unix seconds with a fraction, a second later than more is left.',
  fields: ofNearest((nearest, _, nowUnixMs) => {
    const waitSeconds = (nearest.moreMicros ?? 0) / MICROS_PER_MS / MS_PER_SECOND + LATE_SECONDS
    return {
      ...xRateLimit(nearest, `${nowUnixMs / MS_PER_SECOND + waitSeconds}`),
      'retry-after': `${Math.floor(waitSeconds)}`,
    }
  }),
}
