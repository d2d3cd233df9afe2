/**
 * Makes the plan of a run again from its scenario, and compares it with the hash in the journal.
 */
import { UserError } from '../../base/mistakes.ts'
import { describePlan, planHash } from '../../scenario/describe.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RunOptions } from '../options.ts'
import { makePlan } from '../plan/prepare.ts'
import type { ResumeOptions } from './options.ts'
import type { Survey } from './survey.ts'

/** Throws UserError when the scenario cannot be found, or has changed. */
export async function planAgain(
  survey: Survey,
  { scenario, headers = {} }: Pick<ResumeOptions, 'scenario' | 'headers'>,
): Promise<Plan> {
  const { recipe, run, folder } = survey
  const found = scenario ?? recipe?.scenario ?? null
  if (found === null) {
    throw mistake(folder, 'does not say which scenario was run: give it with --scenario FILE')
  }
  const missing = (recipe?.headers ?? []).filter((name) => !Object.hasOwn(headers, name))
  if (missing.length > 0) {
    const names = missing.map((name) => `--header '${name}: ...'`).join(' ')
    throw mistake(folder, `was run with headers whose values are stored nowhere: give ${names}`)
  }
  const made = await makePlan(found, { seed: run.seed, ...optionsOf(survey), headers })
  const plan: Plan = { ...made, ...recipe?.amended }
  const hash = planHash(describePlan(plan))
  if (hash === run.planHash) return plan
  throw new UserError({
    source: typeof found === 'string' ? found : 'scenario',
    path: '',
    found: `plan ${hash}`,
    problem:
      `is not the plan that was run (plan ${run.planHash}): resume needs the scenario ` +
      'unchanged; give another copy with --scenario FILE',
  })
}

function optionsOf({ recipe }: Survey): RunOptions {
  if (recipe === null) return {}
  const { seed, speed, set, budget, maxCost, costPerKickoff, judge, inconclusive } = recipe
  const given = { seed, speed, set, budget, maxCost, costPerKickoff, judge, inconclusive }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function mistake(folder: string, problem: string): UserError {
  return new UserError({ source: folder, path: '', problem })
}
