/** A truncated body: the connection ends before the announced length. */
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function truncateEffect({ share }: Extract<FaultWhat, { kind: 'truncate' }>): Effect {
  return {
    delivery: ({ body }) => ({
      kind: 'part',
      bytes: Math.floor(utf8Length(body ?? '') * share),
      ending: 'close',
    }),
  }
}
