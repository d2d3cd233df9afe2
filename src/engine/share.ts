/** Which part of a whole run one engine drives, and what it has of the run's limits. */
import type { Plan } from '../scenario/plan.ts'

/** Instance i of n, from 0. */
export interface Share {
  instance: number
  instances: number
}

/**
 * An even part of `whole`, the first instances one more where it does not divide: the parts sum to
 * the whole, and some are 0 where it is less than `instances`.
 */
export function partOf(whole: number, { instance, instances }: Share): number {
  if (whole === Infinity) return Infinity
  const even = Math.floor(whole / instances)
  return instance < whole % instances ? even + 1 : even
}

/**
 * As `partOf`, of a limit that nobody can do without: one at least. Bodies refuse plans with less
 * than one each (`scenario/parts.ts`).
 */
export function shareOf(limit: number, share: Share): number {
  return Math.max(1, partOf(limit, share))
}

/**
 * The retries that are always allowed bound a whole run: each instance has an even part of them, a
 * fraction too.
 */
export function withShareOfRetries(plan: Plan, { instances }: Pick<Share, 'instances'>): Plan {
  const { budget } = plan.retry
  const minimum = budget.minimum / instances
  return { ...plan, retry: { ...plan.retry, budget: { ...budget, minimum } } }
}
