/** A truncated body: the connection closes before the announced length. */
import { z } from 'zod'
import { utf8Length } from '../../../../src/base/utf8.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { partOfBody, partOfBodyComplete } from '../parameters.ts'

export const truncate = defineFault({
  kind: 'truncate',
  description: 'The connection is closed after this share of the body.',
  reach: EVERY_OPERATION,
  written: z.strictObject({ share: partOfBody.prefault('50%') }),
  complete: z.strictObject({ kind: z.literal('truncate'), share: partOfBodyComplete }),
  effect: ({ share }) => ({
    delivery: ({ body }) => ({
      kind: 'part',
      bytes: Math.floor(utf8Length(body ?? '') * share),
      ending: 'close',
    }),
  }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'truncated', truncate: {}, operations: AFTER_INPUTS, chance: '1%' }],
})
