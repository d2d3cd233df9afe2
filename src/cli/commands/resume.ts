/**
 * `crewload resume`: follow what a run left in flight to its end, or go on with the trials that are
 * missing of a study.
 */
import { UserError } from '../../base/mistakes.ts'
import type { ResumeOptions } from '../../run/resume/options.ts'
import type { StudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from '../../study/frame/conduct/resume.ts'
import type { MainCommand } from '../command.ts'
import { connectionOptions } from '../flags/options.ts'
import type { Io } from '../io/io.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import type { StudyHooks } from '../shown/study.ts'

interface ResumeFlags extends Pick<
  ReachFlags,
  'target' | 'tokenFile' | 'header' | 'ca' | 'insecure'
> {
  scenario?: string
  yes?: boolean
  json?: boolean
  quiet?: boolean
}

const HELP = `A run: it costs requests and no kickoffs, so that nothing is asked (no --yes). The token comes from CREWLOAD_TOKEN or --token-file,
as for the run. Deadlines count on from the kickoff, but each execution is polled once at least. Kickoffs that nobody heard
the answer of end as aborted and are listed with their x-correlation-id; arrivals that were never sent are not reached.
The result tells that the run was cut: it never passes (exit code 4 at best), but misses that are proven stand. It may be
cut, and resumed, again.

A study (recovery, saturate, run with several engines): the trials that are missing are made, at the same place and with the same
seeds, within what is left of its budget, and it ends as if it had not been cut. The scenario and the profile must be what they
were. At a deployment it asks first (--yes). A recovery test of a deployment has one trial and is begun anew.
`

export const resume: MainCommand = {
  name: 'resume',
  group: 'Measure a crew',
  description: 'go on after a cut: what a run left in flight, or the trials that a study misses',
  help: HELP,
  declare(command) {
    command
      .argument('<folder>', 'of the run or the study')
      .option('--target <url>', 'where the crew is now (default: where the run found it)')
      .option('--scenario <file>', 'the scenario as it was run, if it is not where it was')
    connectionOptions(command)
      .option('--yes', 'a study: do not ask before it goes on at a real deployment')
      .option('--json', 'print the result as JSON on stdout')
      .option('--quiet', 'print nothing but errors')
  },
  async act(io, folder: string, flags: ResumeFlags) {
    const { readStudyRecipe } = await import('../../study/frame/conduct/recipe.ts')
    const { connectionOptionsOf, defined } = await import('../flags/reach-options.ts')
    const { readTokens } = await import('../flags/tokens.ts')
    const { target, scenario } = flags
    const tokens = await readTokens(flags.tokenFile, io.env)
    const options = {
      ...(await connectionOptionsOf(flags, tokens, io)),
      ...defined<{ target?: string; scenario?: string }>({ target, scenario }),
    }
    const recipe = await readStudyRecipe(folder)
    return recipe === null
      ? resumeRun(folder, options, flags, io)
      : resumeStudy({ folder, recipe }, options, flags, io)
  },
}

async function resumeStudy(
  { folder, recipe }: { folder: string; recipe: StudyRecipe },
  options: ResumeStudyOptions,
  flags: ResumeFlags,
  io: Io,
): Promise<number> {
  const { LISTED } = await import('../../study/list.ts')
  const { DRAINS } = await import('../io/interruption.ts')
  const { watchStudy } = await import('../shown/study.ts')
  const listed = LISTED.find(({ study }) => study.name === recipe.study)
  if (listed === undefined) {
    const problem = `holds a study that cannot be gone on with: ${recipe.study}`
    throw new UserError({ source: folder, path: '', problem })
  }
  const goOn = await listed.resume()
  const command = {
    study: listed.study,
    question: 'Go on? What is sent costs as it did before.',
    whenInterrupted: DRAINS,
    start: async (hooks: StudyHooks<unknown>) => goOn(folder, recipe, { ...options, ...hooks }),
  }
  return watchStudy(command, { ...flags, ...placeOf(recipe, flags) }, io)
}

/** Whoever goes on at a deployment is asked again. */
function placeOf({ asked }: StudyRecipe, { target }: ResumeFlags): { target?: string } {
  const { options } = asked
  const before = typeof options['target'] === 'string' ? { target: options['target'] } : {}
  return target === undefined ? before : { target }
}

async function resumeRun(
  folder: string,
  options: ResumeOptions,
  { quiet = false, json = false }: ResumeFlags,
  io: Io,
): Promise<number> {
  const { resume: resumeFolder } = await import('../../run/resume/index.ts')
  const { listUnheard } = await import('../shown/left-behind.ts')
  const { watched } = await import('../shown/watched.ts')
  let unheard: readonly string[] = []
  const code = await watched({ quiet, json }, io, async (watching) => {
    const outcome = await resumeFolder(folder, { ...options, ...watching })
    unheard = outcome.unheard
    return outcome
  })
  listUnheard(unheard, io)
  return code
}
