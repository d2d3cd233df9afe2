/** `--dry-run`: shows the plan; nothing is started and nothing is sent. */
import { loadProfile } from '../../../fake-crew/profiles.ts'
import { decidabilityNotes } from '../../analysis/verdict/decidable.ts'
import type { PlanFacts } from '../../report/run/terminal/plan.ts'
import type { PlanDocument } from '../../scenario/describe.ts'
import { describePlan } from '../../scenario/describe.ts'
import type { Plan } from '../../scenario/plan.ts'
import { chosenEngine } from '../bodies/index.ts'
import { planFacts } from './facts.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { placeWords } from '../target/chosen-place.ts'
import { preparePlan } from './prepare.ts'
import { openSimulation } from '../simulation/simulation.ts'

export interface PlanOnly {
  facts: PlanFacts
  plan: PlanDocument
  /** What the run will not be able to show, one sentence each. */
  notes: readonly string[]
}

export async function planOnly(scenario: string, options: RunOptions): Promise<PlanOnly> {
  const plan = await preparePlan(scenario, options)
  await demandReadable(plan, options)
  const facts = planFacts(plan, {
    ...placeWords(options),
    engine: chosenEngine(options).words,
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  return { facts, plan: describePlan(plan), notes: decidabilityNotes(plan) }
}

/**
 * Checks what the run would read before it starts anything: a plan is worthless when a file that it
 * needs is missing. Throws UserError.
 */
async function demandReadable(plan: Plan, options: RunOptions): Promise<void> {
  const { profile } = options
  if (engineOf(options).kind === 'virtual') await openSimulation(plan, options)
  else if (profile !== undefined) loadProfile(profile)
}
