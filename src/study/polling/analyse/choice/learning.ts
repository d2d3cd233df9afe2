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
 * The estimate with the mean delay of what was learned without each execution, or with the middle
 * between that and the strategy itself where executions are few, and a band of the mean that holds
 * both. Strategies are ranked without it: what stands for each of them in the parts differs by more
 * than they do.
 */
export function withoutLearning(
  estimate: Estimated,
  subjects: readonly Subject[],
  { whole }: Resamples,
  stage: Stage,
): Estimated {
  const { candidate, value, high } = estimate
  const { policy, heldOutOf, isCrossed } = candidate
  if (heldOutOf === null) return estimate
  const other = figuresOf(traceOf(subjects, isCrossed ? () => policy : heldOutOf, stage), whole)
  const factor = other.delayMean / value.delayMean
  // Neither of the two has a delay where all ends are met, or missed.
  if (!(factor > 0) || !Number.isFinite(factor)) return estimate
  if (isCrossed) return betweenBoth(estimate, factor, isSpread(subjects))
  if (factor <= 1) return estimate
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

/**
 * Few executions have their ends spread (`lives.ts`), so that the strategy itself is not judged by
 * the very ends that it was fitted to, while what was learned from a part also misses spread ends:
 * at the edge of a crowd by the pause until the next one. Then the middle of both is told. With 50
 * executions of three modes, the second is 39 % longer than the truth, and the first 15 % shorter.
 *
 * `factor`: the delay of the strategy itself over the one that was learned without each execution.
 */
function betweenBoth(estimate: Estimated, factor: number, isSpread: boolean): Estimated {
  const { value, low, high } = estimate
  const middle = isSpread ? Math.sqrt(factor) : 1
  return {
    ...estimate,
    value: later(value, middle),
    low: factor < 1 ? later(low, factor) : low,
    high: middle > 1 ? later(high, middle) : high,
    learning: middle,
  }
}

function isSpread(subjects: readonly Subject[]): boolean {
  return subjects.some(({ lives }) => lives.length > 1)
}

function later(figures: Figures, factor: number): Figures {
  return { ...figures, delayMean: figures.delayMean * factor }
}
