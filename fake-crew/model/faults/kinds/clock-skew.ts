/**
 * A crew whose wall clock is wrong: every time of day that it reports is ahead of the true time or
 * behind it.
 */
import { z } from 'zod'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { Content } from '../../exchange.ts'
import { jsonContent, withHeaders } from '../../exchange.ts'
import { lasting } from '../../schema/quantities.ts'
import { EVERY_OPERATION, defineFault } from '../definition.ts'
import { isObject } from '../../../../src/crew/json.ts'

export const clockSkew = defineFault({
  kind: 'clockSkew',
  description: "The crew's wall clock is wrong: every time of day it reports is off.",
  reach: EVERY_OPERATION,
  written: z
    .strictObject({ ahead: lasting.exactOptional(), behind: lasting.exactOptional() })
    .refine(({ ahead, behind }) => (ahead === undefined) !== (behind === undefined), {
      error: 'expected either ahead or behind',
    })
    // Positive: ahead of the true time; negative: behind it.
    .transform(({ ahead = 0, behind = 0 }) => ({ byMicros: ahead - behind })),
  effect: ({ byMicros }) => {
    const skewMs = byMicros / MICROS_PER_MS
    return {
      content: (content, { stage, call }) => {
        const unixMs = stage.anchorUnixMs + call.nowMicros / MICROS_PER_MS
        const date = new Date(unixMs + skewMs).toUTCString()
        const skewed = withTimestamps(content, skewMs)
        return withHeaders(skewed, { date, ...skewedHeaders(content.headers, skewMs) })
      },
    }
  },
  examples: [
    { name: 'skewed clock', clockSkew: { behind: '90s' }, episodes: { off: '5s', on: '5s' } },
  ],
})

/** Adjusts the `progress` of a status answer in the platform dialect. */
const TIMESTAMPS = ['started_at', 'updated_at']

/**
 * The time of the next attempt, where it is a time of day: an HTTP date, RFC 3339, or seconds since
 * the Unix epoch.
 */
function skewedHeaders(headers: Content['headers'], skewMs: number): Record<string, string> {
  const skewed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'retry-after' || name.endsWith('-reset')) skewed[name] = skewedTime(value, skewMs)
  }
  return skewed
}

function skewedTime(text: string, skewMs: number): string {
  if (/^\d{10}$/.test(text)) return String(Math.ceil(Number(text) + skewMs / 1_000))
  const unixMs = /^\d{4}-|^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(unixMs)) return text
  const time = new Date(unixMs + skewMs)
  return /^\d/.test(text) ? time.toISOString().replace(/\.\d+Z$/, 'Z') : time.toUTCString()
}

function withTimestamps(content: Content, skewMs: number): Content {
  const { status, headers, json } = content
  const progress = isObject(json) ? json['progress'] : null
  if (!isObject(json) || !isObject(progress)) return content
  const skewed = TIMESTAMPS.flatMap((name) => {
    const unixMs = Date.parse(String(progress[name]))
    return Number.isNaN(unixMs) ? [] : [[name, new Date(unixMs + skewMs).toISOString()]]
  })
  if (skewed.length === 0) return content
  return jsonContent(
    status,
    { ...json, progress: { ...progress, ...Object.fromEntries(skewed) } },
    headers,
  )
}
