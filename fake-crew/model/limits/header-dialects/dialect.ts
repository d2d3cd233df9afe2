/** Defines a header dialect: how an answer reports the limits that its request has met. */
import type { Micros } from '../../../../src/base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../../src/base/units.ts'
import type { AlgorithmQuota } from '../algorithm.ts'

export type HeaderFields = Readonly<Record<string, string>>

/** A limit that the request has met, in wall time. */
export interface MetLimit {
  name: string
  /** The time over which `quota.limit` is granted; null if it does not depend on time. */
  windowMicros: Micros | null
  quota: AlgorithmQuota
}

export interface HeaderDialectDefinition {
  /** What the headers say and where they are used, for editors and for the docs. */
  readonly description: string
  /**
   * The header fields for these limits, at least one. Times are rounded up, so that a quota is
   * never promised too early. `nowUnixMs`: the wall clock, Unix milliseconds.
   */
  fields(told: readonly MetLimit[], nowUnixMs: number): HeaderFields
}

/** A limit whose quota is restored by time alone. */
export interface TimedLimit {
  limit: number
  remaining: number
  windowSeconds: number
  /** Time until `remaining` grows; null if it cannot. */
  moreMicros: Micros | null
  fullMicros: Micros
}

const MS_PER_SECOND = 1_000

/** Reports only the limit with the least left; nothing if time restores none of them. */
export function ofNearest(
  fields: (nearest: TimedLimit, resetUnixMs: number, nowUnixMs: number) => HeaderFields,
): HeaderDialectDefinition['fields'] {
  return (told, nowUnixMs) => {
    const nearest = nearestToRefusal(told)
    if (nearest === undefined) return {}
    return fields(nearest, nowUnixMs + nearest.fullMicros / MICROS_PER_MS, nowUnixMs)
  }
}

export function xRateLimit(
  { limit, remaining }: TimedLimit,
  reset: string,
  suffix = '',
): HeaderFields {
  return {
    [`x-ratelimit-limit${suffix}`]: `${limit}`,
    [`x-ratelimit-remaining${suffix}`]: `${remaining}`,
    [`x-ratelimit-reset${suffix}`]: reset,
  }
}

export function wholeSeconds(micros: Micros): number {
  return Math.ceil(micros / MICROS_PER_SECOND)
}

/** Seconds since the Unix epoch. */
export function wholeUnixSeconds(unixMs: number): number {
  return Math.ceil(unixMs / MS_PER_SECOND)
}

/** Rounded to the nearest and never 0, which the field does not allow. */
export function windowSecondsOf(micros: Micros): number {
  return Math.max(1, Math.round(micros / MICROS_PER_SECOND))
}

/** The limit with the least left; of equals, the one that takes longest to be full again. */
function nearestToRefusal(told: readonly MetLimit[]): TimedLimit | undefined {
  return told
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
