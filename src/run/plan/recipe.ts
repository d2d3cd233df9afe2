/**
 * What a run was asked for, kept in its folder: by it `resume` makes the same plan again. Nothing
 * that may be secret is in it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { scenarioFile, shippedScenarios } from '../scenario/load.ts'
import type { RunOptions } from '../options.ts'
import { placeWords } from '../target/chosen-place.ts'
import type { Plan } from '../../scenario/plan.ts'

const RECIPE_FILE = 'run.json'

const recipe = z.object({
  schema: z.literal('crewload/run/1'),
  /** A shipped name or an absolute path; null for one that came as an object. */
  scenario: z.string().nullable(),
  /** Of the fake crew that was started for the run; null where it went to a target that stood. */
  profile: z.string().nullable(),
  /** Names: values may be secrets. */
  headers: z.array(z.string()),
  command: z.string().nullable(),
  seed: z.number().optional(),
  speed: z.number().optional(),
  set: z.record(z.string(), z.string()).optional(),
  budget: z
    .object({
      kickoffs: z.number().optional(),
      requests: z.number().optional(),
      wallMicros: z.number().optional(),
    })
    .optional(),
  judge: z.enum(['interval', 'value']).optional(),
  inconclusive: z.enum(['inconclusive', 'pass', 'fail']).optional(),
  maxCost: z.number().optional(),
  costPerKickoff: z.number().optional(),
  /**
   * Parts of the plan that stand in the place of the scenario's. The plan's hash in the journal
   * says whether they are whole.
   */
  amended: z.record(z.string(), z.unknown()).optional(),
})

export type Recipe = z.infer<typeof recipe>

/** Rejects with what the file system says. */
export async function writeRecipe(
  folder: string,
  scenario: unknown,
  options: RunOptions,
  amended?: Partial<Plan>,
): Promise<void> {
  const { seed, speed, set, budget, maxCost, costPerKickoff, judge, inconclusive } = options
  const given = { seed, speed, set, budget, maxCost, costPerKickoff, judge, inconclusive, amended }
  const kept: Recipe = {
    schema: 'crewload/run/1',
    scenario: typeof scenario === 'string' ? await referenceOf(scenario) : null,
    profile: options.profile ?? null,
    headers: Object.keys(options.headers ?? {}),
    command: options.command ?? null,
    ...JSON.parse(JSON.stringify(given)),
  }
  await writeFile(join(folder, RECIPE_FILE), `${JSON.stringify(kept)}\n`)
}

/** Null where there is none, or none that can be read. */
export async function readRecipe(folder: string): Promise<Recipe | null> {
  const text = await readFile(join(folder, RECIPE_FILE), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return recipe.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/**
 * Of a run that left no result: what its report says of the fake crew that was a part of it, and
 * the command; null for what is not known.
 */
export async function recipeWords(
  folder: string,
): Promise<{ profile: string | null; command: string | null; node: null }> {
  const { profile = null, command = null } = (await readRecipe(folder)) ?? {}
  return { profile: profile === null ? null : placeWords({ profile }).profile, command, node: null }
}

/** Of a scenario, such that it holds from any folder. */
export async function referenceOf(scenario: string): Promise<string> {
  return (await shippedScenarios()).includes(scenario) ? scenario : scenarioFile(scenario)
}
