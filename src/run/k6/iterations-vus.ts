/** How many VUs the mode of iterations needs: one for each execution under way. */
import { UserError } from '../../mistakes.ts'
import type { Mistake } from '../../mistakes.ts'
import { describe } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_SECOND } from '../../units.ts'
import type { RunOptions } from '../options.ts'

/** Where only the deadline bounds how long executions last, no more than this are guessed. */
const MOST_GUESSED_VUS = 500

/**
 * As many as closed clients, or as there may be in flight; else the peak rate times the deadline, no more than arrivals and 500. `asked` replaces the
 * guess, and bounds what may be in flight.
 */
export function iterationVus(
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

/** Throws UserError with every option that the mode does not go with. */
export function demandMode(options: RunOptions, { arrivals }: Pick<Plan, 'arrivals'>): void {
  const { k6Mode = 'events', k6Out = [], k6Instances = 1, k6Vus } = options
  const mistakes: Mistake[] = []
  if (k6Mode === 'events') {
    const problem = 'goes with --k6-mode iterations: in the mode events k6 measures nothing itself'
    for (const output of k6Out) {
      mistakes.push({ source: '--k6-out', path: '', found: output, problem })
    }
  } else {
    if (k6Instances > 1) {
      const problem = 'expected 1 in the mode iterations, whose summary is that of one process'
      mistakes.push({ source: '--instances', path: '', found: String(k6Instances), problem })
    }
    if (arrivals.kind === 'closed' && k6Vus !== undefined && k6Vus !== arrivals.clients) {
      const problem = `expected ${arrivals.clients}, one for each closed client, in the mode iterations`
      mistakes.push({ source: '--k6-vus', path: '', found: String(k6Vus), problem })
    }
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}
