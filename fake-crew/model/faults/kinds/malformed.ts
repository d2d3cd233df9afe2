/**
 * A complete answer whose body is not JSON: the text breaks off halfway, and the length matches it.
 */
import { z } from 'zod'
import {
  AFTER_INPUTS,
  EVERY_OPERATION,
  defineFault,
  fitsProxy,
  noParameters,
} from '../definition.ts'

export const malformed = defineFault({
  kind: 'malformed',
  description: 'A complete answer whose body is not JSON.',
  reach: EVERY_OPERATION,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('malformed') }),
  effect: () => ({
    content: ({ status, headers, body }) => {
      const text = body ?? ''
      return { status, headers, body: `${text.slice(0, Math.floor(text.length / 2))}<` }
    },
  }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'malformed', malformed: {}, operations: AFTER_INPUTS, chance: '1%' }],
})
