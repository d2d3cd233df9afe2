/** A stuck execution: it runs forever in its last task and keeps its worker. */
import { z } from 'zod'
import { KICKOFFS, defineFault, needsExecutions, noParameters } from '../definition.ts'

export const stuck = defineFault({
  kind: 'stuck',
  description: 'The execution never ends and keeps its worker.',
  reach: KICKOFFS,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('stuck') }),
  effect: () => ({ demand: (demand) => ({ ...demand, fate: 'stuck' }) }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'stuck for good', stuck: {}, chance: '1%' }],
})
