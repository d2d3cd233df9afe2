/**
 * `crewload resume`: follows the executions that a run left in flight to their ends, or continues a
 * study with its missing trials.
 */
import { demandNone, UserError } from '../../base/mistakes.ts'
import { file, text } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { againIn, option } from '../../base/options/table.ts'
import type { ResumeOptions } from '../../run/options.ts'
import { RUN, ways } from '../../run/options.ts'
import type { StudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from '../../study/frame/conduct/resume.ts'
import type { MainCommand } from '../command.ts'
import { exitHelp } from '../exit-codes.ts'
import { OUTPUT, refusedExporters } from '../flags/output.ts'
import type { Io } from '../io/io.ts'
import type { StudyHooks } from '../shared/study.ts'

const WAYS = againIn(ways('the kickoffs of a study without a scenario'))
const RESUME = {
  folder: option('<folder>', 'folder of the run or the study', text, { required: true }),
  scenario: option('--scenario <file>', 'the scenario as it was run, if the file has moved', file),
  run: {
    target: {
      ...RUN.target,
      help: 'base URL of the crew now',
      otherwise: 'as in the run',
    },
    ...againIn(RUN),
    set: { ...RUN.set, help: 'a change of the run that its folder does not keep' },
  },
  again: { ...WAYS, inputs: { ...WAYS.inputs, otherwise: 'none' } },
  yes: {
    ...OUTPUT.yes,
    help: 'do not ask for confirmation before continuing a study at a real deployment',
  },
  json: OUTPUT.json,
  quiet: OUTPUT.quiet,
} satisfies OptionTable

type ResumeFlags = Given<typeof RESUME>

const HELP = `A run: resuming it costs requests but no kickoffs, so no confirmation (--yes) is
needed. The token comes from CREWLOAD_TOKEN or --token-file, as for the run. Deadlines still count
from the kickoff, but each execution is polled at least once. Kickoffs whose answer was never
received end as aborted and are listed with their x-correlation-id. Arrivals that were never sent
are not reached. With human: true in the scenario, executions that waited for a person at
their deadline are asked about again. The result says that the run was cut: it never passes (exit code 4 at best), but
proven misses stand. The run may be cut and resumed again.

A study: its missing trials run against the same target, with the same seeds and the rest of the
budget. The study then ends as if it had not been cut. If polling strategies are learned
from a run, only its missing executions are made. Scenario and profile must be unchanged.
For a deployment it asks for confirmation (--yes). A recovery test of a deployment has a single
trial and must be started again.
`

const NO_EXPORTERS = refusedExporters(
  'only allowed with crewload run: what the run did before it was cut would be missing',
)

export const resume: MainCommand = {
  name: 'resume',
  group: 'Measure a crew',
  description:
    "continue after a cut: executions that a run left in flight, or a study's missing trials",
  help: `${HELP}\n${exitHelp()}`,
  options: { ...RESUME, ...NO_EXPORTERS },
  async act(io, flags: ResumeFlags) {
    const { readStudyRecipe } = await import('../../study/frame/conduct/recipe.ts')
    const { connected } = await import('../flags/reach.ts')
    const { folder, scenario, again } = flags
    const recipe = await readStudyRecipe(folder)
    // Refused before anybody is asked for a token.
    const fixed = recipe?.study === 'saturation' ? 'saturate' : undefined
    const run = await connected(flags.run, io, null, fixed)
    const moved = scenario === undefined ? {} : { scenario }
    if (recipe !== null) {
      return resumeStudy({ folder, recipe }, { run, ...again, ...moved }, flags, io)
    }
    const problem = 'applies only to a study without a scenario'
    demandNone(Object.keys(again).map((name) => ({ source: `--${name}`, problem })))
    const { demandNoStudy, demandRun } = await import('../shared/measured-folder.ts')
    demandNoStudy(folder)
    demandRun(folder)
    return resumeRun(folder, { ...run, ...moved }, flags, io)
  },
}

async function resumeStudy(
  { folder, recipe }: { folder: string; recipe: StudyRecipe },
  options: ResumeStudyOptions,
  flags: ResumeFlags,
  io: Io,
): Promise<number> {
  const { LISTED } = await import('../../study/list.ts')
  const { watchStudy } = await import('../shared/study.ts')
  const listed = LISTED.find(({ study }) => study.name === recipe.study)
  if (listed === undefined) {
    const problem = `contains a study that cannot be resumed: ${recipe.study}`
    throw new UserError({ source: folder, problem })
  }
  const start = async (hooks: StudyHooks<unknown>) =>
    listed.resume(folder, recipe, { ...options, ...hooks })
  const question = 'Continue? Requests cost as much as before.'
  // Continuing at a deployment needs consent again.
  const target = flags.run.target ?? recipe.asked.options.run?.target
  return watchStudy({ study: listed.study, question, start }, { ...flags, target }, io)
}

async function resumeRun(
  folder: string,
  options: ResumeOptions,
  { quiet = false, json = false }: ResumeFlags,
  io: Io,
): Promise<number> {
  const { mixRecipe, resumeMix } = await import('../../run/mix/resume.ts')
  const { resume } = await import('../../run/resume/index.ts')
  const resumeFolder = (await mixRecipe(folder)) === null ? resume : resumeMix
  const { listUnheard } = await import('../shared/left-behind.ts')
  const { watched } = await import('../shared/run.ts')
  let unheard: readonly string[] = []
  const code = await watched({ quiet, json }, io, async (watching) => {
    const outcome = await resumeFolder(folder, { ...options, ...watching })
    unheard = outcome.unheard
    return outcome
  })
  listUnheard(unheard, io)
  return code
}
