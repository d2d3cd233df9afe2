/** The speed of the fake crew whose faults are the trigger. */
import { env as processEnv } from 'node:process'
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { UserError } from '../../../base/mistakes.ts'
import { adminTokenIn, findFakeControl } from '../../../run/fake/control.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import type { Design } from '../plan/plan.ts'

/**
 * The factor by which the crew divides the times of its faults. Throws UserError when there is no
 * fake crew.
 */
export async function crewSpeedOf({ plan, options }: Design): Promise<number> {
  const place = onePlace(options)
  if (place.kind === 'profile') return plan.speed * loadProfile(place.profile).speed
  const fake = await findFakeControl(place.target, adminTokenIn(options.env ?? processEnv))
  if (fake !== null) return fake.speed
  const problem =
    'faults need a fake crew on this machine, and this target is not one: disturb ' +
    'it with --trigger-command'
  throw new UserError({ source: '--trigger', path: '', problem })
}
