/** Eventual consistency: a status request too soon after the kickoff finds no execution. */
import { z } from 'zod'
import { draw, scale } from '../../../../src/base/distribution.ts'
import { distribution, micros } from '../../schema/complete-form/quantities.ts'
import { KICKOFFS, defineFault, fitsProxy } from '../definition.ts'
import { anyDuration } from '../parameters.ts'

export const notFound = defineFault({
  kind: 'notFound',
  description: 'The execution cannot be found for this long after its kickoff.',
  reach: KICKOFFS,
  written: z.strictObject({ for: anyDuration.meta({ description: 'Counts from the kickoff.' }) }),
  complete: z.strictObject({ kind: z.literal('notFound'), for: distribution(micros) }),
  atSpeed: (what, speed) => ({ ...what, for: scale(what.for, 1 / speed) }),
  effect: (what) => ({
    hiddenMicros: ({ random }) => draw(what.for, random.fork('hidden')),
  }),
  proxyProblem: fitsProxy,
  examples: [
    {
      name: 'not found yet',
      notFound: { for: { uniform: { min: 0, max: '1s' } } },
      chance: '5%',
    },
  ],
})
