/** Runs a mix: several scenarios at the same time. */
import { decidability, decidabilityNotes } from '../../result/verdict/decidable.ts'
import type { Mix } from '../../scenario/define.ts'
import { demandConsent } from '../errors.ts'
import { createRunFolder } from '../folder/folder.ts'
import type { RunOptions } from '../options.ts'
import type { OptionsInCode } from '../run.ts'
import { withProfile } from '../run.ts'
import { demandKnownOptions } from '../options.ts'
import type { LoadedScenario } from '../scenario/load.ts'
import { loaded } from '../scenario/load.ts'
import { carryMix } from './carry.ts'
import type { MixOutcome } from './carry.ts'
import type { MixForecast } from './forecast.ts'
import { mixForecastOf } from './forecast.ts'
import { prepareMix } from './parts.ts'

export interface MixOptions extends Omit<RunOptions, 'confirm'> {
  /** Called when the plans are known and before anything is sent; false sends nothing. */
  confirm?: (forecast: MixForecast) => boolean | Promise<boolean>
}

/**
 * Runs the parts of a mix (a file, or what `defineMix` returns) at the same time, and judges each.
 * Throws as `run` does.
 */
export async function runMix(
  mix: string | Mix,
  options: Omit<MixOptions, 'profile'> & Pick<OptionsInCode, 'profile'> = {},
): Promise<MixOutcome> {
  return runLoadedMix(await loaded(mix), await withProfile(options))
}

/** The same for one that was loaded already. */
export async function runLoadedMix(
  from: LoadedScenario,
  { confirm, ...options }: MixOptions,
): Promise<MixOutcome> {
  demandKnownOptions(options)
  const mix = await prepareMix(from, options)
  for (const { name, plan } of mix.parts) {
    for (const note of decidabilityNotes(decidability(plan))) options.onNote?.(`${name}: ${note}`)
  }
  await demandConsent(confirm, () => mixForecastOf(mix, options))
  const { out = 'reports' } = options
  const folder = out === false ? null : await createRunFolder(out, mix.name, new Date())
  const reference = from.code === null ? null : from.source
  return carryMix(mix, { reference, options }, folder)
}
