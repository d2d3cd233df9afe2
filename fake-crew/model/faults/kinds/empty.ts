/** An empty answer: the connection closes normally (FIN) without a byte. */
import { z } from 'zod'
import type { Delivery } from '../../exchange.ts'
import { flag } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { NOT_DONE } from '../not-done.ts'
import { carriedOut } from '../parameters.ts'

export const empty = defineFault({
  kind: 'empty',
  description: 'The connection is closed (FIN) without a byte of the answer.',
  reach: EVERY_OPERATION,
  written: z.strictObject({ carriedOut: carriedOut(true) }),
  complete: z.strictObject({ kind: z.literal('empty'), carriedOut: flag }),
  effect: (what) => (what.carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'empty', empty: {}, operations: AFTER_INPUTS, chance: '1%' }],
})

function delivery(): Delivery {
  return { kind: 'nothing', ending: 'close' }
}
