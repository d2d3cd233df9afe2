/** Carries out one run: scenario, plan, folder, load. */
import { decidability, decidabilityNotes } from '../result/verdict/decidable.ts'
import { createRunFolder } from './folder/folder.ts'
import { isProfileText, profileText } from '../crew/fake/profile-text.ts'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import type { AnyScenario } from '../scenario/define.ts'
import type { RunOutcome } from './carry.ts'
import { demandConsent } from './errors.ts'
import { forecastOf } from './plan/forecast.ts'
import { prepare } from './plan/prepare.ts'
import type { RunOptions } from './options.ts'
import { demandKnownOptions } from './options.ts'
import type { LoadedScenario } from './scenario/load.ts'
import { loaded } from './scenario/load.ts'

/** The options of a run in code. */
export interface OptionsInCode extends Omit<RunOptions, 'profile'> {
  /** The fake crew: a shipped name, a YAML file, its text, or what stands in it. */
  profile?: string | WrittenProfile
}

/**
 * Runs a scenario (a shipped name, a file, or what `defineScenario` returns) to its end, and judges
 * it. Throws UserError for the user's mistakes, all at once and before anything is sent, and
 * TargetError when the target cannot be reached or refuses us. A target that misbehaves later is
 * data.
 */
export async function run(
  scenario: string | AnyScenario,
  inCode: OptionsInCode = {},
): Promise<RunOutcome> {
  return runFrom(async () => loaded(scenario), scenario, inCode)
}

/** The same for what `load` gives. `scenario`: as it was named, or the object itself. */
export async function runFrom(
  load: () => Promise<LoadedScenario>,
  scenario: string | AnyScenario,
  inCode: OptionsInCode,
): Promise<RunOutcome> {
  const options = await withProfile(inCode)
  demandKnownOptions(options)
  const plan = await prepare(load(), options, 'measured')
  for (const note of decidabilityNotes(decidability(plan))) options.onNote?.(note)
  await demandConsent(options.confirm, () => forecastOf(plan, options))
  const { out = 'reports' } = options
  const folder = out === false ? null : await createRunFolder(out, plan.name, new Date())
  // Here, because a plan that is only shown needs none of it.
  const { carryRun } = await import('./carry.ts')
  const { ledger: _, ...outcome } = await carryRun(
    { scenario, plan, options, reports: true },
    folder,
  )
  return outcome
}

/** The same options, with a profile as it is kept. Throws UserError with every mistake in it. */
export async function withProfile<O extends Pick<OptionsInCode, 'profile'>>({
  profile,
  ...others
}: O): Promise<Omit<O, 'profile'> & Pick<RunOptions, 'profile'>> {
  return profile === undefined ? others : { ...others, profile: await profileOf(profile) }
}

/** Throws UserError with every mistake in a text or value; names and files are read later. */
async function profileOf(profile: string | WrittenProfile): Promise<string> {
  if (typeof profile === 'string' && !isProfileText(profile)) return profile
  const { readProfileOf } = await import('../../fake-crew/options.ts')
  return profileText(readProfileOf({ profile }).written)
}
