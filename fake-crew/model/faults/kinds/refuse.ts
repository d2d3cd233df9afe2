/** New connections are refused; open ones stay usable. */
import { z } from 'zod'
import { defineFault, fitsProxy, noParameters } from '../definition.ts'

export const refuse = defineFault({
  kind: 'refuse',
  description: 'New connections are refused; open ones stay usable.',
  reach: 'connections',
  mustEnd: true,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('refuse') }),
  effect: () => null,
  proxyProblem: fitsProxy,
  examples: [{ name: 'refused', refuse: {}, window: { from: '4s', for: '200ms', every: '7s' } }],
})
