/** A stuck execution: it runs for ever in its last task, and holds its worker. */
import type { Effect } from '../effect.ts'

export function stuckEffect(): Effect {
  return { demand: ({ taskEndsMs }) => ({ fate: 'stuck', taskEndsMs }) }
}
