/** An empty answer: the connection ends in good order, without a byte. */
import type { Delivery } from '../../exchange.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'
import { NOT_DONE } from '../not-done.ts'

export function emptyEffect({ carriedOut }: Extract<FaultWhat, { kind: 'empty' }>): Effect {
  return carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }
}

function delivery(): Delivery {
  return { kind: 'nothing', ending: 'close' }
}
