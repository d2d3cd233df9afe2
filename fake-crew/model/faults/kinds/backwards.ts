/** Progress that goes backwards: an answer reports fewer completed tasks than there are. */
import { z } from 'zod'
import { count } from '../../schema/quantities.ts'
import { whole } from '../../schema/complete-form/quantities.ts'
import { POLLS, defineFault, needsExecutions } from '../definition.ts'
import { viewOf } from '../effect.ts'

export const backwards = defineFault({
  kind: 'backwards',
  description: 'Progress that reports this many tasks fewer than are completed.',
  reach: POLLS,
  written: z.strictObject({ tasks: count(1).prefault(1) }),
  complete: z.strictObject({ kind: z.literal('backwards'), tasks: whole(1) }),
  effect: ({ tasks }) => ({
    applies: (scene) => {
      const view = viewOf(scene)
      return view?.phase === 'running' && view.completedTasks > 0
    },
    view: (view) => view.toldAs('running', Math.max(0, view.completedTasks - tasks)),
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'backwards', backwards: {}, chance: '2%' }],
})
