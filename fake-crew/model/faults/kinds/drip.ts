/** A slow drip: the body arrives in pieces, spread evenly over a time. */
import { z } from 'zod'
import { count } from '../../schema/quantities.ts'
import { lasting as lastingMicros, whole } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { lasting } from '../parameters.ts'

const MOST_PIECES = 10_000
const MOST = { error: `expected at most ${MOST_PIECES} pieces` }

export const drip = defineFault({
  kind: 'drip',
  description: 'The body arrives slowly, in pieces.',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      pieces: count(1).max(MOST_PIECES, MOST).prefault(10),
      over: lasting.meta({ description: 'From the first byte to the last. Real time.' }),
    })
    .transform(({ pieces, over }) => ({ pieces, overMicros: over })),
  complete: z.strictObject({
    kind: z.literal('drip'),
    pieces: whole(1).max(MOST_PIECES, MOST),
    overMicros: lastingMicros,
  }),
  effect: ({ pieces, overMicros }) => ({ delivery: () => ({ kind: 'drip', pieces, overMicros }) }),
  proxyProblem: fitsProxy,
  examples: [
    {
      name: 'drip',
      drip: { pieces: 5, over: '200ms' },
      operations: AFTER_INPUTS,
      chance: '1%',
    },
  ],
})
