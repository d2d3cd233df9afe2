/** Sets up what virtual time simulates: a fake crew with a profile, behind a network. */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { VirtualHostOptions } from '../../host/virtual/index.ts'
import { DEFAULT_NETWORK_NAME } from '../../host/virtual/index.ts'
import { together } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { openNetwork } from './network.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { demandProfile } from '../target/chosen-place.ts'

/** The profile with the run's seed, speed and dialect. */
export type Simulation = Pick<VirtualHostOptions, 'profile' | 'network'>

type SimulationOptions = Pick<RunOptions, 'target' | 'profile' | 'dialect' | 'engine'>

/**
 * Reads both, so that every mistake in them is reported at once, before anything runs. Throws
 * UserError.
 */
export async function openSimulation(
  { seed, speed }: Pick<Plan, 'seed' | 'speed'>,
  options: SimulationOptions,
): Promise<Simulation> {
  const { dialect } = options
  const engine = engineOf(options)
  const { network = DEFAULT_NETWORK_NAME } = engine.kind === 'virtual' ? engine : {}
  const [own, between] = await together(
    (async () => loadProfile(demandProfile(options)))(),
    openNetwork(network),
  )
  const profile = { ...own, seed, speed: speed * own.speed, dialect: dialect ?? own.dialect }
  return { profile, network: between }
}
