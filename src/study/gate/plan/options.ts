/** The options of `gate()`, which the command line fills from its flags. */
import type { Engine, EngineName, RunOptions } from '../../../run/options.ts'
import type { ChangeOptions } from '../../frame/comparing/options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { GatePlan } from './outline.ts'

type Shared = Omit<
  RunOptions,
  keyof StudyOptions<GatePlan> | 'engine' | 'faults' | 'judge' | 'inconclusive'
>

/** `target` or `profile` names the candidate. */
export interface GateOptions
  extends Shared, StudyOptions<GatePlan>, Pick<ChangeOptions, 'metrics' | 'smallestChange'> {
  /** The name of a shipped scenario, or a file. */
  scenario: string
  /**
   * The engine of every run of both sides; `virtual` needs profiles. Default: `virtual` with a
   * profile, `node` with a target.
   */
  engine?: Engine | EngineName
  /** The most runs per side, 3 to 100. Default 8. */
  runs?: number
  /** The folder of the baseline's runs; if it has none, this gate writes them. */
  baseline?: string
  /** The target of the baseline, whose runs alternate with those of the candidate. */
  baselineTarget?: string
  baselineProfile?: string
  /**
   * Commands for `sh` that start the candidate at `target`, and the baseline at `baselineTarget`
   * (default: also at `target`), before each of their runs, and are ended after it.
   */
  start?: string
  baselineStart?: string
  /**
   * The tokens of `baselineTarget`. Default: CREWLOAD_BASELINE_TOKEN of `env`, or else `tokens`.
   */
  baselineTokens?: readonly string[]
  /** When the candidate's runs become the baseline. Default: only if there is none. */
  updateBaseline?: 'pass' | 'always'
  /** The regression that PASS excludes, like `10%`. Default: twice `smallestChange`. */
  margin?: string
  /** The file to which a line about the gate is added. Default: `history.ndjson` in `baseline`. */
  history?: string
  /** The commit from which the candidate was built. */
  commit?: string
}
