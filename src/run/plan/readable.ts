import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { openSimulation } from '../simulation/simulation.ts'
import { demandPlace } from '../target/chosen-place.ts'

/**
 * Checks the target, or reads the files of the fake crew and its network, before anything is
 * started. Throws UserError with every mistake.
 */
export async function demandReadable(options: RunOptions): Promise<void> {
  if (engineOf(options).kind === 'virtual') await openSimulation({ seed: 0, speed: 1 }, options)
  else demandPlace(options)
}
