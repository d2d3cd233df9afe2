import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { onePlace } from '../target/chosen-place.ts'

/**
 * Checks the target, or reads the files of the fake crew and its network, before anything is
 * started. Throws UserError with every mistake. The reader of profiles is loaded only for a fake
 * crew.
 */
export async function demandReadable(options: RunOptions): Promise<void> {
  if (engineOf(options).kind === 'virtual') {
    const { openSimulation } = await import('../simulation/simulation.ts')
    await openSimulation({ seed: 0, speed: 1 }, options)
    return
  }
  const place = onePlace(options)
  if (place.kind === 'target') return
  const { loadProfile } = await import('../../../fake-crew/profiles.ts')
  loadProfile(place.profile)
}
