/** One combined RateLimit field (draft-ietf-httpapi-ratelimit-headers-07). */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeSeconds } from './dialect.ts'

export const draft7: HeaderDialectDefinition = {
  description:
    'RateLimit and RateLimit-Policy of draft 7: the limit with the least left, and ' +
    'the seconds until all of it is available again.',
  fields: ofNearest(({ limit, remaining, windowSeconds, fullMicros }) => ({
    ratelimit: `limit=${limit}, remaining=${remaining}, reset=${wholeSeconds(fullMicros)}`,
    'ratelimit-policy': `${limit};w=${windowSeconds}`,
  })),
}
