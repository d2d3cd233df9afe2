/** The options of a gate. */
import { ENGINES } from '../../../base/options/engines.ts'
import {
  contentsOf,
  file,
  oneOf,
  profileName,
  text,
  wholeNumber,
} from '../../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../../base/options/table.ts'
import { kept, option } from '../../../base/options/table.ts'
import { ENGINE, OUT } from '../../../run/options.ts'
import { CHANGE, FEWEST_RUNS, MOST_RUNS } from '../options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import { NETWORK, SCENARIO, STUDY_RUN, studyEngine } from '../../frame/options.ts'
import type { GatePlan } from './plan/outline.ts'

export const DEFAULT_RUNS = 8

/** `run.target` or `run.profile` names the candidate. */
export const GATE = {
  scenario: SCENARIO,
  baseline: kept(
    '--baseline <folder>',
    'folder of the baseline’s runs; written if it has none',
    file,
  ),
  baselineTarget: kept(
    '--baseline-target <url>',
    'base URL of the baseline, run alternately with --target',
    text,
  ),
  baselineProfile: kept(
    '--baseline-profile <name|file>',
    'profile of the baseline, run alternately with --profile',
    profileName,
  ),
  baselineTokens: option(
    '--baseline-token-file <file>',
    'tokens of the baseline',
    contentsOf<readonly string[]>(),
    { otherwise: 'CREWLOAD_BASELINE_TOKEN, or the candidate’s' },
  ),
  start: kept(
    '--start <command>',
    'command that starts the candidate at --target before each of its runs; ended after it',
    text,
  ),
  baselineStart: kept(
    '--baseline-start <command>',
    'command that starts the baseline at --baseline-target',
    text,
    { otherwise: 'at --target' },
  ),
  runs: kept('--runs <n>', 'most runs per side', wholeNumber(FEWEST_RUNS, MOST_RUNS), {
    otherwise: String(DEFAULT_RUNS),
  }),
  metrics: CHANGE.metrics,
  smallestChange: { ...CHANGE.smallestChange, help: 'smallest regression that fails' },
  margin: kept('--margin <share>', 'regression that PASS excludes', text, {
    otherwise: 'twice --min-change',
  }),
  /** Default: only if there is no baseline. */
  updateBaseline: kept(
    '--update-baseline [when]',
    'write the candidate’s runs as the baseline, on PASS or always',
    oneOf(['pass', 'always']),
    { preset: 'pass' },
  ),
  history: kept('--history <file>', 'file to which a line is added', file, {
    otherwise: 'history.ndjson in the baseline’s folder',
  }),
  commit: kept('--commit <id>', 'commit of the candidate', text, {
    otherwise: 'GITHUB_SHA or CI_COMMIT_SHA',
  }),
  out: OUT,
  run: {
    ...STUDY_RUN,
    engine: {
      kind: studyEngine(...ENGINES),
      network: NETWORK,
      vus: ENGINE.vus,
    },
  },
} satisfies OptionTable

export interface GateOptions extends Omit<OptionsOf<typeof GATE>, 'run'>, StudyOptions<GatePlan> {
  run: OptionsOf<typeof GATE.run>
}
