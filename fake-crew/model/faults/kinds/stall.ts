/** A stall in mid-body: the head and a part arrive, the rest never does, and the connection stays open. */
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function stallEffect({ share }: Extract<FaultWhat, { kind: 'stall' }>): Effect {
  return {
    delivery: ({ body }) => ({
      kind: 'part',
      bytes: Math.floor(utf8Length(body ?? '') * share),
      ending: 'open',
    }),
  }
}
