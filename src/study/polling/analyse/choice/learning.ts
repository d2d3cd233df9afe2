/**
 * A strategy that was learned from executions knows their ends earlier than those of others. On
 * them it looks better than it is; what was learned from a part of them looks worse on the rest,
 * for it knows less. The truth lies between the two (Efron, "Estimating the error rate of a
 * prediction rule", 1983, on the apparent error and cross-validation).
 */
import type { Subject } from '../replay/lives.ts'
import type { Figures, Stage } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { Estimated } from './estimate.ts'
import type { Resamples } from './resamples.ts'

/**
 * The estimate with the mean delay of what was learned without each execution, and a band of the
 * mean that reaches from the strategy itself to that. Strategies are ranked without it: what stands
 * for each of them in the parts differs by more than they do.
 */
export function withoutLearning(
  estimate: Estimated,
  subjects: readonly Subject[],
  { whole }: Resamples,
  stage: Stage,
): Estimated {
  const { candidate, value, low, high } = estimate
  const { policy, heldOutOf, isCrossed } = candidate
  if (heldOutOf === null) return estimate
  const other = figuresOf(traceOf(subjects, isCrossed ? () => policy : heldOutOf, stage), whole)
  const factor = other.delayMean / value.delayMean
  if (isCrossed && factor < 1) return { ...estimate, low: later(low, factor) }
  // Neither of the two has a delay where all ends are met, or missed.
  if (isCrossed || !(factor > 1) || !Number.isFinite(factor)) return estimate
  return {
    ...estimate,
    value: later(value, factor),
    high: {
      ...later(high, factor),
      delayP50: high.delayP50 * factor,
      delayP95: high.delayP95 * factor,
    },
    learning: factor,
  }
}

function later(figures: Figures, factor: number): Figures {
  return { ...figures, delayMean: figures.delayMean * factor }
}
