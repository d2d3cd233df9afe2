/** What a choice among strategies decides. */
import type { StrategyChoice } from './choose.ts'

/**
 * `none`: no strategy keeps what must hold. `unsure`: its band does not. `wide`: another one may be
 * so much better that nothing is known. `tie`: another one may be better, though not by as much.
 * `clear`: none is better by a share that matters.
 */
type ChoiceStanding = 'none' | 'unsure' | 'wide' | 'tie' | 'clear'

/** A strategy may be worse than another one by this share without a better one being missed. */
export const TOLERANCE = 0.1
/** Two strategies tie up to this share; beyond it, which of them to take is a guess. */
const WIDE = 0.5

export function standingOf({
  best,
  isSure,
  regret,
}: Pick<StrategyChoice, 'best' | 'isSure' | 'regret'>): ChoiceStanding {
  if (best === null) return 'none'
  if (!isSure) return 'unsure'
  if (regret === null || regret.high <= TOLERANCE) return 'clear'
  // NaN is no tie.
  return regret.high <= WIDE ? 'tie' : 'wide'
}

/** Whether the study answers with it. */
export function isAnswer(choice: StrategyChoice): boolean {
  const standing = standingOf(choice)
  return standing === 'tie' || standing === 'clear'
}
