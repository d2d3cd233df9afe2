/** Where the load of a study goes, or what it reads. */
import { z } from 'zod'
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import { crewAt, crewPlace, distinct } from '../../execution/record/crew-place.ts'
import { plural } from '../../base/numbers.ts'
import { crewText, placeText } from '../../report/frame/place-text.ts'

export const studyPlace = z.discriminatedUnion('kind', [
  ...crewPlace.options,
  z
    .object({ kind: z.literal('runs'), runs: z.int().min(0) })
    .describe('Runs that were made before, of several crews or of one that they do not name'),
  z
    .object({ kind: z.literal('gates'), file: z.string() })
    .describe('The gates in a file of their history'),
])
export type StudyPlace = z.infer<typeof studyPlace>

/** What all of them have in common. `runs`: how many there are, read or not. */
export function commonPlace(places: readonly CrewPlace[], runs: number): StudyPlace {
  const [first, ...others] = distinct(places)
  if (first === undefined) return { kind: 'runs', runs }
  if (others.length === 0) return first
  const crew = crewAt(first)
  if (distinct(places.map(crewAt)).length > 1 || !('profile' in crew)) return { kind: 'runs', runs }
  return { kind: 'fake', profile: crew.profile, own: false }
}

export function studyPlaceText(place: StudyPlace): string {
  switch (place.kind) {
    case 'runs':
      return plural(place.runs, 'run')
    case 'gates':
      return place.file
    default:
      return placeText(place)
  }
}

/** The crew alone, for lists. */
export function studyCrewText(place: StudyPlace): string {
  return place.kind === 'runs' || place.kind === 'gates'
    ? studyPlaceText(place)
    : crewText(crewAt(place))
}
