/** What a strategy costs, with the band in which the truth lies. */
import type { Subject } from '../replay/lives.ts'
import type { Figures, Stage, Trace } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { Candidate } from './candidates.ts'
import type { Resamples } from './resamples.ts'
import { intervalLevels, studentT } from './resamples.ts'

/** Times in microseconds. */
export interface Estimated {
  candidate: Candidate
  trace: Trace
  value: Figures
  low: Figures
  high: Figures
  /** Under each resample, in the same order for all strategies. */
  resampled: readonly Figures[]
}

const NAMES = ['pollsMean', 'delayMean', 'delayP50', 'delayP95'] as const

export function estimateOf(
  candidate: Candidate,
  subjects: readonly Subject[],
  resamples: Resamples,
  stage: Stage,
): Estimated {
  const trace = traceOf(subjects, candidate.policyOf, stage)
  const resampled = resamples.each.map((weights) => figuresOf(trace, weights))
  const levels = intervalLevels(subjects.length)
  const at = (level: number): Figures => {
    const found = NAMES.map((name) => [name, quantileOf(resampled, name, level)])
    return Object.fromEntries(found) as Figures
  }
  const value = figuresOf(trace, resamples.whole)
  const high = at(levels.high).pollsMean
  const skewed = skewedHigh(value.pollsMean, trace.polls, resampled)
  return {
    candidate,
    trace,
    value,
    low: at(levels.low),
    high: { ...at(levels.high), pollsMean: Math.max(high, skewed) },
    resampled,
  }
}

/**
 * The upper end for a mean of skewed values, which a sample without its longest executions would set
 * too low: mean + se (t + g (1 + 2 t^2) / (6 sqrt(n))) for a skewness g (Johnson, "Modified t tests
 * and confidence intervals for asymmetrical populations", 1978).
 */
function skewedHigh(mean: number, values: Float64Array, resampled: readonly Figures[]): number {
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

function quantileOf(all: readonly Figures[], name: keyof Figures, level: number): number {
  const sorted = all.map((each) => each[name]).toSorted(compare)
  const at = level * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return below === above ? below : below + (above - below) * (at - Math.floor(at))
}

/** Two infinite delays are the same. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}
