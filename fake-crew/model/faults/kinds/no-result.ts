/** Completed without a result: `result` is null, in either dialect. */
import { z } from 'zod'
import { POLLS, defineFault, needsExecutions, noParameters } from '../definition.ts'
import { viewOf, withResult } from '../effect.ts'

export const noResult = defineFault({
  kind: 'noResult',
  description: 'Completed without a result.',
  reach: POLLS,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('noResult') }),
  effect: () => ({
    applies: (scene) => viewOf(scene)?.phase === 'completed',
    content: (content) => withResult(content, null),
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'no result', noResult: {}, chance: '2%' }],
})
