/** Where load goes, as a value: the crew of a run, which documents, plans and comparisons name. */
import { z } from 'zod'

export const crewPlace = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('deployment'), target: z.string() })
    .describe('Any crew at a base URL that is not known to be a fake one'),
  z.object({
    kind: z.literal('fake'),
    profile: z.string().nullable().describe('Null if the fake crew does not say it'),
    target: z
      .string()
      .exactOptional()
      .describe('Absent before the crew is started, and where the runs of a study had several'),
    own: z.boolean().describe('It was started for the run, and ends with it'),
  }),
  z
    .object({ kind: z.literal('virtual'), profile: z.string() })
    .describe('A fake crew that is simulated in virtual time'),
])
export type CrewPlace = z.infer<typeof crewPlace>

/** Which crew it is, wherever it runs: a fake one by its profile, as each run may start its own. */
export const knownCrew = z.union([
  z.object({ profile: z.string() }),
  z.object({ target: z.string() }),
])
export type KnownCrew = z.infer<typeof knownCrew>

export function crewAt(place: CrewPlace): KnownCrew {
  const profile = profileOf(place)
  return profile === null ? { target: targetOf(place) ?? '' } : { profile }
}

/** Each of the crews once. */
export function distinctCrews(places: readonly CrewPlace[]): KnownCrew[] {
  return distinct(places.map(crewAt))
}

export function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** Null for a deployment, and for a fake crew that does not say it. */
export function profileOf(place: CrewPlace): string | null {
  return place.kind === 'deployment' ? null : place.profile
}

/** The base URL; null in virtual time, and where it is not known. */
export function targetOf(place: CrewPlace): string | null {
  return place.kind === 'virtual' ? null : (place.target ?? null)
}

/** Executions left in flight are gone with it, and cost nothing. */
export function endsWithRun(place: CrewPlace): boolean {
  return place.kind === 'virtual' || (place.kind === 'fake' && place.own)
}
