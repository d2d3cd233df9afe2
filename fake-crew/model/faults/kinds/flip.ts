/** A terminal state that flips: an end that was already reported is later reported differently. */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import type { ExecutionView } from '../../work/execution-view.ts'
import { POLLS, defineFault, needsExecutions } from '../definition.ts'
import { viewOf } from '../effect.ts'

const STATES = ['running', 'failed'] as const

export const flip = defineFault({
  kind: 'flip',
  description: 'An end that was already reported changes to another state.',
  reach: POLLS,
  written: z.strictObject({ to: oneOf(STATES).prefault('running') }),
  complete: z.strictObject({ kind: z.literal('flip'), to: oneOf(STATES) }),
  effect: ({ to }) => {
    // Only an end that was already reported can flip.
    const told = new Set<number>()
    return {
      applies: (scene) => {
        const view = viewOf(scene)
        if (view === null || !isEnded(view)) return false
        const before = told.has(view.ordinal)
        told.add(view.ordinal)
        return before
      },
      view: (view) => flipped(view, to),
      forget: (ordinal) => told.delete(ordinal),
    }
  },
  proxyProblem: needsExecutions,
  examples: [
    { name: 'flip', flip: {}, chance: '20%' },
    { name: 'flip to failed', flip: { to: 'failed' }, chance: '10%' },
  ],
})

function isEnded({ phase }: ExecutionView): boolean {
  return phase === 'completed' || phase === 'failed'
}

/**
 * A failed execution cannot fail again: it appears to run. An execution that another fault has
 * flipped stays as it is.
 */
function flipped(view: ExecutionView, to: (typeof STATES)[number]): ExecutionView | undefined {
  if (!isEnded(view)) return undefined
  if (view.phase === 'failed') return view.toldAs('running', view.completedTasks)
  return view.toldAs(to, view.completedTasks - 1)
}
