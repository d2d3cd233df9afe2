/** Computes the quantile of the first promise as a function of the rate. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import { parseMetric } from '../../../scenario/thresholds/metrics/index.ts'
import type { CapacityDocument } from '../document.ts'
import type { Criterion } from './model/criteria.ts'
import { Z98 } from './model/interval.ts'
import { saturationPerHour } from './model/system.ts'
import type { CapacitySearch } from './search/search.ts'

/** The rates at which the curve is drawn, as shares of the capacity. */
const SHARES = [0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 1, 1.025, 1.05]
/** From this share of the capacity on, the curve is drawn from the largest simulation. */
const FINE_FROM = 0.92

type Curve = Pick<CapacityDocument, 'curve' | 'curveOf'>

export function curveOf({
  search,
  criteria,
}: {
  search: CapacitySearch
  criteria: readonly Criterion[]
}): Curve {
  const criterion = criteria.find(({ boundMicros }) => boundMicros !== null)
  const none: Curve = { curve: [], curveOf: null }
  if (criterion === undefined) return none
  const { metric, boundMicros } = criterion
  const asked = { metric, boundMs: (boundMicros ?? 0) / MICROS_PER_MS }
  const { estimate, simulations } = search
  const q = quantileIn(metric)
  if (estimate?.solution.kind !== 'rate' || q === null) return { curve: [], curveOf: asked }
  const { system, solution, spread } = estimate
  const saturated = saturationPerHour(system)
  const rates = SHARES.map((share) => share * solution.perHour).filter((rate) => rate < saturated)
  // Near the capacity, only the simulation that found it shows correctly how long executions wait.
  const at = (perHour: number): number | null => {
    const { middle, fine } = simulations
    const simulation = perHour < FINE_FROM * solution.perHour ? middle : fine
    return inMs(simulation.responseQuantile(system, perHour, q))
  }
  // The uncertainty about the crew is mostly one of its speed, which acts like a slightly lower or
  // higher rate.
  const width = Math.exp(Math.min(1, Z98 * spread))
  const curve = rates.map((perHour) => ({
    perHour,
    value: at(perHour),
    low: at(perHour / width),
    high: perHour * width >= saturated ? null : at(perHour * width),
  }))
  return { curve, curveOf: asked }
}

function quantileIn(metric: string): number | null {
  const reference = parseMetric(metric)
  const statistic = reference !== undefined && 'statistic' in reference ? reference.statistic : null
  return statistic?.kind === 'quantile' ? statistic.q : null
}

function inMs(micros: number): number | null {
  return Number.isFinite(micros) ? micros / MICROS_PER_MS : null
}
