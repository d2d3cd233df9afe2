/**
 * Header dialects: how an answer reports the limits that its request has met, and how long to wait.
 */
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'
import { unreachable } from '../../../src/base/assert.ts'
import type { AlgorithmQuota } from './definition.ts'

export type HeaderFields = Readonly<Record<string, string>>

/** A limit that the request has met, in wall time. */
export interface MetLimit {
  name: string
  /** The time over which `quota.limit` is granted; null if it does not depend on time. */
  windowMicros: Micros | null
  quota: AlgorithmQuota
}

interface HeaderDialectDefinition {
  /** What the headers say and where they are used, for editors and for the docs. */
  readonly description: string
  /**
   * The header fields for these limits, at least one. Times are rounded up, so that a quota is
   * never promised too early. `nowUnixMs`: the wall clock, Unix milliseconds.
   */
  fields(limits: readonly MetLimit[], nowUnixMs: number): HeaderFields
}

/** A limit whose quota is restored by time alone. */
interface TimedLimit {
  limit: number
  remaining: number
  windowSeconds: number
  /** Time until `remaining` grows; null if it cannot. */
  moreMicros: Micros | null
  fullMicros: Micros
}

const MS_PER_SECOND = 1_000

/** slowapi adds a second to every reset. */
const LATE_SECONDS = 1

/** Kong's windows, in seconds. */
const PERIODS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/**
 * Every header dialect by the name that a profile uses, in the order in which messages and tables
 * list them.
 */
export const HEADER_DIALECTS = {
  none: {
    description: 'Nothing.',
    fields: () => ({}),
  },
  /**
   * Structured-field lists of every limit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and
   * 4).
   */
  'draft-10': {
    description:
      'RateLimit and RateLimit-Policy of draft 10: every limit, what is left of it, ' +
      'and when more is available. The only dialect that can describe concurrency.',
    fields: (limits) => ({
      'ratelimit-policy': limits.map(policy).join(','),
      ratelimit: limits.map(serviceLimit).join(','),
    }),
  },
  /** One combined RateLimit field (draft-ietf-httpapi-ratelimit-headers-07). */
  'draft-7': {
    description:
      'RateLimit and RateLimit-Policy of draft 7: the limit with the least left, and ' +
      'the seconds until it is all available.',
    fields: ofNearest(({ limit, remaining, windowSeconds, fullMicros }) => ({
      ratelimit: `limit=${limit}, remaining=${remaining}, reset=${wholeSeconds(fullMicros)}`,
      'ratelimit-policy': `${limit};w=${windowSeconds}`,
    })),
  },
  /** One field per number (draft-ietf-httpapi-ratelimit-headers-06). */
  'draft-6': {
    description:
      'RateLimit-Limit, -Remaining, -Reset and -Policy of draft 6: as draft-7, one ' +
      'field per number.',
    fields: ofNearest(({ limit, remaining, windowSeconds, fullMicros }) => ({
      'ratelimit-limit': `${limit}`,
      'ratelimit-remaining': `${remaining}`,
      'ratelimit-reset': `${wholeSeconds(fullMicros)}`,
      'ratelimit-policy': `${limit};w=${windowSeconds}`,
    })),
  },
  /** X-RateLimit fields with the reset in seconds since the Unix epoch, as GitHub writes them. */
  'x-ratelimit-epoch': {
    description:
      'X-RateLimit-Limit, -Remaining and -Reset, where the reset is a time in Unix seconds.',
    fields: ofNearest((nearest, resetUnixMs) =>
      xRateLimit(nearest, `${wholeUnixSeconds(resetUnixMs)}`),
    ),
  },
  /** X-RateLimit fields with the reset in seconds from now. */
  'x-ratelimit-delta': {
    description:
      'X-RateLimit-Limit, -Remaining and -Reset, where the reset is in seconds from now.',
    fields: ofNearest((nearest) => xRateLimit(nearest, `${wholeSeconds(nearest.fullMicros)}`)),
  },
  /** X-RateLimit fields for requests, with the reset as a Go duration, as OpenAI writes them. */
  'x-ratelimit-duration': {
    description:
      'X-RateLimit-Limit-Requests, -Remaining-Requests and -Reset-Requests, where ' +
      'the reset is a duration such as 6m0s.',
    fields: ofNearest((nearest) =>
      xRateLimit(nearest, goDuration(nearest.fullMicros), '-requests'),
    ),
  },
  /** The fields of Anthropic, with the reset as an RFC 3339 time. */
  anthropic: {
    description:
      'Anthropic-RateLimit-Requests-Limit, -Remaining and -Reset, where the reset is ' +
      'an RFC 3339 time.',
    fields: ofNearest(({ limit, remaining }, resetUnixMs) => ({
      'anthropic-ratelimit-requests-limit': `${limit}`,
      'anthropic-ratelimit-requests-remaining': `${remaining}`,
      'anthropic-ratelimit-requests-reset': rfc3339(resetUnixMs),
    })),
  },
  /** The fields of slowapi, the usual limiter of FastAPI (slowapi 0.1, `_inject_headers`). */
  slowapi: {
    description:
      'X-RateLimit-Limit, -Remaining and -Reset, and Retry-After on every answer, 200 too. The ' +
      'reset is in Unix seconds with a fraction, a second later than more is left.',
    fields: ofNearest((nearest, _, nowUnixMs) => {
      const waitSeconds = (nearest.moreMicros ?? 0) / MICROS_PER_MS / MS_PER_SECOND + LATE_SECONDS
      return {
        ...xRateLimit(nearest, `${nowUnixMs / MS_PER_SECOND + waitSeconds}`),
        'retry-after': `${Math.floor(waitSeconds)}`,
      }
    }),
  },
  /** The fields of Kong's rate-limiting plugin: those of drafts up to 6, and one for its window. */
  kong: {
    description:
      'RateLimit-Limit, -Remaining and -Reset in seconds from now. X-RateLimit-Limit-Minute and ' +
      '-Remaining-Minute, or for Kong’s window nearest to the limit.',
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
  },
} satisfies Record<string, HeaderDialectDefinition>

export type HeaderDialect = keyof typeof HEADER_DIALECTS

export const HEADER_DIALECT_NAMES = Object.keys(HEADER_DIALECTS) as HeaderDialect[]

/** `nowUnixMs`: the wall clock, Unix milliseconds. */
export function limitHeaders(
  dialect: HeaderDialect,
  limits: readonly MetLimit[],
  nowUnixMs: number,
): HeaderFields {
  const definition: HeaderDialectDefinition = HEADER_DIALECTS[dialect]
  return limits.length === 0 ? {} : definition.fields(limits, nowUnixMs)
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

/** `2026-11-21T15:00:00Z`, rounded up to a whole second. */
function rfc3339(unixMs: number): string {
  return new Date(wholeUnixSeconds(unixMs) * 1_000).toISOString().replace('.000Z', 'Z')
}

/** Reports only the limit with the least left; nothing if time restores none of them. */
function ofNearest(
  fields: (nearest: TimedLimit, resetUnixMs: number, nowUnixMs: number) => HeaderFields,
): HeaderDialectDefinition['fields'] {
  return (limits, nowUnixMs) => {
    const nearest = nearestToRefusal(limits)
    if (nearest === undefined) return {}
    return fields(nearest, nowUnixMs + nearest.fullMicros / MICROS_PER_MS, nowUnixMs)
  }
}

function xRateLimit({ limit, remaining }: TimedLimit, reset: string, suffix = ''): HeaderFields {
  return {
    [`x-ratelimit-limit${suffix}`]: `${limit}`,
    [`x-ratelimit-remaining${suffix}`]: `${remaining}`,
    [`x-ratelimit-reset${suffix}`]: reset,
  }
}

function wholeSeconds(micros: Micros): number {
  return Math.ceil(micros / MICROS_PER_SECOND)
}

/** Seconds since the Unix epoch. */
function wholeUnixSeconds(unixMs: number): number {
  return Math.ceil(unixMs / MS_PER_SECOND)
}

/** Rounded to the nearest and never 0, which the field does not allow. */
function windowSecondsOf(micros: Micros): number {
  return Math.max(1, Math.round(micros / MICROS_PER_SECOND))
}

/** The limit with the least left; of equals, the one that takes longest to be full again. */
function nearestToRefusal(limits: readonly MetLimit[]): TimedLimit | undefined {
  return limits
    .flatMap(
      ({ windowMicros, quota: { limit, remaining, moreMicros, fullMicros } }): TimedLimit[] =>
        windowMicros === null || fullMicros === null
          ? []
          : [
              {
                limit,
                remaining,
                windowSeconds: windowSecondsOf(windowMicros),
                moreMicros,
                fullMicros,
              },
            ],
    )
    .toSorted((a, b) => a.remaining - b.remaining || b.fullMicros - a.fullMicros)[0]
}

/**
 * `seconds` and `date` are correct (RFC 9110, section 10.2.3); the last three are wrong, each in
 * its own way.
 */
export const RETRY_AFTER_FORMS = [
  'seconds',
  'date',
  'none',
  'fractional',
  'early',
  'unreadable',
] as const
type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number]

/** Undefined for no header. `nowUnixMs`: the wall clock, Unix milliseconds. */
export function retryAfter(
  form: RetryAfterForm,
  waitMicros: Micros,
  nowUnixMs: number,
): string | undefined {
  const seconds = waitMicros / MICROS_PER_SECOND
  switch (form) {
    case 'seconds':
      return String(Math.ceil(seconds))
    case 'date':
      return httpDate(nowUnixMs + waitMicros / MICROS_PER_MS)
    case 'none':
      return undefined
    /** The standard does not allow this form: it is the result of `msBeforeNext / 1000`. */
    case 'fractional':
      return (Math.ceil(waitMicros / MICROS_PER_MS) / MS_PER_SECOND).toFixed(3)
    /** Half the true time: a client that obeys it is refused again. */
    case 'early':
      return String(Math.floor(seconds / 2))
    case 'unreadable':
      return 'soon'
    default:
      return unreachable(form)
  }
}

/** A date that is not before `unixMs`: rounded up to a whole second. */
function httpDate(unixMs: number): string {
  return new Date(Math.ceil(unixMs / MS_PER_SECOND) * MS_PER_SECOND).toUTCString()
}
