/**
 * The promises to users as a simulation can judge them: each is a share of bad executions that may
 * not be reached.
 */
import type { Micros } from '../../../../base/units.ts'
import type { Threshold } from '../../../../scenario/plan.ts'
import { metricNamed } from '../../../../scenario/thresholds/metrics.ts'
import { typedBound } from '../../../../scenario/thresholds/bounds.ts'

/** The possible ends of a simulated execution; marks have their places as codes. */
const FATES = ['completed', 'failed', 'rejected', 'stuck'] as const
export type Fate = (typeof FATES)[number]

export interface Criterion {
  metric: string
  /** The criterion as its author wrote it: `execution.p95 < 120s`. */
  text: string
  /** An execution that takes this long or longer is bad; null if one with a fate in `bad` is. */
  boundMicros: Micros | null
  bad: readonly Fate[]
  /** The fates of the executions that it judges. */
  among: readonly Fate[]
  /** The share of bad executions, 0 to 1, at which the promise is broken. */
  limit: number
}

/** Names the metrics that a simulation can answer. */
export const ANSWERABLE =
  'execution.p<number>, execution.completed.p<number>, execution.failed, outcome.unserved, ' +
  'outcome.completed, outcome.failed, outcome.rejected and outcome.stuck, each below a bound ' +
  '(outcome.completed above it)'

const ENDED: readonly Fate[] = ['completed', 'failed']

/** Null for a threshold that a simulation cannot answer. */
export function criterionOf(threshold: Threshold): Criterion | null {
  const { metric, operator, bound } = threshold
  const reference = metricNamed(metric)
  const below = operator === '<' || operator === '<='
  const own = { metric, text: `${metric} ${typedBound(threshold)}` }
  switch (reference.kind) {
    case 'execution':
    case 'completedExecution': {
      const { statistic } = reference
      if (statistic.kind !== 'quantile' || !below) return null
      const among = reference.kind === 'execution' ? FATES : (['completed'] as const)
      return { ...own, boundMicros: bound, bad: [], among, limit: 1 - statistic.q }
    }
    case 'failedShare':
      return below ? share(own, ['failed'], ENDED, bound) : null
    case 'unserved':
      return below ? share(own, ['rejected', 'stuck'], FATES, bound) : null
    case 'outcome': {
      const fate = FATES.find((each) => each === reference.outcome)
      if (fate === 'completed') {
        return below ? null : share(own, ['failed', 'rejected', 'stuck'], FATES, 1 - bound)
      }
      return fate !== undefined && below ? share(own, [fate], FATES, bound) : null
    }
    default:
      return null
  }
}

type Own = Pick<Criterion, 'metric' | 'text'>

function share(own: Own, bad: readonly Fate[], among: readonly Fate[], limit: number): Criterion {
  return { ...own, boundMicros: null, bad, among, limit }
}

export function fateCode(fate: Fate): number {
  return FATES.indexOf(fate)
}
