/**
 * Turns the author's scenario into the plan: overrides, one check of everything, defaults, and the
 * time-lapse.
 */
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../plan.ts'
import { checkAcross } from './across.ts'
import type { ScenarioFiles } from './files.ts'
import { toMistakes } from './mistakes.ts'
import { applyOverrides } from './overrides.ts'
import { toPlan } from './plan.ts'
import { scenario as schema } from './scenario.ts'

export type { ScenarioFiles } from './files.ts'
export { namedFiles } from './files.ts'

const MAX_SPEED = 1_000_000

export interface PlanOptions {
  /** The source of the scenario for messages: its path or name. */
  source: string
  /** Overrides the scenario's own seed. */
  seed?: number
  /**
   * Time-lapse, over 0; default 1. Divides every time except those of HTTP and of the generator.
   */
  speed?: number
  /** Overrides by path, as given by `--set`. */
  set?: Readonly<Record<string, string>>
  files?: ScenarioFiles
}

/**
 * Checks a scenario and fills in every default. Throws one UserError with all mistakes, each with
 * its path, what was found and what is allowed. Pure: the same arguments give the same plan, except
 * for the functions in it.
 */
export function planScenario(scenario: unknown, options: PlanOptions): Plan {
  const { source, speed = 1, set = {}, files = {} } = options
  if (!(speed > 0 && speed <= MAX_SPEED)) {
    const problem = `expected a number over 0, at most ${MAX_SPEED}`
    throw new UserError({ source: '--speed', path: '', problem, found: String(speed) })
  }
  const author = applyOverrides(scenario, set)
  const checked = schema.safeParse(author)
  if (!checked.success) throw new UserError(toMistakes(checked.error.issues, author, source))
  const mistakes = checkAcross(checked.data, files, source)
  if (mistakes.length > 0) throw new UserError(mistakes)
  return toPlan(checked.data, { seed: options.seed ?? checked.data.seed, speed, files })
}
