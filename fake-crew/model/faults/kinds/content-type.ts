/** The right body with a wrong content type. */
import { z } from 'zod'
import { text } from '../../schema/quantities.ts'
import { word } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { printable } from '../parameters.ts'

const HELP = 'expected a content type'

export const contentType = defineFault({
  kind: 'contentType',
  description: 'The right body with this content type.',
  reach: EVERY_OPERATION,
  written: text('a content type')
    .refine((type) => printable.test(type), { error: HELP })
    .transform((type) => ({ type })),
  complete: z.strictObject({
    kind: z.literal('contentType'),
    type: word('a content type').regex(printable, { error: HELP }),
  }),
  effect: ({ type }) => ({
    content: ({ status, headers, body }) => ({
      status,
      headers: { ...headers, 'content-type': type },
      body,
    }),
  }),
  proxyProblem: fitsProxy,
  examples: [
    { name: 'wrong type', contentType: 'text/html', operations: AFTER_INPUTS, chance: '1%' },
  ],
})
