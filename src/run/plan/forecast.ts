/** What a plan will put on its place, which a command shows before it sends. */
import { decidability } from '../../result/verdict/decidable.ts'
import { createRandom } from '../../base/random.ts'
import { leastOf } from '../../engine/sending-budget.ts'
import { most } from '../../base/distribution.ts'
import type { PlaceFacts, Forecast } from '../forecast.ts'
import type { ArrivalSummary } from '../../scenario/arrivals/index.ts'
import { createSchedule, describe, endsByCount } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import { pollsWithin } from '../../scenario/polling/index.ts'
import { chosenEngine } from '../chosen-engine.ts'
import type { RunOptions } from '../options.ts'
import { placeFacts } from '../target/chosen-place.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'

/**
 * Assumed for an execution of unknown length: the median of the default profile. No deployment
 * reports its own before a run.
 */
const TYPICAL_EXECUTION_MICROS = 60 * MICROS_PER_SECOND

/** Of a run with these options. */
export function forecastOf(plan: Plan, options: RunOptions): Forecast {
  const engine = chosenEngine(options).words
  return forecastAt(plan, { ...placeFacts(options, plan.http.headers), engine }, options)
}

export function forecastAt(
  plan: Plan,
  place: PlaceFacts & Pick<Forecast, 'engine'>,
  prices: Pick<RunOptions, 'costPerKickoff' | 'maxCost'>,
): Forecast {
  const { costPerKickoff: cost, maxCost = null } = prices
  const summary = describe(plan.arrivals)
  const { durationMicros, peakPerSecond } = summary
  const kickoffs = leastOf(plannedArrivals(plan, summary), plan.budget.kickoffs)
  return {
    ...place,
    scenario: plan.name,
    seed: plan.seed,
    speed: plan.speed,
    kickoffs,
    requests: requestsOf(plan, kickoffs, TYPICAL_EXECUTION_MICROS / plan.speed),
    mostRequests: requestsOf(plan, kickoffs, plan.deadlineMicros),
    peakKickoffsPerSecond: peakPerSecond,
    isPeakMean: plan.arrivals.kind === 'open' && !summary.exact,
    durationMs: endsByCount(plan.arrivals) ? null : durationMicros / MICROS_PER_MS,
    mostDurationMs: longestMicros(plan, durationMicros) / MICROS_PER_MS,
    deadlineMs: plan.deadlineMicros / MICROS_PER_MS,
    cost: cost === undefined ? null : leastOf(kickoffs === null ? null : kickoffs * cost, maxCost),
    budget: { ...plan.budget, maxCost },
    thresholds: decidability(plan),
  }
}

/** Longer schedules than this are not drawn for a plan: their mean is near enough. */
const MOST_DRAWN = 1_000_000

/** Also of random arrivals: the seed is known. Null where only the target's answers end the run. */
export function plannedArrivals(
  plan: Pick<Plan, 'arrivals' | 'seed'>,
  { arrivals, exact }: ArrivalSummary = describe(plan.arrivals),
): number | null {
  if (arrivals === null || plan.arrivals.kind === 'closed') return arrivals
  if (exact || arrivals > MOST_DRAWN) return Math.round(arrivals)
  const schedule = createSchedule(plan, createRandom(plan.seed))
  let count = 0
  while (schedule.next() !== null) count++
  return count
}

/**
 * The longest time until the last execution has ended. Where a count ends the run, every execution
 * then takes until its deadline, and every pause as long as a client may think.
 */
function longestMicros({ arrivals, deadlineMicros }: Plan, durationMicros: Micros): Micros {
  if (arrivals.kind !== 'closed' || arrivals.iterations === null) {
    return durationMicros + deadlineMicros
  }
  const { clients, iterations, rampUpMicros, think } = arrivals
  const pauses = Math.ceil(iterations / clients) - 1
  const last = rampUpMicros + pauses * (deadlineMicros + most(think))
  return Math.min(durationMicros, last) + deadlineMicros
}

/** If each execution takes this long, or until its deadline if that comes first. */
function requestsOf(plan: Plan, kickoffs: number | null, lengthMicros: number): number | null {
  if (kickoffs === null) return null
  const length = Math.min(lengthMicros, plan.deadlineMicros)
  const polls = pollsWithin(plan.polling, length, createRandom(plan.seed).fork('typical'))
  return Math.round(kickoffs * (1 + polls))
}
