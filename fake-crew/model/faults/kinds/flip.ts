/** A terminal state that flips: an end that was told before is told otherwise. */
import type { Effect, Scene } from '../effect.ts'
import { viewOf } from '../effect.ts'
import type { ExecutionView } from '../../work/execution-view.ts'
import type { FaultWhat } from '../fault.ts'

type FlipFault = Extract<FaultWhat, { kind: 'flip' }>

/** Remembers whose end was told: there is nothing to flip before. */
export function flipEffect({ to }: FlipFault): Effect {
  const told = new Set<number>()
  return {
    applies: (scene: Scene) => {
      const view = viewOf(scene)
      if (view === null || !isEnded(view)) return false
      const before = told.has(view.ordinal)
      told.add(view.ordinal)
      return before
    },
    view: (view) => flipped(view, to),
    forget: (ordinal) => told.delete(ordinal),
  }
}

function isEnded({ phase }: ExecutionView): boolean {
  return phase === 'completed' || phase === 'failed'
}

/** What failed cannot fail again: it runs. What another fault has flipped already stays as it is. */
function flipped(view: ExecutionView, to: FlipFault['to']): ExecutionView | undefined {
  if (!isEnded(view)) return undefined
  if (view.phase === 'failed') return view.toldAs('running', view.completedTasks)
  return view.toldAs(to, view.completedTasks - 1)
}
