/** Latency added to the crew's own, from any distribution. */
import { z } from 'zod'
import { draw } from '../../../../src/base/distribution.ts'
import { distribution, micros } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { anyDuration } from '../parameters.ts'

export const latency = defineFault({
  kind: 'latency',
  description: "Added to the answer's delay. Real time: speed does not change it.",
  reach: EVERY_OPERATION,
  written: anyDuration.transform((delay) => ({ delay })),
  complete: z.strictObject({ kind: z.literal('latency'), delay: distribution(micros) }),
  effect: ({ delay }) => ({
    delayMicros: ({ random }) => Math.max(0, Math.round(draw(delay, random.fork('delay')))),
  }),
  proxyProblem: fitsProxy,
  examples: [
    {
      name: 'slow',
      latency: { lognormal: { median: '50ms', p95: '500ms', cap: '2s' } },
      operations: AFTER_INPUTS,
      chance: '5%',
    },
  ],
})
