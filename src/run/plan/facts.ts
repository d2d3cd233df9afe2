/** What a plan will put on the target, before it does: the printed plan. */
import { decidability, decidabilityNotes } from '../../analysis/verdict/decidable.ts'
import { createRandom } from '../../base/random.ts'
import type { PlanFacts } from '../../report/run/terminal/plan.ts'
import { describe } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import { pollsWithin } from '../../scenario/polling/index.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'

/**
 * An execution of unknown length is taken for this long: the default profile's median (no
 * deployment says it before it has run).
 */
const TYPICAL_EXECUTION_MICROS = 60 * MICROS_PER_SECOND

export interface FactsContext {
  target: string
  profile: string | null
  engine: string
  costPerKickoff: number | null
  maxCost: number | null
}

export function planFacts(plan: Plan, context: FactsContext): PlanFacts {
  const { arrivals, durationMicros, peakPerSecond } = describe(plan.arrivals)
  const kickoffs = leastOf(arrivals === null ? null : Math.round(arrivals), plan.budget.kickoffs)
  const cost = context.costPerKickoff
  return {
    scenario: plan.name,
    target: context.target,
    profile: context.profile,
    engine: context.engine,
    seed: plan.seed,
    speed: plan.speed,
    kickoffs,
    requests: kickoffs === null ? null : Math.round(kickoffs * (1 + typicalPolls(plan))),
    peakKickoffsPerSecond: peakPerSecond,
    durationMs: endsByCount(plan) ? null : durationMicros / MICROS_PER_MS,
    deadlineMs: plan.deadlineMicros / MICROS_PER_MS,
    cost: cost === null || kickoffs === null ? null : kickoffs * cost,
    budget: budgetFacts(plan, context.maxCost),
    thresholds: decidability(plan),
    doubts: decidabilityNotes(plan),
  }
}

function budgetFacts({ budget }: Plan, cost: number | null): PlanFacts['budget'] {
  const { kickoffs, requests, wallMicros } = budget
  return {
    kickoffs,
    requests,
    cost,
    timeMs: wallMicros === null ? null : wallMicros / MICROS_PER_MS,
  }
}

/** Closed clients that stop after so many executions: the crew decides how long that takes. */
export function endsByCount({ arrivals }: Plan): boolean {
  return arrivals.kind === 'closed' && arrivals.iterations !== null
}

/** The smaller of two limits; null is none. */
export function leastOf(...limits: readonly (number | null | undefined)[]): number | null {
  const set = limits.filter((limit) => limit !== null && limit !== undefined)
  return set.length === 0 ? null : Math.min(...set)
}

function typicalPolls(plan: Plan): number {
  const length = Math.min(TYPICAL_EXECUTION_MICROS / plan.speed, plan.deadlineMicros)
  return pollsWithin(plan.polling, length, createRandom(plan.seed).fork('typical'))
}
