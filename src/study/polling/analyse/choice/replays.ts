/**
 * Every strategy replayed over the same executions: at most once each, whichever goal asks for it.
 */
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { shapeOf } from '../families/shape.ts'
import type { Subject } from '../replay/lives.ts'
import type { Figures, Stage, Trace } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { Candidate } from './candidates.ts'
import { candidatesOf, fineOf, judgeOf } from './candidates.ts'
import type { Estimated } from './estimate.ts'
import { estimateOf } from './estimate.ts'
import { withoutLearning } from './learning.ts'
import type { Resamples } from './resamples.ts'
import { resamplesOf } from './resamples.ts'

/** A strategy as some of the executions judge it. */
export interface Rough {
  candidate: Candidate
  trace: Trace
  figures: Figures
}

export interface Replays {
  subjects: readonly Subject[]
  resamples: Resamples
  usual: readonly Candidate[]
  /** Constant intervals below the usual ones. */
  fine: readonly Candidate[]
  /** What an execution takes on average. */
  meanMicros: Micros
  /** The executions by which `roughly` judges. */
  some: readonly Subject[]
  /**
   * What was learned from all executions looks better on them than what was learned without each.
   * Where it looks worse, it is another kind of strategy than those that stand for it, and is
   * judged itself: both ways, for the worse of them to count.
   */
  roughly: (candidate: Candidate) => readonly Rough[]
  estimated: (candidate: Candidate) => Estimated
}

/** Executions by which all strategies are compared before the best are estimated by all. */
const SCREENED = 400

/** `requestMicros`: what a poll takes, in the median. */
export function replaysOf(
  subjects: readonly Subject[],
  { stage, random, requestMicros }: { stage: Stage; random: Random; requestMicros: Micros },
): Replays {
  const resamples = resamplesOf(subjects, random)
  const shape = shapeOf(subjects, requestMicros)
  const every = Math.max(1, subjects.length / SCREENED)
  const places: number[] = []
  for (let at = 0; at < subjects.length; at += every) places.push(Math.floor(at))
  const some = places.map((at) => subjects[at]!)
  const weights = some.map(({ weight }) => weight)
  const rough = (candidate: Candidate): Rough => {
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

function waysOf(candidate: Candidate): Candidate[] {
  return candidate.isCrossed ? [candidate, { ...candidate, isCrossed: false }] : [candidate]
}

function once<Result>(make: (candidate: Candidate) => Result): (candidate: Candidate) => Result {
  const made = new Map<Candidate, Result>()
  return (candidate) => {
    const known = made.get(candidate)
    if (known !== undefined) return known
    const result = make(candidate)
    made.set(candidate, result)
    return result
  }
}
