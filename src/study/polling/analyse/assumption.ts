/** What a quota that a study of limits has found rests on. */
import type { WishTold } from '../document.ts'

/** Null for a quota that was stated, and for none. */
export function assumptionWords({ limits, maxPolls }: WishTold): string | null {
  if (limits === null) return null
  const { source, target, assumed } = limits
  return `${maxPolls} is the safe rate of status at ${target} (${source}); it assumes ${assumed}`
}
