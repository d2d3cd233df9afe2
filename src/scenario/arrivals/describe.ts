/** What a plan's arrivals amount to, known before anything is sent. */
import { unreachable } from '../../base/assert.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { PlanDocument } from '../plan.schema.ts'
import type { ArrivalPlan } from '../plan.ts'
import { createIntensity } from './intensity.ts'
import { countBefore } from './processes.ts'

export interface ArrivalSummary {
  /**
   * Exact for evenly spaced and replayed arrivals, otherwise the mean. For closed clients it is the
   * maximum, or null when there is none.
   */
  arrivals: number | null
  /** Whether `arrivals` is exact rather than a mean or a bound. */
  exact: boolean
  /** The time from the run's zero after which no arrival is intended. */
  durationMicros: Micros
  /** The highest intended rate in arrivals per second; null when the target determines it. */
  peakPerSecond: number | null
}

/** The arrivals of a plan, or what is stored of them. */
type PlannedArrivals = ArrivalPlan | PlanDocument['arrivals']

/** The time after which no arrival is intended, from the run's zero. */
export function lastArrivalMicros(arrivals: PlannedArrivals): Micros {
  switch (arrivals.kind) {
    case 'open':
      return createIntensity(arrivals.segments).durationMicros
    case 'closed':
      return arrivals.forMicros
    case 'replay':
      return 'lastMicros' in arrivals ? arrivals.lastMicros : (arrivals.offsetsMicros.at(-1) ?? 0)
    default:
      return unreachable(arrivals)
  }
}

/**
 * Whether closed clients stop after a number of executions; how long that takes depends on the
 * crew.
 */
export function endsByCount(arrivals: PlannedArrivals): boolean {
  return arrivals.kind === 'closed' && arrivals.iterations !== null
}

export type RateShape = 'steady' | 'varied'

/** Whether the rate of an open schedule is constant or varies by plan; null for any other. */
export function rateShapeOf(arrivals: PlannedArrivals): RateShape | null {
  if (arrivals.kind !== 'open') return null
  const rates = arrivals.segments.flatMap(({ from, to }) => [
    from.count / from.perMicros,
    to.count / to.perMicros,
  ])
  return Math.max(...rates) <= Math.min(...rates) * 1.000_001 ? 'steady' : 'varied'
}

export function describe(arrivals: ArrivalPlan): ArrivalSummary {
  const durationMicros = lastArrivalMicros(arrivals)
  switch (arrivals.kind) {
    case 'open':
      return { ...describeOpen(arrivals), durationMicros }
    case 'closed':
      return {
        arrivals: arrivals.iterations,
        exact: false,
        durationMicros,
        peakPerSecond: null,
      }
    case 'replay':
      return {
        arrivals: arrivals.offsetsMicros.length,
        exact: true,
        durationMicros,
        peakPerSecond: busiestSecond(arrivals.offsetsMicros),
      }
    default:
      return unreachable(arrivals)
  }
}

function describeOpen({
  segments,
  process,
}: Extract<ArrivalPlan, { kind: 'open' }>): Omit<ArrivalSummary, 'durationMicros'> {
  const { total } = createIntensity(segments)
  const count = countBefore(process, total)
  const rates = segments.flatMap(({ from, to }) => [from, to])
  const perSecond = rates.map(({ count, perMicros }) => (count * MICROS_PER_SECOND) / perMicros)
  return {
    arrivals: count ?? total,
    exact: count !== null,
    peakPerSecond: perSecond.reduce((peak, rate) => Math.max(peak, rate), 0),
  }
}

/**
 * The largest number of offsets within one second, by a window that slides from arrival to arrival.
 */
function busiestSecond(offsetsMicros: readonly Micros[]): number {
  let busiest = 0
  let oldest = 0
  offsetsMicros.forEach((offset, i) => {
    while (offset - offsetsMicros[oldest]! >= MICROS_PER_SECOND) oldest++
    busiest = Math.max(busiest, i - oldest + 1)
  })
  return busiest
}
