/**
 * A stall in mid-body: the head and a part arrive, the rest never does, and the connection stays
 * open.
 */
import { z } from 'zod'
import { utf8Length } from '../../../../src/base/utf8.ts'
import { EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { partOfBody, partOfBodyComplete } from '../parameters.ts'

export const stall = defineFault({
  kind: 'stall',
  description: 'Silence after this share of the body; the connection stays open.',
  reach: EVERY_OPERATION,
  written: z.strictObject({ share: partOfBody.prefault('50%') }),
  complete: z.strictObject({ kind: z.literal('stall'), share: partOfBodyComplete }),
  effect: ({ share }) => ({
    delivery: ({ body }) => ({
      kind: 'part',
      bytes: Math.floor(utf8Length(body ?? '') * share),
      ending: 'open',
    }),
  }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'stall', stall: {}, operations: ['status'], chance: '0.5%' }],
})
