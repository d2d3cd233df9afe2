/** Continues a study that was cut, from the recipe in its folder. */
import { UserError } from '../../../base/mistakes.ts'
import { version } from '../../../run/environment/package.ts'
import type { StudyDocument } from '../envelope.ts'
import { optionsAgain } from './recipe.ts'
import { demandConsent, measured, ownTool } from './conduct.ts'
import type { Conducting, StudyOptions, StudyOutcome, StudyReach } from './conducting.ts'
import type { StudyRecipe } from './recipe.ts'

/** Tokens, header values and certificates are stored nowhere, so they must be given again. */
export interface ResumeStudyOptions extends Omit<StudyOptions<unknown>, 'out' | 'command'> {
  run?: Pick<StudyReach, 'tokens' | 'headers' | 'tls' | 'env' | 'target'>
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
  demandSameStudy(folder, recipe, given)
  const { id, startedAt, command } = recipe
  const asked = optionsAgain(recipe.asked, conducting.table, folder)
  demandNoScenario(asked, given, folder)
  const told = command === null ? {} : { command }
  const run = 'run' in asked ? { run: { ...(asked['run'] as StudyReach), ...given.run } } : {}
  // The folder kept every option that is required; those that it omits are optional.
  const options = { ...asked, ...given, ...run, ...told } as Options
  const design = await conducting.design(options, folder)
  demandUnchanged(conducting.fingerprint(design), recipe, given.scenario ?? folder)
  await demandConsent(options, conducting.plan(design))
  const start = { tool: ownTool(), id, startedAt }
  return measured(conducting, { design, options, start, folder, isNew: false })
}

function demandNoScenario(
  asked: Readonly<Record<string, unknown>>,
  { scenario }: ResumeStudyOptions,
  folder: string,
): void {
  if (scenario === undefined || 'scenario' in asked) return
  const problem = `applies only to studies of a scenario, and ${folder} contains another kind`
  throw new UserError({ source: '--scenario', found: scenario, problem })
}

/** A study with another version, or other headers, would not be the same. */
function demandSameStudy(
  folder: string,
  { crewload, headers }: StudyRecipe,
  given: Pick<ResumeStudyOptions, 'run'>,
): void {
  const mistake = (problem: string): UserError => new UserError({ source: folder, problem })
  if (crewload !== version()) {
    throw mistake(
      `was begun by crewload ${crewload}, and this is ${version()}: the trials would ` +
        'not be comparable; start the study again',
    )
  }
  const missing = headers.filter((name) => !(name in (given.run?.headers ?? {})))
  if (missing.length === 0) return
  const names = missing.map((name) => `--header '${name}: ...'`).join(' ')
  throw mistake(`was begun with headers whose values are not stored: give ${names}`)
}

function demandUnchanged(found: string, { fingerprint }: StudyRecipe, source: string): void {
  if (found === fingerprint) return
  const problem =
    `the scenario or the profile is not what the study was begun with (${fingerprint}): ` +
    'give another copy with --scenario FILE, or start again'
  throw new UserError({ source, found, problem })
}
