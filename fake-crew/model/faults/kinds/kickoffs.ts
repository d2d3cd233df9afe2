/** Faults of a kickoff: what starts is hidden, stuck or misnamed, or nothing starts. */
import { z } from 'zod'
import { draw, scale } from '../../../../src/base/distribution.ts'
import { oneOf, time } from '../../schema/quantities.ts'
import { KICKOFFS, defineFault, needsExecutions, noParameters } from '../definition.ts'
import type { Scene } from '../effect.ts'

/** Eventual consistency. */
export const notFound = defineFault({
  kind: 'notFound',
  description: 'The execution cannot be found for this long after its kickoff.',
  reach: KICKOFFS,
  written: z.strictObject({ for: time.meta({ description: 'Counts from the kickoff.' }) }),
  atSpeed: (what, speed) => ({ for: scale(what.for, 1 / speed) }),
  effect: (what) => ({
    hiddenMicros: ({ random }) => draw(what.for, random.fork('hidden')),
  }),
  examples: [
    {
      name: 'not found yet',
      notFound: { for: { uniform: { min: 0, max: '1s' } } },
      chance: '5%',
    },
  ],
})

/** It runs forever in its last task. */
export const stuck = defineFault({
  kind: 'stuck',
  description: 'The execution never ends and keeps its worker.',
  reach: KICKOFFS,
  written: noParameters,
  effect: () => ({ demand: (demand) => ({ ...demand, fate: 'stuck' }) }),
  proxyProblem: needsExecutions,
  scriptProblem: 'expected "outcome: stuck" of the script in its place',
  examples: [{ name: 'stuck for good', stuck: {}, chance: '1%' }],
})

export const neverStarts = defineFault({
  kind: 'neverStarts',
  description: 'A kickoff is answered with an id, but nothing starts.',
  reach: KICKOFFS,
  written: noParameters,
  effect: () => ({ startsNothing: true, kickoffId: (_, scene) => strangeId(scene) }),
  scriptProblem: 'expected it among the faults of the crew: what never starts has no script',
  examples: [{ name: 'never starts', neverStarts: {}, chance: '1%' }],
})

/** The id names no execution, or the previous one. */
export const wrongId = defineFault({
  kind: 'wrongId',
  description: 'A kickoff starts but reports the wrong id.',
  reach: KICKOFFS,
  written: z.strictObject({ of: oneOf(['nobody', 'another']).prefault('nobody') }),
  effect: ({ of }) => ({
    kickoffId: (ordinal, scene) =>
      of === 'another' && ordinal > 0 ? scene.stage.idOf(ordinal - 1) : strangeId(scene),
  }),
  examples: [
    { name: 'strange id', wrongId: {}, chance: '1%' },
    { name: 'borrowed id', wrongId: { of: 'another' }, chance: '1%' },
  ],
})

/** Ordinals from here on belong to no execution: half of what an id can name. */
const NOBODYS = 2 ** 47

/** A well-formed id that names no execution. */
function strangeId({ stage, random }: Scene): string {
  return stage.idOf(NOBODYS + random.fork('id').bits())
}
