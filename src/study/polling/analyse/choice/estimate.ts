/** What a strategy costs, with the band in which the truth lies. */
import type { Subject } from '../replay/lives.ts'
import type { Figures, Stage, Trace } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { Candidate } from './candidates.ts'
import type { Resamples } from './resamples.ts'
import { intervalLevels } from './resamples.ts'

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
  return {
    candidate,
    trace,
    value: figuresOf(trace, resamples.whole),
    low: at(levels.low),
    high: at(levels.high),
    resampled,
  }
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
