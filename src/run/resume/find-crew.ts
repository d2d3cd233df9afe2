/** Finds the crew of a run after the run's process has ended. */
import type { StopReason } from '../../execution/record/reason.ts'
import { env as processEnv } from 'node:process'
import { CREW_ENDED } from '../../execution/record/reason.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Place } from '../target/place.ts'
import { openPlace } from '../target/place.ts'
import { placeFacts, placeWords, parseTarget } from '../target/chosen-place.ts'
import { placeNotes } from '../target/place-notes.ts'
import type { ResumeOptions } from './options.ts'
import type { Survey } from './survey.ts'

export interface FoundCrew {
  target: URL
  /** For example `fake crew "default"`; null for a target that is not a fake crew. */
  profile: string | null
  /** Null when there is nothing to poll. */
  place: Place | null
  /** Why what is in flight cannot be polled; null when it can. */
  unreachable: StopReason | null
}

/** Sends nothing to a deployment. Throws UserError when the target is not a base URL. */
export async function findCrew(
  { recipe, run, inFlight }: Survey,
  plan: Plan,
  options: ResumeOptions,
): Promise<FoundCrew> {
  const own = recipe?.profile ?? null
  const target = parseTarget(options.target ?? run.target)
  const profile = own === null ? null : placeWords({ profile: own }).profile
  if (inFlight === 0) return { target, profile, place: null, unreachable: null }
  if ((run.ownCrew || own !== null) && options.target === undefined) {
    options.onNote?.(
      `${CREW_ENDED}: there is nothing to poll, and what was in flight ends as aborted; ` +
        '--target URL polls another crew',
    )
    return { target, profile, place: null, unreachable: { code: 'crew-ended' } }
  }
  const there = { target: target.href, tokens: options.tokens ?? [] }
  const env = options.env ?? processEnv
  for (const note of placeNotes(placeFacts({ ...there, env }))) options.onNote?.(note)
  const place = await openPlace(there, plan, env)
  return { target, profile: place.profile ?? profile, place, unreachable: null }
}
