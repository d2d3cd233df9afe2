/** The options of a twin, and its plan. */
import { file, files, inCode, wholeNumber } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT, PLAN } from '../../run/options.ts'
import { SEED } from '../frame/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import type { StudiedLimit } from './analyse/learn/limits.ts'

export interface TwinPlan {
  runs: readonly string[]
  /** Null if the profile is not written. */
  file: string | null
  replays: number | null
}

/**
 * Infers limits from the answers that the runs recorded. Another study does that, and the caller
 * passes it in.
 */
export type LimitsReader = (runs: readonly string[]) => Promise<readonly StudiedLimit[]>

export const REPLAYS = { least: 0, most: 100 }

export const TWIN = {
  runs: kept('<runs...>', 'run folders to learn from', files, { required: true }),
  /** `.yaml` or `.yml`. Without it, the profile is only in the document. */
  file: kept('--write-profile <file>', 'profile to write, like "twin.yaml"', file, {
    otherwise: 'none',
  }),
  out: OUT,
  /** Of the arrivals. The default depends on the number of executions. */
  replays: kept(
    '--replays <n>',
    'replays of the runs on the twin',
    wholeNumber(REPLAYS.least, REPLAYS.most),
    { otherwise: '5 to 20' },
  ),
  seed: {
    ...PLAN.seed,
    help: 'seed of the replays',
    takes: wholeNumber(0, 2 ** 31),
    otherwise: String(SEED),
  },
  /** Default: limits are not inferred. */
  readLimits: { takes: inCode<LimitsReader>() },
} satisfies OptionTable

export interface TwinOptions extends OptionsOf<typeof TWIN>, StudyOptions<TwinPlan> {}
