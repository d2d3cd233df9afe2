/** Completed without a result: `result` is null, in either dialect. */
import type { Effect } from '../effect.ts'
import { viewOf, withResult } from '../effect.ts'

export function noResultEffect(): Effect {
  return {
    applies: (scene) => viewOf(scene)?.phase === 'completed',
    content: (content) => withResult(content, null),
  }
}
