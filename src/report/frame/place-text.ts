/** The sentences about where load goes. */
import { unreachable } from '../../base/assert.ts'
import type { CrewPlace, KnownCrew } from '../../execution/record/crew-place.ts'

/** `http://127.0.0.1:4010, fake crew "default"`. */
export function placeText(place: CrewPlace): string {
  return placeParts(place).join(', ')
}

export function placeParts(place: CrewPlace): string[] {
  switch (place.kind) {
    case 'deployment':
      return [place.target]
    case 'fake':
      return [place.target ?? 'this machine', fakeText(place.profile)]
    case 'virtual':
      return ['virtual time', fakeText(place.profile)]
    default:
      return unreachable(place)
  }
}

/** `fake crew "default"`, or the base URL of another crew. */
export function crewText(crew: KnownCrew): string {
  return 'profile' in crew ? fakeText(crew.profile) : crew.target
}

function fakeText(profile: string | null): string {
  return profile === null ? 'fake crew' : `fake crew ${JSON.stringify(profile)}`
}
