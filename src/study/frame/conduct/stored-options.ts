/** The options of a study as its folder keeps them, valid from any working folder. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { z } from 'zod'
import { UserError } from '../../../base/mistakes.ts'
import { referenceOf } from '../../../run/plan/recipe.ts'
import type { Kept, StudyOptions } from './conducting.ts'
import type { StudyRecipe } from './recipe.ts'

/** The options that `schema` selects; a scenario as a shipped name or an absolute path. */
export async function keptOptions(
  schema: z.ZodType,
  options: object,
): Promise<StudyRecipe['asked']> {
  const kept = z.record(z.string(), z.unknown()).parse(schema.parse(options))
  const { scenario } = kept
  const reference = typeof scenario === 'string' ? { scenario: await referenceOf(scenario) } : {}
  return { options: { ...kept, ...reference }, from: cwd() }
}

/** Throws UserError for options that `schema` does not allow. */
export function optionsAgain<Options extends StudyOptions<never>>(
  { options, from }: StudyRecipe['asked'],
  schema: z.ZodType<Kept<Options>>,
  folder: string,
): Kept<Options> {
  const known = schema.safeParse(options)
  if (!known.success) {
    const problem = 'does not say which options the study had: it cannot be resumed'
    throw new UserError({ source: folder, path: '', problem })
  }
  const here = (text: unknown): unknown =>
    typeof text === 'string' && from !== cwd() ? resolve(from, text) : text
  const {
    profile,
    network,
    baselineProfile,
    baseline,
    history,
    limits,
    from: evidence,
    runs,
  } = paths.parse(known.data)
  return {
    ...known.data,
    ...(isPath(profile) ? { profile: here(profile) } : {}),
    ...(isPath(baselineProfile) ? { baselineProfile: here(baselineProfile) } : {}),
    ...(baseline === undefined ? {} : { baseline: here(baseline) }),
    ...(history === undefined ? {} : { history: here(history) }),
    ...(limits === undefined ? {} : { limits: here(limits) }),
    ...(Array.isArray(evidence) ? { from: evidence.map(here) } : {}),
    ...(Array.isArray(runs) ? { runs: runs.map(here) } : {}),
    ...(isFile(network, from) ? { network: here(network) } : {}),
  }
}

const path = z.unknown().optional()
const paths = z.object({
  profile: path,
  network: path,
  baselineProfile: path,
  baseline: path,
  history: path,
  limits: path,
  from: path,
  runs: path,
})

/** Distinguishes a path from a shipped name, as for profiles. */
function isPath(profile: unknown): boolean {
  return typeof profile === 'string' && /[/\\]|\.ya?ml$/.test(profile)
}

function isFile(network: unknown, from: string): boolean {
  return typeof network === 'string' && existsSync(resolve(from, network))
}
