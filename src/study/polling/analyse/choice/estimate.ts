/** What a strategy costs, with the band in which the truth lies. */
import { normalShares } from '../../../../result/statistics/gamma.ts'
import { sumBy, meanOf } from '../../../../result/statistics/moments.ts'
import type { Subject } from '../replay/lives.ts'
import type { TraceFigures, ReplayStage, Trace } from '../replay/trace.ts'
import { figuresUnder, traceOf } from '../replay/trace.ts'
import type { StrategyCandidate } from './candidates.ts'
import { judgeOf } from './candidates.ts'
import type { Random } from '../../../../base/random.ts'
import { inverseNormal } from '../../../../base/random.ts'

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
  const value = figuresOf(resamples.whole)
  const rising = figuresBy((name) => Float64Array.from(resampled, (each) => each[name]).sort())
  const at = (level: number): TraceFigures => figuresBy((name) => interpolated(rising[name], level))
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

function figuresBy<Of>(of: (name: keyof TraceFigures) => Of): Record<keyof TraceFigures, Of> {
  return {
    pollsMean: of('pollsMean'),
    delayMean: of('delayMean'),
    delayP50: of('delayP50'),
    delayP95: of('delayP95'),
    missedShare: of('missedShare'),
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
  const centre = meanOf(values)
  const moment = (power: number): number => sumBy(values, (value) => (value - centre) ** power) / n
  const spread = Math.sqrt(moment(2))
  const skewness = spread === 0 ? 0 : Math.max(0, moment(3) / spread ** 3)
  const error = Math.sqrt(
    sumBy(resampled, (each) => (each.pollsMean - mean) ** 2) / resampled.length,
  )
  return mean + error * (t + (skewness * (1 + 2 * t * t)) / (6 * Math.sqrt(n)))
}

/** The likeliest figures on the executions that it is judged by. */
export function judgedFigures({
  value,
  learning,
}: Pick<Estimated, 'value' | 'learning'>): TraceFigures {
  return { ...value, delayMean: value.delayMean / learning }
}

/** Between the resamples beside it: the band of a bootstrap, not a quantile of executions. */
function interpolated(sorted: Float64Array, level: number): number {
  const at = level * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return below === above ? below : below + (above - below) * (at - Math.floor(at))
}

export interface Resamples {
  /** Weights of the subjects as they are. */
  whole: Float64Array
  /** The weights of the subjects in each resample. */
  each: readonly Float64Array[]
  /** Executions of a block. */
  block: number
}

const RESAMPLES = 600

/** `subjects` in order of acceptance. */
export function resamplesOf(subjects: readonly Subject[], random: Random): Resamples {
  const n = subjects.length
  const whole = Float64Array.from(subjects, ({ weight }) => weight)
  const block = blockLength(subjects)
  const each = Array.from({ length: RESAMPLES }, (_, number) => {
    const stream = random.fork('resample', number)
    const weights = new Float64Array(n)
    for (let drawn = 0; drawn < n;) {
      const from = stream.int(n)
      for (let i = 0; i < block && drawn < n; i++, drawn++) {
        const at = (from + i) % n
        weights[at]! += whole[at]!
      }
    }
    return weights
  })
  return { whole, each, block }
}

/**
 * For a series whose neighbours correlate by r, (2 r / (1 - r^2))^(2/3) n^(1/3) (Carlstein, "The
 * use of subseries values for estimating the variance", 1986); 1 where r is no more than chance
 * makes it.
 */
function blockLength(subjects: readonly Subject[]): number {
  const lengths = subjects.map(({ lives }) => lives[0]!.endMicros)
  const ranks = ranksOf(lengths)
  const n = ranks.length
  const r = neighbourCorrelation(ranks)
  if (!(r > 2 / Math.sqrt(n))) return 1
  const length = Math.ceil((((2 * r) / (1 - r * r)) ** 2) ** (1 / 3) * Math.cbrt(n))
  return Math.max(1, Math.min(length, Math.floor(n / 4)))
}

/** Ranks: one long execution shall not hide how the others follow each other. */
function ranksOf(values: readonly number[]): number[] {
  const ranks = values.map(() => 0)
  ;[...values.keys()]
    .sort((a, b) => compare(values[a]!, values[b]!))
    .forEach((at, rank) => (ranks[at] = rank))
  return ranks
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}

function neighbourCorrelation(values: readonly number[]): number {
  const mean = meanOf(values)
  let [product, square] = [0, 0]
  values.forEach((value, i) => {
    square += (value - mean) ** 2
    if (i > 0) product += (value - mean) * (values[i - 1]! - mean)
  })
  return square === 0 ? 0 : product / square
}

/**
 * Of a normal distribution; for 95 % of the bands to hold the truth of the strategy that was
 * chosen, from 50 executions on, 98 % must be asked for (`bench/results/polling-truth.md`).
 */
const LEVEL = 0.99

/** Student's t for that level, by Cornish and Fisher's expansion. */
function studentT(n: number): number {
  const z = inverseNormal(LEVEL)
  const degrees = Math.max(2, n - 1)
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
  return z + (z ** 3 + z) / (4 * degrees) + second
}

/**
 * The levels at which resampled values are read for a band, which are wider for small samples:
 * percentiles of a bootstrap are as narrow as an interval that takes the spread for known
 * (Hesterberg, "What teachers should know about the bootstrap", 2015).
 */
function intervalLevels(n: number): { low: number; high: number } {
  const degrees = Math.max(2, n - 1)
  const low = normalShares(-studentT(n) * Math.sqrt(Math.max(n, 2) / degrees)).lower
  return { low, high: 1 - low }
}
