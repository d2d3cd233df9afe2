/** The request is taken and never answered. */
import type { Delivery } from '../../exchange.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'
import { NOT_DONE } from '../not-done.ts'

export function hangEffect({ carriedOut }: Extract<FaultWhat, { kind: 'hang' }>): Effect {
  return carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }
}

function delivery(): Delivery {
  return { kind: 'nothing', ending: 'open' }
}
