/**
 * What the analysis reads from the plan in a run line: the journal may be damaged, so nothing is
 * assumed.
 */
import type { Threshold } from '../scenario/plan.ts'
import { parseMetric } from '../scenario/thresholds/metrics/index.ts'

export interface PlanFacts {
  description: string
  warmUpMicros: number
  /**
   * No arrival is intended later; null if a number of iterations ends them, or the plan does not
   * say.
   */
  lastArrivalMicros: number | null
  /**
   * For an open schedule: whether its rate is constant or varies by plan. Null for any other, and
   * if unknown.
   */
  rate: 'steady' | 'varied' | null
  /** Share of the arrivals that the generator may drop. */
  maxDropped: number
  undecided: 'inconclusive' | 'pass' | 'fail'
  thresholds: Threshold[]
  /** Null if the plan does not say. */
  honourRetryAfter: boolean | null
  /** Waits as long as answers ask for that refuse nothing. */
  obeysHints: boolean
  validity: Validity
}

interface Validity {
  latenessP99Micros: number
  latenessShare: number
  utilisation: number
  littleResidual: number
}

/** For plans that do not say. */
const DEFAULT_VALIDITY: Validity = {
  latenessP99Micros: 5_000,
  latenessShare: 0,
  utilisation: 0.7,
  littleResidual: 0.05,
}

const DEFAULT_MAX_DROPPED = 0.01
const UNDECIDED = ['inconclusive', 'pass', 'fail'] as const

export function planFacts(plan: unknown): PlanFacts {
  const root = asObject(plan)
  const validity = asObject(root['validity'])
  const honour = root['honourRetryAfter']
  return {
    description: typeof root['description'] === 'string' ? root['description'] : '',
    warmUpMicros: asNumber(root['warmUpMicros'], 0),
    lastArrivalMicros: lastArrivalOf(asObject(root['arrivals'])),
    rate: rateOf(asObject(root['arrivals'])),
    maxDropped: asNumber(root['maxDropped'], DEFAULT_MAX_DROPPED),
    undecided: UNDECIDED.find((each) => each === root['undecided']) ?? 'inconclusive',
    thresholds: asList(root['thresholds']).filter(isThreshold),
    honourRetryAfter: typeof honour === 'boolean' ? honour : null,
    obeysHints: honour !== false && asObject(root['polling'])['hint'] === 'obey',
    validity: {
      latenessP99Micros: asNumber(
        validity['latenessP99Micros'],
        DEFAULT_VALIDITY.latenessP99Micros,
      ),
      latenessShare: asNumber(validity['latenessShare'], DEFAULT_VALIDITY.latenessShare),
      utilisation: asNumber(validity['utilisation'], DEFAULT_VALIDITY.utilisation),
      littleResidual: asNumber(validity['littleResidual'], DEFAULT_VALIDITY.littleResidual),
    },
  }
}

function lastArrivalOf(arrivals: Record<string, unknown>): number | null {
  switch (arrivals['kind']) {
    case 'open':
      return asList(arrivals['segments']).reduce<number>(
        (sum, segment) => sum + asNumber(asObject(segment)['forMicros'], 0),
        0,
      )
    case 'closed':
      return arrivals['iterations'] === null ? asNumber(arrivals['forMicros'], 0) : null
    case 'replay':
      return asNumber(arrivals['lastMicros'], 0)
    default:
      return null
  }
}

function rateOf(arrivals: Record<string, unknown>): PlanFacts['rate'] {
  if (arrivals['kind'] !== 'open') return null
  const rates = asList(arrivals['segments']).flatMap((segment) =>
    ['from', 'to'].map((end) => {
      const { count, perMicros } = asObject(asObject(segment)[end])
      return asNumber(count, 0) / asNumber(perMicros, 1)
    }),
  )
  if (rates.length === 0) return null
  return Math.max(...rates) <= Math.min(...rates) * 1.000_001 ? 'steady' : 'varied'
}

function isThreshold(value: unknown): value is Threshold {
  const { metric, operator, bound, text } = asObject(value)
  return (
    typeof metric === 'string' &&
    parseMetric(metric) !== undefined &&
    ['<', '<=', '>', '>='].includes(operator as string) &&
    typeof bound === 'number' &&
    typeof text === 'string'
  )
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function asNumber(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}
