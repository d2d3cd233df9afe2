/** What limits tell of themselves at every answer, in the header dialects of the field. */
import { unreachable } from '../../../src/base/assert.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { Quota } from './algorithm.ts'
import type { HeaderDialect } from './profile.ts'

export type Headers = Readonly<Record<string, string>>

/** A limit that the request has met, in wall time. */
export interface Told {
  name: string
  /** The time in which `quota.limit` is given; null when time has no part in it. */
  windowMicros: Micros | null
  quota: Quota
}

/** One whose quota time alone gives back. */
interface Timed {
  limit: number
  remaining: number
  windowSeconds: number
  fullMicros: Micros
}

const MS_PER_SECOND = 1_000

/**
 * Times are rounded up: never is a quota promised too early. The draft-10 fields list every limit, and tell when there will be more of
 * it; all others tell of the limit with the least left, and when all of it is there again. Only draft-10 has words for concurrency.
 * `nowUnixMs`: the wall clock, Unix milliseconds.
 */
export function limitHeaders(
  dialect: HeaderDialect,
  told: readonly Told[],
  nowUnixMs: number,
): Headers {
  if (dialect === 'none' || told.length === 0) return {}
  if (dialect === 'draft-10') return draft10(told)
  const nearest = nearestToRefusal(told)
  if (nearest === undefined) return {}
  const { limit, remaining, windowSeconds, fullMicros } = nearest
  const resetUnixMs = nowUnixMs + fullMicros / MICROS_PER_MS
  switch (dialect) {
    case 'draft-7':
      return {
        ratelimit: `limit=${limit}, remaining=${remaining}, reset=${wholeSeconds(fullMicros)}`,
        'ratelimit-policy': `${limit};w=${windowSeconds}`,
      }
    case 'draft-6':
      return {
        'ratelimit-limit': `${limit}`,
        'ratelimit-remaining': `${remaining}`,
        'ratelimit-reset': `${wholeSeconds(fullMicros)}`,
        'ratelimit-policy': `${limit};w=${windowSeconds}`,
      }
    case 'x-ratelimit-epoch':
      return xRateLimit(nearest, `${Math.ceil(resetUnixMs / MS_PER_SECOND)}`)
    case 'x-ratelimit-delta':
      return xRateLimit(nearest, `${wholeSeconds(fullMicros)}`)
    case 'x-ratelimit-duration':
      return xRateLimit(nearest, goDuration(fullMicros), '-requests')
    case 'anthropic':
      return {
        'anthropic-ratelimit-requests-limit': `${limit}`,
        'anthropic-ratelimit-requests-remaining': `${remaining}`,
        'anthropic-ratelimit-requests-reset': rfc3339(resetUnixMs),
      }
    default:
      return unreachable(dialect)
  }
}

/** Structured-field lists (draft-ietf-httpapi-ratelimit-headers-10, section 3 and 4). */
function draft10(told: readonly Told[]): Headers {
  return {
    'ratelimit-policy': told.map(policy).join(','),
    ratelimit: told.map(serviceLimit).join(','),
  }
}

function policy({ name, windowMicros, quota }: Told): string {
  const unit =
    windowMicros === null ? 'qu="concurrent-requests"' : `w=${windowSecondsOf(windowMicros)}`
  return `"${name}";q=${quota.limit};${unit}`
}

function serviceLimit({ name, quota: { remaining, moreMicros } }: Told): string {
  const reset = moreMicros === null ? '' : `;t=${wholeSeconds(moreMicros)}`
  return `"${name}";r=${remaining}${reset}`
}

function xRateLimit({ limit, remaining }: Timed, reset: string, suffix = ''): Headers {
  return {
    [`x-ratelimit-limit${suffix}`]: `${limit}`,
    [`x-ratelimit-remaining${suffix}`]: `${remaining}`,
    [`x-ratelimit-reset${suffix}`]: reset,
  }
}

/** The least left; of equals, the one that takes longest to be whole again. */
function nearestToRefusal(told: readonly Told[]): Timed | undefined {
  return told
    .flatMap(({ windowMicros, quota: { limit, remaining, fullMicros } }): Timed[] =>
      windowMicros === null || fullMicros === null
        ? []
        : [{ limit, remaining, windowSeconds: windowSecondsOf(windowMicros), fullMicros }],
    )
    .toSorted((a, b) => a.remaining - b.remaining || b.fullMicros - a.fullMicros)[0]
}

function wholeSeconds(micros: Micros): number {
  return Math.ceil(micros / MICROS_PER_SECOND)
}

/** To the nearest, and never 0, which the field may not be. */
function windowSecondsOf(micros: Micros): number {
  return Math.max(1, Math.round(micros / MICROS_PER_SECOND))
}

/** As Go prints a duration, in whole milliseconds: `12ms`, `1s`, `1.5s`, `6m0s`, `1h0m0s`. */
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

/** `2026-11-21T15:00:00Z`, rounded up to a whole second. */
function rfc3339(unixMs: number): string {
  const whole = new Date(Math.ceil(unixMs / MS_PER_SECOND) * MS_PER_SECOND)
  return whole.toISOString().replace('.000Z', 'Z')
}
