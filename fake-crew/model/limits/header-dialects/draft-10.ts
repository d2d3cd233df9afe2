/**
 * Structured-field lists of every limit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and
 * 4).
 */
import type { HeaderDialectDefinition, MetLimit } from './dialect.ts'
import { wholeSeconds, windowSecondsOf } from './dialect.ts'

export const draft10: HeaderDialectDefinition = {
  description:
    'RateLimit and RateLimit-Policy of draft 10: every limit, what is left of it, ' +
    'and when more is available. The only dialect that can describe concurrency.',
  fields: (told) => ({
    'ratelimit-policy': told.map(policy).join(','),
    ratelimit: told.map(serviceLimit).join(','),
  }),
}

function policy({ name, windowMicros, quota }: MetLimit): string {
  const unit =
    windowMicros === null ? 'qu="concurrent-requests"' : `w=${windowSecondsOf(windowMicros)}`
  return `"${name}";q=${quota.limit};${unit}`
}

function serviceLimit({ name, quota: { remaining, moreMicros } }: MetLimit): string {
  const reset = moreMicros === null ? '' : `;t=${wholeSeconds(moreMicros)}`
  return `"${name}";r=${remaining}${reset}`
}
