/** What a plan says of the place besides its address. */
import { plural } from '../../base/numbers.ts'
import { SHORTEST_TOKEN } from '../../host/secrets.ts'
import type { PlaceFacts } from '../forecast.ts'

/** One sentence each. */
export function placeNotes({
  shortTokens = 0,
  shortHeaders = 0,
}: Omit<PlaceFacts, 'place'>): string[] {
  const short = [
    shortTokens === 0 ? [] : plural(shortTokens, 'token'),
    shortHeaders === 0 ? [] : plural(shortHeaders, 'credential header'),
  ].flat()
  if (short.length === 0) return []
  return [
    `${short.join(' and ')} of fewer than ${SHORTEST_TOKEN} characters: if the target ` +
      'repeats one, journal and reports show it',
  ]
}
