/** A kickoff that appears to be accepted: its id belongs to no execution, and nothing starts. */
import { z } from 'zod'
import { KICKOFFS, defineFault, fitsProxy, noParameters } from '../definition.ts'
import { strangeId } from '../effect.ts'

export const neverStarts = defineFault({
  kind: 'neverStarts',
  description: 'A kickoff is answered with an id, but nothing starts.',
  reach: KICKOFFS,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('neverStarts') }),
  effect: () => ({ startsNothing: true, kickoffId: (_, scene) => strangeId(scene) }),
  proxyProblem: fitsProxy,
  examples: [{ name: 'never starts', neverStarts: {}, chance: '1%' }],
})
