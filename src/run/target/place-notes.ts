/** What a plan says of the place besides its address. */
import { plural } from '../../base/numbers.ts'
import { SHORTEST_TOKEN } from '../../host/secrets.ts'
import type { PlaceFacts } from './run-plan.ts'

/** One sentence each. */
export function placeNotes({ shortTokens = 0 }: PlaceFacts): string[] {
  if (shortTokens === 0) return []
  return [
    `${plural(shortTokens, 'token')} of fewer than ${SHORTEST_TOKEN} characters: where the target ` +
      'repeats one, it is not taken out of the journal and the reports',
  ]
}

export function countShort(tokens: readonly string[]): number {
  return tokens.filter(({ length }) => length < SHORTEST_TOKEN).length
}
