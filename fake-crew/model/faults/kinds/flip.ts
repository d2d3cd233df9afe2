/** A terminal state that flips: an end that was told before is told otherwise. */
import { z } from 'zod'
import { oneOf } from '../../schema/quantities.ts'
import type { ExecutionView } from '../../work/execution-view.ts'
import { POLLS, defineFault, needsExecutions } from '../definition.ts'
import { viewOf } from '../effect.ts'

const STATES = ['running', 'failed'] as const

export const flip = defineFault({
  kind: 'flip',
  description: 'An end that was told before becomes another state.',
  reach: POLLS,
  written: z.strictObject({ to: oneOf(STATES).prefault('running') }),
  complete: z.strictObject({ kind: z.literal('flip'), to: oneOf(STATES) }),
  effect: ({ to }) => {
    // Whose end was told: there is nothing to flip before.
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
 * What failed cannot fail again: it runs. What another fault has flipped already stays as it is.
 */
function flipped(view: ExecutionView, to: (typeof STATES)[number]): ExecutionView | undefined {
  if (!isEnded(view)) return undefined
  if (view.phase === 'failed') return view.toldAs('running', view.completedTasks)
  return view.toldAs(to, view.completedTasks - 1)
}
