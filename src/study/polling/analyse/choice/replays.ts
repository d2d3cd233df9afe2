/**
 * Every strategy replayed over the same executions: at most once each, whichever goal asks for it.
 */
import { once } from '../../../../base/collections/once.ts'
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { sampleShapeOf } from '../families/shape.ts'
import type { Subject } from '../replay/lives.ts'
import type { TraceFigures, ReplayStage, Trace } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { StrategyCandidate } from './candidates.ts'
import { candidatesOf, fineOf, judgeOf } from './candidates.ts'
import type { Estimated, Resamples } from './estimate.ts'
import { estimateOf, resamplesOf } from './estimate.ts'

/** A strategy as some of the executions judge it. */
export interface Rough {
  candidate: StrategyCandidate
  trace: Trace
  figures: TraceFigures
}

export interface Replays {
  subjects: readonly Subject[]
  resamples: Resamples
  usual: readonly StrategyCandidate[]
  /** Constant intervals below the usual ones. */
  fine: readonly StrategyCandidate[]
  /** What an execution takes on average. */
  meanMicros: Micros
  /** The executions by which `roughly` judges. */
  some: readonly Subject[]
  /**
   * What was learned from all executions looks better on them than what was learned without each.
   * Where it looks worse, it is another kind of strategy than those that stand for it, and is
   * judged itself: both ways, for the worse of them to count.
   */
  roughly: (candidate: StrategyCandidate) => readonly Rough[]
  estimated: (candidate: StrategyCandidate) => Estimated
}

/** Executions by which all strategies are compared before the best are estimated by all. */
const SCREENED = 400

/** `requestMicros`: what a poll takes, in the median. */
export function replaysOf(
  subjects: readonly Subject[],
  { stage, random, requestMicros }: { stage: ReplayStage; random: Random; requestMicros: Micros },
): Replays {
  const resamples = resamplesOf(subjects, random)
  const shape = sampleShapeOf(subjects, requestMicros)
  const every = Math.max(1, subjects.length / SCREENED)
  const places: number[] = []
  for (let at = 0; at < subjects.length; at += every) places.push(Math.floor(at))
  const some = places.map((at) => subjects[at]!)
  const weights = some.map(({ weight }) => weight)
  const rough = (candidate: StrategyCandidate): Rough => {
    const judge = judgeOf(candidate)
    const trace = traceOf(some, (i) => judge(places[i]!), stage)
    return { candidate, trace, figures: figuresOf(trace, weights) }
  }
  return {
    subjects,
    resamples,
    usual: candidatesOf(subjects, requestMicros),
    fine: fineOf(shape),
    meanMicros: shape.meanMicros,
    some,
    roughly: once((candidate) => waysOf(candidate).map(rough)),
    estimated: once((candidate) => {
      const estimate = estimateOf(candidate, subjects, resamples, stage)
      return withoutLearning(estimate, subjects, resamples, stage)
    }),
  }
}

function waysOf(candidate: StrategyCandidate): StrategyCandidate[] {
  return candidate.isCrossed ? [candidate, { ...candidate, isCrossed: false }] : [candidate]
}

/**
 * A strategy that was learned from executions knows their ends earlier than those of others. On
 * them it looks better than it is; what was learned from a part of them looks worse on the rest,
 * for it knows less. The truth lies between the two (Efron, "Estimating the error rate of a
 * prediction rule", 1983, on the apparent error and cross-validation).
 *
 * The estimate with the mean delay of what was learned without each execution, or with the middle
 * between that and the strategy itself where executions are few, and a band of the mean that holds
 * both. Strategies are ranked without it: what stands for each of them in the parts differs by more
 * than they do.
 */
function withoutLearning(
  estimate: Estimated,
  subjects: readonly Subject[],
  { whole }: Resamples,
  stage: ReplayStage,
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
    high: allLater(high, factor),
    learning: factor,
  }
}

/**
 * Few executions have their ends spread (`lives.ts`), so that the strategy itself is not judged by
 * the very ends that it was fitted to, while what was learned from a part also misses spread ends:
 * at the edge of a crowd by the pause until the next one. Then the middle of both is given. With 50
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

function later(figures: TraceFigures, factor: number): TraceFigures {
  return { ...figures, delayMean: figures.delayMean * factor }
}

/** The quantiles as well as the mean. */
export function allLater(figures: TraceFigures, factor: number): TraceFigures {
  const { delayP50, delayP95 } = figures
  return { ...later(figures, factor), delayP50: delayP50 * factor, delayP95: delayP95 * factor }
}
