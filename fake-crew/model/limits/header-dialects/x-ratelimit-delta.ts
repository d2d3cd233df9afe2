/** X-RateLimit fields with the reset in seconds from now. */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeSeconds, xRateLimit } from './dialect.ts'

export const xRateLimitDelta: HeaderDialectDefinition = {
  description: 'X-RateLimit-Limit, -Remaining and -Reset, where the reset is in seconds from now.',
  fields: ofNearest((nearest) => xRateLimit(nearest, `${wholeSeconds(nearest.fullMicros)}`)),
}
