/**
 * Whether executions at a target may cost money: at every target but a fake crew on this machine.
 * What listens on loopback may be a tunnel to a deployment (`ssh -L`, `kubectl port-forward`), so
 * that only an answer of a fake crew's control shows otherwise.
 */
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Plan } from '../../scenario/plan.ts'
import { boundsSpending } from '../../scenario/prices.ts'
import type { FakeControl } from '../fake/control.ts'
import { adminTokenIn, findFakeControl } from '../fake/control.ts'
import type { Environment } from '../options.ts'

/** Proxies of the fake crew in a row; behind more of them, a target counts as paid. */
const MOST_PROXIES = 4

/** Sends a few unpaid requests without a token, and to loopback alone. */
export async function isPaid(
  target: URL,
  env: Environment,
  proxies = MOST_PROXIES,
): Promise<boolean> {
  if (!isLoopback(target.hostname)) return true
  return isPaidBehind(await findFakeControl(target, adminTokenIn(env)), env, proxies)
}

/** The same for a control that was found already; null for a target without one. */
export async function isPaidBehind(
  fake: Pick<FakeControl, 'forwardsTo'> | null,
  env: Environment,
  proxies = MOST_PROXIES,
): Promise<boolean> {
  if (fake === null || proxies === 0) return true
  const { forwardsTo } = fake
  if (forwardsTo === null) return false
  return !URL.canParse(forwardsTo) || isPaid(new URL(forwardsTo), env, proxies - 1)
}

/**
 * Throws UserError when kickoffs at the place may cost money and nothing limits them. Called last
 * before the first kickoff: a target that cannot be reached, or is no crew, is the first problem.
 */
export function demandBudgetIfPaid({ isPaid }: { isPaid: boolean }, budget: Plan['budget']): void {
  if (isPaid && !boundsSpending(budget)) throw budgetNeeded(NO_FAKE)
}

export const NO_FAKE = 'a target that does not name itself a fake crew needs a budget'

export function budgetNeeded(reason: string): UserError {
  const problem = `${reason}: --max-kickoffs N, or --max-cost with --cost-per-kickoff`
  return new UserError({ source: '--max-kickoffs', found: 'none', problem })
}
