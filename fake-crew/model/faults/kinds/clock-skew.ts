/** A crew whose wall clock is wrong: every time of day that it tells is ahead of the true one or behind it. */
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { Content } from '../../exchange.ts'
import { jsonContent, withHeaders } from '../../exchange.ts'
import type { Effect } from '../effect.ts'
import { isObject } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

/** Of a status answer in the platform dialect, in its `progress`. */
const TIMESTAMPS = ['started_at', 'updated_at']

export function clockSkewEffect({ byMicros }: Extract<FaultWhat, { kind: 'clockSkew' }>): Effect {
  const skewMs = byMicros / MICROS_PER_MS
  return {
    content: (content, { stage, call }) => {
      const date = httpDate(stage.anchorUnixMs + call.nowMicros / MICROS_PER_MS + skewMs)
      const told = withTimestamps(content, skewMs)
      return withHeaders(told, { date, ...skewedHeaders(content.headers, skewMs) })
    },
  }
}

/** When to come again, where that is a time of day: an HTTP date, RFC 3339, or seconds of the Unix epoch. */
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

function httpDate(unixMs: number): string {
  return new Date(unixMs).toUTCString()
}
