/** A slow drip: the body comes in pieces, evenly over a time. */
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function dripEffect({ pieces, overMicros }: Extract<FaultWhat, { kind: 'drip' }>): Effect {
  return { delivery: () => ({ kind: 'drip', pieces, overMicros }) }
}
