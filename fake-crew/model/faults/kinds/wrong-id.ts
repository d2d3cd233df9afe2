/** A kickoff that starts, and is told a wrong id: nobody's, or that of the execution before. */
import type { Effect } from '../effect.ts'
import { strangeId } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function wrongIdEffect({ of }: Extract<FaultWhat, { kind: 'wrongId' }>): Effect {
  return {
    kickoffId: (ordinal, scene) =>
      of === 'another' && ordinal > 0 ? scene.stage.idOf(ordinal - 1) : strangeId(scene),
  }
}
