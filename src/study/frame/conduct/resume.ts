/** Continues a study that was cut, from the recipe in its folder. */
import { demandNone, UserError } from '../../../base/mistakes.ts'
import type { Again, OptionsOf, OptionTable } from '../../../base/options/table.ts'
import { version } from '../../../run/environment/package.ts'
import { demandConsent } from '../../../run/errors.ts'
import type { ways } from '../../../run/options.ts'
import type { StudyDocument } from '../envelope.ts'
import type { STUDY_RUN } from '../options.ts'
import { studyOptionsAgain } from './recipe.ts'
import { outcomeOf, ownTool } from './conduct.ts'
import type { Conducting, StudyOptions, StudyOutcome } from './conducting.ts'
import type { StudyRecipe } from './recipe.ts'

/** Nothing stores what may be secret, so it must be given again. */
export interface ResumeStudyOptions
  extends
    Omit<StudyOptions<unknown>, 'out' | 'command'>,
    OptionsOf<Again<ReturnType<typeof ways>>> {
  run?: OptionsOf<Again<typeof STUDY_RUN> & Pick<typeof STUDY_RUN, 'target'>>
  /** The scenario, when it was moved; it must make the same plan. Default: the one that was run. */
  scenario?: string
}

/**
 * Conducts the missing trials, and ends with the same document as an uninterrupted study. Throws
 * UserError for the user's mistakes, for a folder in use, and for a scenario or profile that has
 * changed; TargetError as the study does.
 */
export async function resumeStudy<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
>(
  conducting: Conducting<Options, Design, Plan, Document>,
  folder: string,
  recipe: StudyRecipe,
  given: ResumeStudyOptions,
): Promise<StudyOutcome<Document>> {
  demandSameVersion(folder, recipe)
  const { id, startedAt, command } = recipe
  demandFitting(conducting.table, given)
  const asked = studyOptionsAgain(recipe.asked, given, conducting.table, folder)
  const again = command === null ? {} : { command }
  const run =
    'run' in asked
      ? { run: { ...given.run, ...(asked['run'] as StudyOptions<unknown>['run']) } }
      : {}
  // The folder kept every option that is required; those that it omits are optional.
  const options = { ...given, ...asked, ...run, ...again } as Options
  const design = await conducting.design(options, folder)
  demandUnchanged(conducting.fingerprint(design), recipe, given.scenario ?? folder)
  await demandConsent(options.confirm, () => conducting.plan(design))
  const start = { tool: ownTool(), id, startedAt }
  return outcomeOf(conducting, { design, options, start, folder, isNew: false })
}

/** Throws UserError for options that this study does not have. */
function demandFitting(
  table: OptionTable,
  { scenario, inputs, members, run: { set = {} } = {} }: ResumeStudyOptions,
): void {
  const known = { ...table, ...table['run'] }
  const given = { scenario, inputs, members, set: Object.keys(set).length > 0 ? set : undefined }
  const strange = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !(name in known),
  )
  const problem = 'does not apply to this kind of study'
  demandNone(strange.map(([name]) => ({ source: `--${name}`, problem })))
}

function demandSameVersion(folder: string, { crewload }: StudyRecipe): void {
  if (crewload === version()) return
  const problem =
    `was begun by crewload ${crewload}, and this is ${version()}: the trials would ` +
    'not be comparable; start the study again'
  throw new UserError({ source: folder, problem })
}

function demandUnchanged(found: string, { fingerprint }: StudyRecipe, source: string): void {
  if (found === fingerprint) return
  const problem =
    `the scenario or the profile is not what the study was begun with (${fingerprint}). ` +
    'Give another copy with --scenario FILE, or start again'
  throw new UserError({ source, found, problem })
}
