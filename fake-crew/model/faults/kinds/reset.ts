/** RST: before a byte of the answer, in the middle of its body, or right behind it. */
import { unreachable } from '../../../../src/base/assert.ts'
import type { Content, Delivery } from '../../exchange.ts'
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'
import { NOT_DONE } from '../not-done.ts'

type ResetFault = Extract<FaultWhat, { kind: 'reset' }>

export function resetEffect({ at, carriedOut }: ResetFault): Effect {
  const delivery = (content: Content): Delivery => deliveryAt(at, content)
  return carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }
}

function deliveryAt(at: ResetFault['at'], { body }: Content): Delivery {
  switch (at) {
    case 'before':
      return { kind: 'nothing', ending: 'reset' }
    case 'during':
      return { kind: 'part', bytes: Math.floor(utf8Length(body ?? '') / 2), ending: 'reset' }
    case 'after':
      return { kind: 'whole-then-reset' }
    default:
      return unreachable(at)
  }
}
