/**
 * The promises to users as a simulation can judge them: each is a share of bad executions that may
 * not be reached.
 */
import { unreachable } from '../../../../base/assert.ts'
import type { Outcome } from '../../../../scenario/outcomes.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Threshold } from '../../../../scenario/plan.ts'
import { parseMetric } from '../../../../scenario/thresholds/metrics.ts'

/** The possible ends of a simulated execution. */
export type Fate = 'completed' | 'failed' | 'rejected' | 'stuck'

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

const ALL: readonly Fate[] = ['completed', 'failed', 'rejected', 'stuck']
const ENDED: readonly Fate[] = ['completed', 'failed']

/** Null for a threshold that a simulation cannot answer. */
export function criterionOf(threshold: Threshold): Criterion | null {
  const { metric, operator, bound, text } = threshold
  const reference = parseMetric(metric)
  const below = operator === '<' || operator === '<='
  const own = { metric, text: `${metric} ${text}` }
  switch (reference?.kind) {
    case 'execution':
    case 'completedExecution': {
      const { statistic } = reference
      if (statistic.kind !== 'quantile' || !below) return null
      const among = reference.kind === 'execution' ? ALL : (['completed'] as const)
      return { ...own, boundMicros: bound, bad: [], among, limit: 1 - statistic.q }
    }
    case 'failedShare':
      return below ? share(own, ['failed'], ENDED, bound) : null
    case 'unserved':
      return below ? share(own, ['rejected', 'stuck'], ALL, bound) : null
    case 'outcome':
      return ofOutcome(reference.outcome, { ...threshold, below, own })
    default:
      return null
  }
}

type Own = Pick<Criterion, 'metric' | 'text'>

function ofOutcome(
  outcome: Outcome,
  { bound, below, own }: { bound: number; below: boolean; own: Own },
): Criterion | null {
  switch (outcome) {
    case 'completed':
      return below ? null : share(own, ['failed', 'rejected', 'stuck'], ALL, 1 - bound)
    case 'failed':
    case 'rejected':
    case 'stuck':
      return below ? share(own, [outcome], ALL, bound) : null
    case 'unknown':
    case 'lost':
    case 'paused':
    case 'unreadable':
    case 'dropped':
    case 'notReached':
    case 'aborted':
      // A simulation has none of these metrics.
      return null
    default:
      return unreachable(outcome)
  }
}

function share(own: Own, bad: readonly Fate[], among: readonly Fate[], limit: number): Criterion {
  return { ...own, boundMicros: null, bad, among, limit }
}

/** The code of a fate in `Uint8Array` marks. */
export function fateCode(fate: Fate): number {
  switch (fate) {
    case 'completed':
      return 0
    case 'failed':
      return 1
    case 'rejected':
      return 2
    case 'stuck':
      return 3
    default:
      return unreachable(fate)
  }
}
