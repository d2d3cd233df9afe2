/** Detects whether a scenario and a profile have changed. */
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { hashText } from '../../../base/random.ts'
import { describePlan, planHash } from '../../../scenario/plan-data.ts'
import type { Plan } from '../../../scenario/plan.ts'

/** `plan` is null without a scenario; `profile` is undefined without a profile. */
export function fingerprintOf(plan: Plan | null, profile: string | undefined): string {
  const scenario = plan === null ? '' : planHash(describePlan(plan))
  const crew = profile === undefined ? '' : JSON.stringify(loadProfile(profile))
  return `${scenario}-${hashText(crew).toString(16)}`
}
