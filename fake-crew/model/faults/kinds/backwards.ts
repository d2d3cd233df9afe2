/** Progress that goes backwards: an answer tells fewer completed tasks than there are. */
import type { Effect } from '../effect.ts'
import { viewOf } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function backwardsEffect({ tasks }: Extract<FaultWhat, { kind: 'backwards' }>): Effect {
  return {
    applies: (scene) => {
      const view = viewOf(scene)
      return view?.phase === 'running' && view.completedTasks > 0
    },
    view: (view) => view.toldAs('running', Math.max(0, view.completedTasks - tasks)),
  }
}
