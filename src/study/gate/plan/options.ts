/** The options of `gate()`, which the command line fills from its flags. */
import type { Engine, EngineName, RunOptions } from '../../../run/options.ts'
import type { AskedChange } from '../../frame/comparing/asked.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { GatePlan } from './plan.ts'

type Shared = Omit<
  RunOptions,
  keyof StudyOptions<GatePlan> | 'engine' | 'faults' | 'judge' | 'inconclusive'
>

/** `target` or `profile` is the candidate. */
export interface GateOptions
  extends Shared, StudyOptions<GatePlan>, Pick<AskedChange, 'metrics' | 'smallestChange'> {
  /** A shipped name, or a file. */
  scenario: string
  /**
   * It carries every run of both sides; `virtual` needs profiles. Default: `virtual` with a
   * profile, `node` with a target.
   */
  engine?: Engine | EngineName
  /** Runs a side at most, 3 to 100. Default 8. */
  runs?: number
  /** The folder of the baseline's runs; where there are none, this gate writes them. */
  baseline?: string
  /** The baseline itself, run by turns with the candidate. */
  baselineTarget?: string
  baselineProfile?: string
  /**
   * Commands for `sh` that start the candidate at `target`, and the baseline at `baselineTarget`
   * (default: at `target` too), before each of their runs; they are ended after it.
   */
  start?: string
  baselineStart?: string
  /** Tokens of `baselineTarget`. Default: CREWLOAD_BASELINE_TOKEN of `env`, or else `tokens`. */
  baselineTokens?: readonly string[]
  /** When the candidate's runs become the baseline. Default: only where there is none. */
  updateBaseline?: 'pass' | 'always'
  /** PASS excludes a regression of so much, like `10%`. Default: twice `smallestChange`. */
  margin?: string
  /** The file that gets a line of the gate. Default: `history.ndjson` in `baseline`. */
  history?: string
  /** What the candidate was built from. */
  commit?: string
}
