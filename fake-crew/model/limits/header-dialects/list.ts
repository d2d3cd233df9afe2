/** The list of header dialects: what limits report in every answer. */
import { anthropic } from './anthropic.ts'
import type { HeaderDialectDefinition, HeaderFields, MetLimit } from './dialect.ts'
import { draft10 } from './draft-10.ts'
import { draft6 } from './draft-6.ts'
import { draft7 } from './draft-7.ts'
import { kong } from './kong.ts'
import { none } from './none.ts'
import { slowapi } from './slowapi.ts'
import { xRateLimitDelta } from './x-ratelimit-delta.ts'
import { xRateLimitDuration } from './x-ratelimit-duration.ts'
import { xRateLimitEpoch } from './x-ratelimit-epoch.ts'

/**
 * Every header dialect by the name that a profile uses, in the order in which messages and tables
 * list them.
 */
export const HEADER_DIALECTS = {
  none,
  'draft-10': draft10,
  'draft-7': draft7,
  'draft-6': draft6,
  'x-ratelimit-epoch': xRateLimitEpoch,
  'x-ratelimit-delta': xRateLimitDelta,
  'x-ratelimit-duration': xRateLimitDuration,
  anthropic,
  slowapi,
  kong,
} satisfies Record<string, HeaderDialectDefinition>

export type HeaderDialect = keyof typeof HEADER_DIALECTS

export const HEADER_DIALECT_NAMES = Object.keys(HEADER_DIALECTS) as HeaderDialect[]

/** `nowUnixMs`: the wall clock, Unix milliseconds. */
export function limitHeaders(
  dialect: HeaderDialect,
  told: readonly MetLimit[],
  nowUnixMs: number,
): HeaderFields {
  const definition: HeaderDialectDefinition = HEADER_DIALECTS[dialect]
  return told.length === 0 ? {} : definition.fields(told, nowUnixMs)
}
