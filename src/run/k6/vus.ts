/** How many VUs a run has, over all processes of k6. */
import { describe } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { RunOptions } from '../options.ts'

/** Where only the deadline bounds how long executions last, no more than this are guessed. */
const MOST_GUESSED_VUS = 500

/** As many as asked for, else one a process; in the mode of iterations one for each execution under way. */
export function vusOf(
  { k6Mode, k6Vus, k6Instances = 1 }: Pick<RunOptions, 'k6Mode' | 'k6Vus' | 'k6Instances'>,
  plan: Plan,
): number {
  return k6Mode === 'iterations' ? iterationVus(plan, k6Vus) : (k6Vus ?? k6Instances)
}

/**
 * As many as closed clients, or as there may be in flight; else the peak rate times the deadline, no more than arrivals and 500. `asked` replaces the
 * guess, and bounds what may be in flight.
 */
function iterationVus(
  { arrivals, admission, deadlineMicros }: Pick<Plan, 'arrivals' | 'admission' | 'deadlineMicros'>,
  asked: number | undefined,
): number {
  if (arrivals.kind === 'closed') return arrivals.clients
  const { maxInFlight } = admission
  if (asked !== undefined) return Math.min(asked, maxInFlight ?? Infinity)
  if (maxInFlight !== null) return maxInFlight
  const { peakPerSecond, arrivals: expected, exact } = describe(arrivals)
  const busy = Math.ceil(((peakPerSecond ?? 0) * deadlineMicros) / MICROS_PER_SECOND)
  const most = exact && expected !== null ? expected : Infinity
  return Math.max(1, Math.min(busy, most, MOST_GUESSED_VUS))
}
