/** A kickoff that is accepted in words alone: its id is nobody's, and nothing starts. */
import type { Effect } from '../effect.ts'
import { strangeId } from '../effect.ts'

export function neverStartsEffect(): Effect {
  return { startsNothing: true, kickoffId: (_, scene) => strangeId(scene) }
}
