/** One execution's result in the answer about another. */
import type { Effect, Scene } from '../effect.ts'
import { resultOf, viewOf, withResult } from '../effect.ts'
import type { ExecutionView } from '../../work/execution-view.ts'

/** How far before it another that has completed is looked for. */
const NEIGHBOURS = 100

export function swapEffect(): Effect {
  return {
    applies: (scene) => viewOf(scene)?.phase === 'completed' && otherOf(scene) !== null,
    content: (content, scene) => {
      const { stage, call } = scene
      const other = stage.truth!.tell(otherOf(scene)!, call.nowMicros)
      return withResult(content, resultOf(other))
    },
  }
}

/** The nearest accepted before it that has completed. */
function otherOf(scene: Scene): ExecutionView | null {
  const ordinal = scene.call.ordinal ?? 0
  for (let other = ordinal - 1; other >= Math.max(0, ordinal - NEIGHBOURS); other--) {
    const view = viewOf(scene, other)
    if (view?.phase === 'completed') return view
  }
  return null
}
