/** What a strategy costs, with the band in which the truth lies. */
import type { Subject } from '../replay/lives.ts'
import type { TraceFigures, ReplayStage, Trace } from '../replay/trace.ts'
import { figuresUnder, traceOf } from '../replay/trace.ts'
import type { StrategyCandidate } from './candidates.ts'
import { judgeOf } from './candidates.ts'
import type { Resamples } from './resamples.ts'
import { intervalLevels, studentT } from './resamples.ts'

/** Times in microseconds. */
export interface Estimated {
  candidate: StrategyCandidate
  trace: Trace
  value: TraceFigures
  low: TraceFigures
  high: TraceFigures
  /**
   * The mean delay of `value` over the one by which strategies are ranked, that of their judges.
   */
  learning: number
  /** Under each resample, in the same order for all strategies; `learning` has no part in it. */
  resampled: readonly TraceFigures[]
}

export function estimateOf(
  candidate: StrategyCandidate,
  subjects: readonly Subject[],
  resamples: Resamples,
  stage: ReplayStage,
): Estimated {
  const trace = traceOf(subjects, judgeOf(candidate), stage)
  const figuresOf = figuresUnder(trace)
  const resampled = resamples.each.map((weights) => figuresOf(weights))
  const levels = intervalLevels(subjects.length)
  const sorted = (name: keyof TraceFigures): Float64Array =>
    Float64Array.from(resampled, (each) => each[name]).sort()
  const [polls, mean] = [sorted('pollsMean'), sorted('delayMean')]
  const [p50, p95] = [sorted('delayP50'), sorted('delayP95')]
  const missed = sorted('missedShare')
  const at = (level: number): TraceFigures => ({
    pollsMean: quantileOf(polls, level),
    delayMean: quantileOf(mean, level),
    delayP50: quantileOf(p50, level),
    delayP95: quantileOf(p95, level),
    missedShare: quantileOf(missed, level),
  })
  const value = figuresOf(resamples.whole)
  const high = at(levels.high)
  const skewed = skewedHigh(value.pollsMean, trace.polls, resampled)
  return {
    candidate,
    trace,
    value,
    learning: 1,
    low: at(levels.low),
    high: { ...high, pollsMean: Math.max(high.pollsMean, skewed) },
    resampled,
  }
}

/**
 * The upper end for a mean of skewed values, which a sample without its longest executions would
 * set too low: mean + se (t + g (1 + 2 t^2) / (6 sqrt(n))) for a skewness g (Johnson, "Modified t
 * tests and confidence intervals for asymmetrical populations", 1978).
 */
function skewedHigh(
  mean: number,
  values: Float64Array,
  resampled: readonly TraceFigures[],
): number {
  const n = values.length
  const t = studentT(n)
  const centre = values.reduce((sum, value) => sum + value, 0) / n
  const moment = (power: number): number =>
    values.reduce((sum, value) => sum + (value - centre) ** power, 0) / n
  const spread = Math.sqrt(moment(2))
  const skewness = spread === 0 ? 0 : Math.max(0, moment(3) / spread ** 3)
  const error = Math.sqrt(
    resampled.reduce((sum, each) => sum + (each.pollsMean - mean) ** 2, 0) / resampled.length,
  )
  return mean + error * (t + (skewness * (1 + 2 * t * t)) / (6 * Math.sqrt(n)))
}

/** The likeliest figures on the executions that it is judged by. */
export function judgedOf({ value, learning }: Pick<Estimated, 'value' | 'learning'>): TraceFigures {
  return { ...value, delayMean: value.delayMean / learning }
}

function quantileOf(sorted: Float64Array, level: number): number {
  const at = level * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return below === above ? below : below + (above - below) * (at - Math.floor(at))
}
