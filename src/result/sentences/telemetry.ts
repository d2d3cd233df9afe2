/** What of a run's telemetry was lost, and why, in words. */
import { unreachable } from '../../base/assert.ts'
import type { telemetryLost } from '../../execution/record/notes.ts'
import type { ShapeFacts } from '../sentence-tables.ts'

type TelemetryLost = ShapeFacts<typeof telemetryLost>

const ITEMS = { metrics: 'batches of metrics', spans: 'spans' }

export function telemetryLostWords({ items, lost, of, why }: TelemetryLost): string {
  return `OTLP: ${lost} of ${of} ${ITEMS[items]} were lost: ${lossWords(why)}`
}

function lossWords(why: TelemetryLost['why']): string {
  switch (why.code) {
    case 'answered':
      return `it answered ${why.status}`
    case 'error':
      return why.error
    case 'busy':
      return 'it kept answering 429, 502, 503 or 504'
    case 'failed':
      return 'the request failed'
    case 'no-answer':
      return 'no answer in time'
    case 'not-otlp':
      return 'the answer is not one of OTLP'
    case 'queue-full':
      return 'the queue was full'
    case 'rejected':
      return 'it rejected them (partial success)'
    default:
      return unreachable(why)
  }
}
