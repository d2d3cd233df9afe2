/** How a reply reaches the client, depending on how the crew delivers it. */
import type { Delivery } from '../../../fake-crew/model/exchange.ts'
import { unreachable } from '../../base/assert.ts'
import type { FailureClass } from '../../crew/answer.ts'
import type { Micros } from '../../base/units.ts'

export interface AnswerArrival {
  /**
   * The time from the first byte that is sent, or would be, to the last; Infinity for an answer
   * without end.
   */
  lastsMicros: Micros
  /** The head arrives, and with it the status. */
  hasHead: boolean
  /** Null for a complete answer. */
  failure: { class: FailureClass; detail: string } | null
  /** The connection can carry another request. */
  reusable: boolean
}

export const WHOLE: AnswerArrival = { lastsMicros: 0, hasHead: true, failure: null, reusable: true }

/** A restart of the crew cuts the connection before the answer is complete. */
export const CUT: AnswerArrival = {
  lastsMicros: 0,
  hasHead: false,
  failure: { class: 'reset', detail: 'connection reset' },
  reusable: false,
}

export function arrivalOf(delivery: Delivery): AnswerArrival {
  switch (delivery.kind) {
    case 'whole':
      return WHOLE
    case 'whole-then-reset':
      return { ...WHOLE, reusable: false }
    case 'drip':
      return { ...WHOLE, lastsMicros: delivery.overMicros }
    case 'nothing':
    case 'part':
      return broken(delivery)
    default:
      return unreachable(delivery)
  }
}

function broken(delivery: Extract<Delivery, { kind: 'nothing' | 'part' }>): AnswerArrival {
  const { kind, ending } = delivery
  const hasHead = kind === 'part'
  const at = { hasHead, reusable: false }
  switch (ending) {
    case 'reset':
      return { ...at, lastsMicros: 0, failure: { class: 'reset', detail: 'connection reset' } }
    case 'close': {
      const name = hasHead ? 'truncated' : 'closed'
      return { ...at, lastsMicros: 0, failure: { class: name, detail: 'other side closed' } }
    }
    case 'open':
      return { ...at, lastsMicros: Infinity, failure: null }
    default:
      return unreachable(ending)
  }
}
