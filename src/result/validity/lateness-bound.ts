/** How late requests may be sent: little compared with the times by which the run is judged. */
import { parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import type { Threshold } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import { formatDuration, formatShare, MICROS_PER_SECOND } from '../../base/units.ts'
import type { ValidityPlan } from '../../scenario/plan.ts'

/**
 * A generator that is a second late does not follow the schedule, however long the executions are.
 */
const LATE_AT_MOST_MICROS = MICROS_PER_SECOND

/** Medians of the measured window; null if not measured. */
export type Medians = Record<Yardstick, Micros | null>

/** A time with which lateness is compared. */
type Yardstick = 'kickoff' | 'status' | 'execution' | 'detectionDelay'

export interface LatenessBound {
  micros: Micros
  /** `10.0 ms`; `1.00 s (5 % of the median execution, at most 1.00 s)`. */
  text: string
}

/** The times of single requests in the report. */
export const REQUESTS: readonly Yardstick[] = ['kickoff', 'status']

/** The times that the thresholds bound; executions if they bound none. */
export function yardsticksOf({
  thresholds,
}: {
  thresholds: readonly Threshold[]
}): readonly Yardstick[] {
  const judged = new Set(thresholds.flatMap(({ metric }) => yardstickOf(metric) ?? []))
  return judged.size === 0 ? ['execution'] : [...judged]
}

/**
 * Lateness adds to a time that counts from when a request was intended. The bound is a share of the
 * shortest time on which a threshold is judged that lateness could have changed: the median request
 * for kickoffs or polls, the median detection delay, the median execution. Without such a threshold
 * it is the median execution: 23 ms matter little for executions of 139 s, and much for kickoffs of
 * 30 ms. The share (5 % by default) moves a quantile by no more than the tolerance of
 * Little's law and of the comparison of engines.
 *
 * The absolute bound applies if it is larger, or if a time was not measured. A bound set by the
 * scenario applies alone: its share is 0.
 */
export function latenessBound(
  validity: Pick<ValidityPlan, 'latenessP99Micros' | 'latenessShare'>,
  yardsticks: readonly Yardstick[],
  medians: Medians,
): LatenessBound {
  const { latenessP99Micros: least, latenessShare: share } = validity
  const shortest = yardsticks
    .map((name) => ({ name, micros: medians[name] ?? 0 }))
    .reduce((a, b) => (b.micros < a.micros ? b : a))
  const relative = Math.round(share * shortest.micros)
  if (relative <= least) return { micros: least, text: formatDuration(least) }
  const words = `${formatShare(share)} of the median ${YARDSTICK_WORDS[shortest.name]}`
  const micros = Math.max(least, Math.min(relative, LATE_AT_MOST_MICROS))
  const cap = micros < relative ? `, at most ${formatDuration(micros)}` : ''
  return { micros, text: `${formatDuration(micros)} (${words}${cap})` }
}

const YARDSTICK_WORDS: Record<Yardstick, string> = {
  kickoff: 'kickoff request',
  status: 'status request',
  execution: 'execution',
  detectionDelay: 'detection delay',
}

function yardstickOf(metric: string): Yardstick | null {
  const reference = parseMetric(metric)
  switch (reference?.kind) {
    case 'kickoffResponse':
      return 'kickoff'
    case 'request':
      return reference.operation === 'inputs' ? null : reference.operation
    case 'detectionDelay':
      return 'detectionDelay'
    case 'execution':
    case 'completedExecution':
      return 'execution'
    default:
      return null
  }
}
