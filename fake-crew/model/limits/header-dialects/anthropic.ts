/** The fields of Anthropic, with the reset as an RFC 3339 time. */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeUnixSeconds } from './dialect.ts'

export const anthropic: HeaderDialectDefinition = {
  description:
    'Anthropic-RateLimit-Requests-Limit, -Remaining and -Reset, where the reset is ' +
    'an RFC 3339 time.',
  fields: ofNearest(({ limit, remaining }, resetUnixMs) => ({
    'anthropic-ratelimit-requests-limit': `${limit}`,
    'anthropic-ratelimit-requests-remaining': `${remaining}`,
    'anthropic-ratelimit-requests-reset': rfc3339(resetUnixMs),
  })),
}

/** `2026-11-21T15:00:00Z`, rounded up to a whole second. */
function rfc3339(unixMs: number): string {
  return new Date(wholeUnixSeconds(unixMs) * 1_000).toISOString().replace('.000Z', 'Z')
}
