/** The answer about one execution contains the result of another. */
import { z } from 'zod'
import type { ExecutionView } from '../../work/execution-view.ts'
import { POLLS, defineFault, needsExecutions, noParameters } from '../definition.ts'
import type { Scene } from '../effect.ts'
import { resultOf, viewOf, withResult } from '../effect.ts'

export const swap = defineFault({
  kind: 'swap',
  description: 'Completed with the result of an earlier execution.',
  reach: POLLS,
  written: noParameters,
  complete: z.strictObject({ kind: z.literal('swap') }),
  effect: () => ({
    applies: (scene) => viewOf(scene)?.phase === 'completed' && otherOf(scene) !== null,
    content: (content, scene) => {
      const { stage, call } = scene
      const other = stage.truth!.tell(otherOf(scene)!, call.nowMicros)
      return withResult(content, resultOf(other))
    },
  }),
  proxyProblem: needsExecutions,
  examples: [{ name: 'swapped', swap: {}, chance: '2%' }],
})

/** The number of earlier executions that are searched for one that has completed. */
const NEIGHBOURS = 100

/** The nearest earlier execution that has completed. */
function otherOf(scene: Scene): ExecutionView | null {
  const ordinal = scene.call.ordinal ?? 0
  for (let other = ordinal - 1; other >= Math.max(0, ordinal - NEIGHBOURS); other--) {
    const view = viewOf(scene, other)
    if (view?.phase === 'completed') return view
  }
  return null
}
