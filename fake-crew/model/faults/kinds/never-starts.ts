/** A kickoff that is accepted in words alone: its id is nobody's, and nothing starts. */
import { z } from 'zod'
import { KICKOFFS, defineFault, fitsProxy, noParameters } from '../definition.ts'
import { strangeId } from '../effect.ts'

export const neverStarts = defineFault({
  kind: 'neverStarts',
  description: 'A kickoff is told an id, and nothing starts.',
  reach: KICKOFFS,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('neverStarts') }),
  effect: () => ({ startsNothing: true, kickoffId: (_, scene) => strangeId(scene) }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'never starts', neverStarts: {}, chance: '1%' }],
})
