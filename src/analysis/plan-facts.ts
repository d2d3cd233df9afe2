/** What the analysis reads from the plan in a run line: it may come from another version, so nothing is taken for granted. */
import type { Threshold } from '../scenario/plan.ts'
import { parseMetric } from '../scenario/metrics.ts'

export interface PlanFacts {
  description: string
  warmUpMicros: number
  thresholds: Threshold[]
  /** Null where it does not tell. */
  honourRetryAfter: boolean | null
  validity: Validity
}

interface Validity {
  latenessP99Micros: number
  latenessShare: number
  utilisation: number
  littleResidual: number
}

/** Of plans that do not tell; the first ones knew no share. */
const DEFAULT_VALIDITY: Validity = {
  latenessP99Micros: 5_000,
  latenessShare: 0,
  utilisation: 0.7,
  littleResidual: 0.05,
}

export function planFacts(plan: unknown): PlanFacts {
  const root = asObject(plan)
  const validity = asObject(root['validity'])
  const honour = root['honourRetryAfter']
  return {
    description: typeof root['description'] === 'string' ? root['description'] : '',
    warmUpMicros: asNumber(root['warmUpMicros'], 0),
    thresholds: asList(root['thresholds']).filter(isThreshold),
    honourRetryAfter: typeof honour === 'boolean' ? honour : null,
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
