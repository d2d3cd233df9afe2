/**
 * Refuses kickoffs without a budget on loopback, unless a fake crew is there: what listens on this
 * machine may be a tunnel to a deployment.
 */
import { isLoopback } from '../../../base/loopback.ts'
import { CONTROL_PATH, isClock } from '../../../crew/fake/clock.ts'
import type { BudgetLimits } from '../../budget.ts'
import type { World } from '../world.ts'
import { hostOf, VARIABLES } from './settings.ts'
import type { Settings } from './settings.ts'

const ANSWER_LIMIT_MS = 2_000
const NO_BUDGET =
  `${VARIABLES.target}: the target does not name itself a fake crew, so the script must be made ` +
  'with a budget of kickoffs'

/**
 * Ends the test run when kickoffs may cost money without a limit. A run that crewload itself
 * started was asked before, and has a `control`.
 */
export async function demandBudget(
  world: World,
  { target, control }: Pick<Settings, 'target' | 'control'>,
  { kickoffs }: BudgetLimits,
): Promise<void> {
  if (kickoffs !== null || control !== null || !isLoopback(hostOf(target) ?? '')) return
  if (!(await isFakeCrew(world, target))) world.abort(NO_BUDGET)
}

/** A proxy of the fake crew counts as the deployment that may be behind it. */
async function isFakeCrew(world: World, target: string): Promise<boolean> {
  const url = `${target.replace(/\/$/, '')}${CONTROL_PATH}/clock`
  const params = {
    timeout: ANSWER_LIMIT_MS,
    responseType: 'text',
    tags: { name: 'clock' },
  } as const
  try {
    const { status, body } = await world.request('GET', url, null, params)
    const clock: unknown = status === 200 ? JSON.parse(body ?? '') : null
    return isClock(clock) && clock.forwards_to === undefined
  } catch {
    return false
  }
}
