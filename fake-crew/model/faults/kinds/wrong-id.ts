/**
 * A kickoff that starts but reports a wrong id: one that names no execution, or that of the
 * previous execution.
 */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import { KICKOFFS, defineFault, fitsProxy } from '../definition.ts'
import { strangeId } from '../effect.ts'

const OWNERS = ['nobody', 'another'] as const

export const wrongId = defineFault({
  kind: 'wrongId',
  description: 'A kickoff starts but reports the wrong id.',
  reach: KICKOFFS,
  written: z.strictObject({ of: oneOf(OWNERS).prefault('nobody') }),
  complete: z.strictObject({ kind: z.literal('wrongId'), of: oneOf(OWNERS) }),
  effect: ({ of }) => ({
    kickoffId: (ordinal, scene) =>
      of === 'another' && ordinal > 0 ? scene.stage.idOf(ordinal - 1) : strangeId(scene),
  }),
  proxyProblem: fitsProxy,
  examples: [
    { name: 'strange id', wrongId: {}, chance: '1%' },
    { name: 'borrowed id', wrongId: { of: 'another' }, chance: '1%' },
  ],
})
