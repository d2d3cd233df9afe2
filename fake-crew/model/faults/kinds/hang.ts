/** The request is accepted and never answered. */
import { z } from 'zod'
import type { Delivery } from '../../exchange.ts'
import { flag } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { NOT_DONE } from '../not-done.ts'
import { carriedOut } from '../parameters.ts'

export const hang = defineFault({
  kind: 'hang',
  description: 'The request is accepted and never answered.',
  reach: EVERY_OPERATION,
  written: z.strictObject({ carriedOut: carriedOut(true) }),
  complete: z.strictObject({ kind: z.literal('hang'), carriedOut: flag }),
  effect: (what) => (what.carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'hang', hang: {}, operations: AFTER_INPUTS, chance: '0.5%' }],
})

function delivery(): Delivery {
  return { kind: 'nothing', ending: 'open' }
}
