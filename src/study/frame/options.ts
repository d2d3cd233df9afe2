/** Options that several studies have, from which each study's own table is made. */
import { oneOf, text } from '../../base/options/kinds.ts'
import type { Option, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import type { EngineName } from '../../run/options.ts'
import { ENGINE, PLAN, REACH, RUN } from '../../run/options.ts'

/** Of what a study draws, where it is given none. */
export const SEED = 42

/** The name of a shipped scenario, or a file. */
export const SCENARIO = kept('<scenario>', 'a file, or a shipped name', text, { required: true })

/** Of a study that polls an execution. */
export const KICKOFF_ID = kept('--kickoff-id <id>', 'execution to poll', text, {
  otherwise: 'one is kicked off',
})

/** How a crew is reached; of a study that runs no scenario. */
export const STUDY_REACH = {
  ...REACH,
  env: RUN.env,
  tokensFrom: RUN.tokensFrom,
} satisfies OptionTable

/** The options of the runs of a study that runs a scenario. */
export const STUDY_RUN = { ...STUDY_REACH, ...PLAN } satisfies OptionTable

/** Which engine carries a study, by default one that fits the place. */
export function studyEngine<const Name extends EngineName>(...names: Name[]) {
  return {
    ...ENGINE.kind,
    help: 'engine',
    takes: oneOf(names),
    otherwise: 'virtual with --profile, otherwise node',
  } satisfies Option
}

export const NETWORK = {
  ...ENGINE.network,
  help: 'network that --engine virtual simulates',
} satisfies Option
