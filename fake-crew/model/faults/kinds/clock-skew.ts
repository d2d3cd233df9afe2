/** A crew whose wall clock is wrong: `date`, and a Retry-After that is a date, are ahead of the true time or behind it. */
import { MICROS_PER_MS } from '../../../../src/units.ts'
import { withHeaders } from '../../exchange.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function clockSkewEffect({ byMicros }: Extract<FaultWhat, { kind: 'clockSkew' }>): Effect {
  const skewMs = byMicros / MICROS_PER_MS
  return {
    content: (content, { stage, call }) => {
      const date = httpDate(stage.anchorUnixMs + call.nowMicros / MICROS_PER_MS + skewMs)
      const retryMs = Date.parse(content.headers['retry-after'] ?? '')
      const isDate = /[a-z]/i.test(content.headers['retry-after'] ?? '') && !Number.isNaN(retryMs)
      const retry = isDate ? { 'retry-after': httpDate(retryMs + skewMs) } : {}
      return withHeaders(content, { date, ...retry })
    },
  }
}

function httpDate(unixMs: number): string {
  return new Date(unixMs).toUTCString()
}
