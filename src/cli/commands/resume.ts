/**
 * `crewload resume`: follow what a run left in flight to its end, or go on with the trials that are
 * missing of a study.
 */
import { UserError } from '../../base/mistakes.ts'
import { resume } from '../../run/resume/index.ts'
import type { ResumeOptions } from '../../run/resume/options.ts'
import type { StudyRecipe } from '../../study/frame/conduct/recipe.ts'
import { readStudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { ResumeStudyOptions } from '../../study/frame/conduct/resume.ts'
import { LISTED } from '../../study/list.ts'
import { DRAINS } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { listLeftBehind, listUnheard } from '../shown/left-behind.ts'
import type { ReachFlags } from '../flags/reach-options.ts'
import { connectionOptionsOf, defined } from '../flags/reach-options.ts'
import type { StudyHooks } from '../shown/study.ts'
import { watchStudy } from '../shown/study.ts'
import { readTokens } from '../flags/tokens.ts'
import { watched } from '../shown/watched.ts'

export interface ResumeFlags extends Pick<
  ReachFlags,
  'target' | 'tokenFile' | 'header' | 'ca' | 'insecure'
> {
  scenario?: string
  json?: boolean
  quiet?: boolean
}

export async function resumeCommand(folder: string, flags: ResumeFlags, io: Io): Promise<number> {
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
}

async function resumeStudy(
  { folder, recipe }: { folder: string; recipe: StudyRecipe },
  options: ResumeStudyOptions,
  flags: ResumeFlags,
  io: Io,
): Promise<number> {
  const listed = LISTED.find(({ study }) => study.name === recipe.study)
  if (listed === undefined || listed.resume === null) {
    const problem = `holds a study that cannot be gone on with: ${recipe.study}`
    throw new UserError({ source: folder, path: '', problem })
  }
  const goOn = await listed.resume()
  const command = {
    study: listed.study,
    // Nothing is asked: no study of a deployment can be resumed.
    question: '',
    whenInterrupted: DRAINS,
    start: async ({ tell, onNote, onStart }: StudyHooks<unknown>) =>
      goOn(folder, recipe, { ...options, tell, onNote, onStart }),
  }
  return watchStudy(command, flags, io, ({ leftBehind }) => listLeftBehind(leftBehind, io))
}

async function resumeRun(
  folder: string,
  options: ResumeOptions,
  { quiet = false, json = false }: ResumeFlags,
  io: Io,
): Promise<number> {
  let unheard: readonly string[] = []
  const code = await watched({ quiet, json }, io, async (watching) => {
    const outcome = await resume(folder, { ...options, ...watching })
    unheard = outcome.unheard
    return outcome
  })
  listUnheard(unheard, io)
  return code
}
