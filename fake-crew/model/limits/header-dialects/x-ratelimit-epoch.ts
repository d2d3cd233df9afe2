/** X-RateLimit fields with the reset in seconds since the Unix epoch, as GitHub writes them. */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeUnixSeconds, xRateLimit } from './dialect.ts'

export const xRateLimitEpoch: HeaderDialectDefinition = {
  description:
    'X-RateLimit-Limit, -Remaining and -Reset, where the reset is a time in Unix seconds.',
  fields: ofNearest((nearest, resetUnixMs) =>
    xRateLimit(nearest, `${wholeUnixSeconds(resetUnixMs)}`),
  ),
}
