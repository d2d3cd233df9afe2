/** The fields of Kong's rate-limiting plugin: those of drafts up to 6, and one for its window. */
import type { HeaderDialectDefinition } from './dialect.ts'
import { ofNearest, wholeSeconds } from './dialect.ts'

/** Kong's windows, in seconds. */
const PERIODS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

export const kong: HeaderDialectDefinition = {
  description:
    'RateLimit-Limit, -Remaining and -Reset in seconds from now, and X-RateLimit-Limit-Minute ' +
    'and -Remaining-Minute, or of the window that Kong has nearest to the limit.',
  fields: ofNearest(({ limit, remaining, windowSeconds, fullMicros }) => {
    const [period] = PERIODS.find(([, seconds]) => windowSeconds >= seconds) ?? ['second']
    return {
      'ratelimit-limit': `${limit}`,
      'ratelimit-remaining': `${remaining}`,
      'ratelimit-reset': `${wholeSeconds(fullMicros)}`,
      [`x-ratelimit-limit-${period}`]: `${limit}`,
      [`x-ratelimit-remaining-${period}`]: `${remaining}`,
    }
  }),
}
