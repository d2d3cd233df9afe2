/** One field per number (draft-ietf-httpapi-ratelimit-headers-06). */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeSeconds } from './dialect.ts'

export const draft6: HeaderDialectDefinition = {
  description:
    'RateLimit-Limit, -Remaining, -Reset and -Policy of draft 6: as draft-7, one ' +
    'field per number.',
  fields: ofNearest(({ limit, remaining, windowSeconds, fullMicros }) => ({
    'ratelimit-limit': `${limit}`,
    'ratelimit-remaining': `${remaining}`,
    'ratelimit-reset': `${wholeSeconds(fullMicros)}`,
    'ratelimit-policy': `${limit};w=${windowSeconds}`,
  })),
}
