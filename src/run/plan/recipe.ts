/**
 * The recipe of a run, kept in its folder: what the run was asked for, from which `resume` makes
 * the same plan again. It contains nothing that may be secret.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { RunContext } from '../../result/analyse.ts'
import type { ResultDocument } from '../../result/document.ts'
import type { OptionsOf } from '../../base/options/table.ts'
import { areKept, givenAgain, keptOf, shownValue } from '../../base/options/table.ts'
import { readDocument } from '../../journal/file/document.ts'
import { scenarioFile, shippedScenarios } from '../scenario/load.ts'
import type { RunOptions } from '../options.ts'
import { MIX, PLAN, PLANNED } from '../options.ts'
import { planChanges } from '../../scenario/plan.schema.ts'
import type { Plan } from '../../scenario/plan.ts'

const RECIPE_FILE = 'run.json'
const PLANNED_OF_MIX = { ...PLANNED, set: MIX.set }

const recipe = z.object({
  schema: z.literal('crewload/run/1'),
  /** It was a mix; missing for one scenario. */
  mix: z.literal(true).exactOptional(),
  /** A shipped name or an absolute path; null for a scenario given as an object. */
  scenario: z.string().nullable(),
  /** The profile of the fake crew that was started for the run; null when the run had a target. */
  profile: z.string().nullable(),
  command: z.string().nullable(),
  options: z.custom<OptionsOf<typeof PLANNED>>((value) => areKept(PLANNED, value)),
  /**
   * Parts of the plan that replace the scenario's. The plan's hash in the journal shows whether
   * they are complete.
   */
  amended: planChanges.optional(),
})

export type Recipe = z.infer<typeof recipe>

export interface RecipeToKeep {
  /** As it was named; anything else is not kept. */
  scenario: unknown
  /** As the plan has it. */
  seed: number
  amended?: Partial<Plan> | undefined
  isMix?: boolean
}

/** Rejects with the error of the file system. */
export async function writeRecipe(
  folder: string,
  { scenario, seed, amended, isMix = false }: RecipeToKeep,
  options: RunOptions,
): Promise<void> {
  const kept: Recipe = {
    schema: 'crewload/run/1',
    ...(isMix && { mix: true as const }),
    scenario: typeof scenario === 'string' ? await referenceOf(scenario) : null,
    profile: options.profile ?? null,
    command: options.command ?? null,
    options: keptOf(isMix ? PLANNED_OF_MIX : PLANNED, { ...options, seed }),
    ...(amended === undefined ? {} : { amended }),
  }
  await writeFile(join(folder, RECIPE_FILE), `${JSON.stringify(kept)}\n`)
}

/**
 * The options of the run, with those that are given now. Throws UserError for what may be secret,
 * and must be given again.
 */
export function runOptionsAgain(
  recipe: Recipe | null,
  { headers = {}, set = {} }: Pick<RunOptions, 'headers' | 'set'>,
  folder: string,
): OptionsOf<typeof PLANNED> {
  const given = { headers, set }
  if (recipe === null) return given
  return givenAgain(recipe.mix === true ? PLANNED_OF_MIX : PLANNED, recipe.options, given, folder)
}

/** Null when there is none. Throws a UserError for one that is damaged. */
export async function readRecipe(folder: string): Promise<Recipe | null> {
  const remedy = 'remove it, and give the scenario with --scenario FILE'
  return readDocument(join(folder, RECIPE_FILE), recipe, { remedy })
}

/** For a run that left no result: its command; null for what is unknown. */
export async function recipeWords(folder: string): Promise<Omit<RunContext, 'unreadableLines'>> {
  const kept = await readRecipe(folder)
  const { command = null, options = {} } = kept ?? {}
  const { costPerKickoff = null, set } = options
  return { command, costPerKickoff, set: shownChanges(set), node: null }
}

/** What a journal does not contain, as the result of a former rendering has it. */
export function contextOf({
  run,
}: Pick<ResultDocument, 'run'>): Omit<RunContext, 'unreadableLines'> {
  const { command, node, machine, proxy = null, spent } = run
  return { command, node, machine, proxy, costPerKickoff: spent?.costPerKickoff ?? null }
}

/** What may be shown of `--set`. */
export function shownChanges(set: RunOptions['set'] = {}): Record<string, string> {
  const shown = Object.entries(shownValue(PLAN.set, set))
  return Object.fromEntries(shown.map(([path, value]) => [path, textOf(value)]))
}

/** JavaScript may give a value where its text is asked for. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A reference to a scenario that is valid from any folder. */
export async function referenceOf(scenario: string): Promise<string> {
  return (await shippedScenarios()).includes(scenario) ? scenario : scenarioFile(scenario)
}
