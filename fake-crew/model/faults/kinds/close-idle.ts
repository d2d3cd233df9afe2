/** The race of a stale connection: the crew closes an idle one just as the client writes its next request on it. */
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'
import { NOT_DONE } from '../not-done.ts'

export function closeIdleEffect({
  afterMicros,
}: Extract<FaultWhat, { kind: 'closeIdle' }>): Effect {
  return {
    applies: ({ call }) => (call.request.idleMicros ?? -1) >= afterMicros,
    instead: () => NOT_DONE,
    delivery: () => ({ kind: 'nothing', ending: 'close' }),
  }
}
