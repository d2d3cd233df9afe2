/** The share of a whole run that one engine drives, and its share of the run's limits. */
import type { Plan } from '../scenario/plan.ts'

/** Instance i of n, from 0. */
export interface InstanceShare {
  instance: number
  instances: number
}

/**
 * An even share of `whole`, with one more for the first instances if it does not divide: the shares
 * sum to the whole, and some are 0 if it is less than `instances`.
 */
export function partOf(whole: number, { instance, instances }: InstanceShare): number {
  if (whole === Infinity) return Infinity
  const even = Math.floor(whole / instances)
  return instance < whole % instances ? even + 1 : even
}

/**
 * Gives what `partOf` gives for a limit that every instance needs: at least one. Bodies refuse
 * plans with less than one each (`scenario/instance-limits.ts`).
 */
export function shareOf(limit: number, share: InstanceShare): number {
  return Math.max(1, partOf(limit, share))
}

/**
 * The retries that are always allowed are a limit of a whole run: each instance has an even share
 * of them, possibly a fraction.
 */
export function withShareOfRetries(
  plan: Plan,
  { instances }: Pick<InstanceShare, 'instances'>,
): Plan {
  const { budget } = plan.retry
  const minimum = budget.minimum / instances
  return { ...plan, retry: { ...plan.retry, budget: { ...budget, minimum } } }
}
