/**
 * Computes what a run of the planned size can decide, which is reported before its first kickoff.
 */
import { describe } from '../../scenario/arrivals/index.ts'
import { familyOf, metricNamed } from '../../scenario/thresholds/metrics.ts'
import type { Plan, Threshold } from '../../scenario/plan.ts'
import { formatShare, threeDigits, formatCount } from '../../base/numbers.ts'
import { chanceToMeet, leastToDecide } from '../statistics/planning.ts'
import { allowedBy } from './bound-count.ts'
import { typedBound } from '../../scenario/thresholds/bounds.ts'

export interface Decidability extends Pick<
  Threshold,
  'metric' | 'operator' | 'written' | 'source'
> {
  /**
   * Fewest observations with which it can be met, all of them good; null if the sample or its value
   * decides.
   */
  needed: number | null
  /**
   * Probability, 0 to 1, that a target at half the bound meets it in a run of this size; null if
   * unknown.
   */
  chance: number | null
  doubt: PlanDoubt | null
}

/** Why a run of this size cannot decide a threshold, or probably does not. */
type PlanDoubt = {
  /** Executions in the measured window, on average. */
  planned: number
} & ({ code: 'too-short'; needed: number } | { code: 'unlikely'; chance: number })

/** A run that is more likely to be undecided than not is not worth its kickoffs. */
const LEAST_CHANCE = 0.5

/** One for each threshold, in their order. */
export function decidability(plan: Plan): Decidability[] {
  const planned = plannedExecutions(plan)
  return plan.thresholds.map((threshold) => decidabilityOf(threshold, planned))
}

function decidabilityOf(threshold: Threshold, planned: number | null): Decidability {
  const { metric, operator, written, source } = threshold
  const row = { metric, operator, written, source, needed: null, chance: null, doubt: null }
  const allowed = threshold.judge === 'interval' ? allowedBy(threshold) : null
  if (allowed === null || allowed.share <= 0 || source === 'default') return row
  const needed = leastToDecide(allowed)
  if (planned === null || !isCountedByExecution(metric)) return { ...row, needed }
  const chance = chanceToMeet(Math.floor(planned), allowed, allowed.share / 2)
  return { ...row, needed, chance, doubt: doubtOf(needed, chance, planned) }
}

function doubtOf(needed: number | null, chance: number, planned: number): PlanDoubt | null {
  if (needed === null) return null
  if (needed > planned) return { code: 'too-short', needed, planned }
  return chance < LEAST_CHANCE ? { code: 'unlikely', chance, planned } : null
}

/** One sentence for each threshold that a run of this size cannot decide, or is unlikely to. */
export function decidabilityNotes(thresholds: readonly Decidability[]): string[] {
  return thresholds.flatMap(({ metric, doubt, ...bound }) => {
    if (doubt === null) return []
    const text = typedBound(bound)
    const { planned } = doubt
    const have = planned < 10 ? threeDigits(planned) : formatCount(Math.round(planned))
    return doubt.code === 'too-short'
      ? `${metric} ${text} cannot be met by this run: it takes ${formatCount(doubt.needed)} ` +
          `executions, and about ${have} are planned. Run longer, or judge it by value`
      : `${metric} ${text} is unlikely to be decided by this run. With about ${have} ` +
          `executions a target at half the bound meets it in ${formatShare(doubt.chance)} of ` +
          'runs. Run longer, or judge it by value'
  })
}

/** The mean number of executions in the measured window; null if it depends on the target. */
function plannedExecutions(plan: Plan): number | null {
  const scheduled = scheduledArrivals(plan)
  const { kickoffs } = plan.budget
  const bounds = [scheduled, kickoffs].filter((bound) => bound !== null)
  return bounds.length === 0 ? null : Math.min(...bounds)
}

function scheduledArrivals({ arrivals, warmUpMicros }: Plan): number | null {
  if (arrivals.kind === 'replay') {
    return arrivals.offsetsMicros.filter((offset) => offset >= warmUpMicros).length
  }
  const { arrivals: total, durationMicros } = describe(arrivals)
  if (total === null || arrivals.kind === 'closed') return total
  return total * (1 - warmUpMicros / durationMicros)
}

/** Whether a metric has one observation per execution. */
function isCountedByExecution(metric: string): boolean {
  return familyOf(metricNamed(metric)).observation === 'execution'
}
