/** Arrivals: when each kickoff of a plan is intended. */
import { assert, unreachable } from '../../base/assert.ts'
import type { Random } from '../../base/random.ts'
import type { ArrivalPlan, Plan, PlanAsRead, RateSegment } from '../plan.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { createIntensity } from './intensity.ts'
import type { ArrivalProcess } from './processes.ts'
import { countBefore, pointsOf } from './processes.ts'

/**
 * The one schedule of a plan with open or replayed arrivals; it depends on the seed and not on how
 * many instances share it. It is lazy: a million arrivals cost no memory. Closed clients have no
 * schedule, since the target's answers determine when they arrive.
 */
export function createSchedule(plan: Pick<Plan, 'arrivals'>, random: Random): Schedule {
  const { arrivals } = plan
  assert(arrivals.kind !== 'closed', 'closed clients follow no schedule')
  if (arrivals.kind === 'replay') return replaySchedule(arrivals.offsetsMicros)
  return openSchedule(arrivals.segments, arrivals.process, random.fork('arrivals'))
}

/** The interface of a schedule: every arrival of the plan in order, requested one at a time. */
export interface ScheduledArrival {
  /** The index over all instances, from 0: instance i of n takes those with index mod n = i. */
  index: number
  /** Whole microseconds since the run's zero; never before the previous arrival's. */
  intendedMicros: Micros
}

interface Schedule {
  /** The next arrival; null when there are no more. */
  next(): ScheduledArrival | null
}

/**
 * Arrival i is at the time when the integral of the rate reaches the process's point i; points
 * beyond the last segment give no arrival.
 */
function openSchedule(
  segments: readonly RateSegment[],
  process: ArrivalProcess,
  random: Random,
): Schedule {
  const intensity = createIntensity(segments)
  const nextPoint = pointsOf(process, random)
  let index = 0
  let ended = false
  return {
    next() {
      if (ended) return null
      const point = nextPoint()
      ended = point >= intensity.total
      if (ended) return null
      return { index: index++, intendedMicros: Math.round(intensity.timeOf(point)) }
    },
  }
}

/** `offsetsMicros` are in rising order and count from the run's zero. */
function replaySchedule(offsetsMicros: readonly Micros[]): Schedule {
  let index = 0
  return {
    next() {
      const intendedMicros = offsetsMicros[index]
      return intendedMicros === undefined ? null : { index: index++, intendedMicros }
    },
  }
}

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
  /**
   * The highest intended rate in arrivals per second; null when the target determines it, and for
   * what is stored of a replay.
   */
  peakPerSecond: number | null
}

/** The arrivals of a plan, or what is stored of them. */
type PlannedArrivals = PlanAsRead['arrivals']

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

export function describe(arrivals: PlannedArrivals): ArrivalSummary {
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
        arrivals: 'arrivals' in arrivals ? arrivals.arrivals : arrivals.offsetsMicros.length,
        exact: true,
        durationMicros,
        peakPerSecond: 'arrivals' in arrivals ? null : busiestSecond(arrivals.offsetsMicros),
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
