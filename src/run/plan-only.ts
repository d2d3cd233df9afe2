/** `--dry-run`: shows the plan; nothing is started and nothing is sent. */
import { together } from '../base/mistakes.ts'
import { decidabilityNotes } from '../result/verdict/decidable.ts'
import type { PlanFacts } from '../report/run/terminal/plan.ts'
import type { PlanDocument } from '../scenario/plan.schema.ts'
import { describePlan } from '../scenario/describe.ts'
import { chosenEngine, planFor } from './bodies/index.ts'
import { planFacts } from './plan/facts.ts'
import type { RunOptions } from './options.ts'
import { placeFacts } from './target/place-facts.ts'
import { demandReadable } from './plan/readable.ts'

export interface PlanOnly {
  facts: PlanFacts
  plan: PlanDocument
  /** What the run will not be able to show, one sentence each. */
  notes: readonly string[]
}

export async function planOnly(scenario: string, options: RunOptions): Promise<PlanOnly> {
  const [plan] = await together(planFor(scenario, options), demandReadable(options))
  const facts = planFacts(plan, {
    ...placeFacts(options),
    engine: chosenEngine(options).words,
    costPerKickoff: options.costPerKickoff ?? null,
    maxCost: options.maxCost ?? null,
  })
  return { facts, plan: describePlan(plan), notes: decidabilityNotes(plan) }
}
