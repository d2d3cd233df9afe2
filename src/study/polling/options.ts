/** The options of a study of polling. */
import { file, files, numberOrText, text } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { NETWORK, STUDY_RUN } from '../frame/options.ts'
import type { Forecast } from '../../run/forecast.ts'
import type { PollingGoal } from './document.ts'

export const DEFAULT_SCENARIO = 'steady'

export const EXECUTIONS = { least: 50, most: 20_000, otherwise: 2_000 }

// Numbers are checked together with everything else, so that all mistakes are reported at once.
export const POLLING = {
  runs: kept('[runs...]', 'run folders to learn from; without any, --profile or --target', files),
  maxPolls: kept('--max-polls <rate>', 'quota of the target, like "3000/m"', text),
  /** Or its `limits.json`. */
  limits: kept(
    '--limits <folder>',
    'folder of a study of limits, whose safe rate of status is the quota',
    file,
  ),
  delay: kept(
    '--delay <bound>',
    'promise about the detection delay (mean, p50 or p95), like "p95 < 5s"',
    text,
  ),
  pollPrice: kept('--poll-price <amount>', 'price of one poll, with --delay-price', numberOrText),
  delayPrice: kept('--delay-price <amount>', 'price of a second of detection delay', numberOrText),
  scenario: kept('--scenario <name|file>', 'scenario of the run to learn from', text, {
    otherwise: `"${DEFAULT_SCENARIO}"`,
  }),
  executions: kept(
    '--executions <n>',
    'with --profile: approximate number to simulate',
    numberOrText,
    { otherwise: String(EXECUTIONS.otherwise) },
  ),
  out: OUT,
  run: {
    ...STUDY_RUN,
    engine: {
      network: { ...NETWORK, help: 'with --profile: network that virtual time simulates' },
    },
  },
} satisfies OptionTable

/** What the study will do, as it is shown before anything is sent. */
export interface PollingPlan {
  kind: 'runs' | 'virtual' | 'target'
  /** Folders that are read. */
  runs: readonly string[]
  /** The facts of the run that is made; null where runs are read. */
  facts: Forecast | null
  goal: PollingGoal
}

export interface PollingOptions
  extends Omit<OptionsOf<typeof POLLING>, 'run'>, StudyOptions<PollingPlan> {
  run?: OptionsOf<typeof POLLING.run>
}
