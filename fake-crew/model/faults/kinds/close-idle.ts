/**
 * The stale-connection race: the crew closes an idle connection just as the client writes its next
 * request on it.
 */
import { z } from 'zod'
import { duration } from '../../schema/quantities.ts'
import { micros } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { NOT_DONE } from '../not-done.ts'

export const closeIdle = defineFault({
  kind: 'closeIdle',
  description: 'An idle connection is closed just as the next request arrives on it.',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      after: duration.meta({
        description: 'Strikes connections idle for at least this long. Real time.',
      }),
    })
    .transform(({ after }) => ({ afterMicros: after })),
  complete: z.strictObject({ kind: z.literal('closeIdle'), afterMicros: micros }),
  effect: ({ afterMicros }) => ({
    applies: ({ call }) => (call.request.idleMicros ?? -1) >= afterMicros,
    instead: () => NOT_DONE,
    delivery: () => ({ kind: 'nothing', ending: 'close' }),
  }),
  proxyProblem: fitsProxy,
  examples: [
    {
      name: 'stale connection',
      closeIdle: { after: '100ms' },
      operations: AFTER_INPUTS,
      chance: '2%',
    },
  ],
})
