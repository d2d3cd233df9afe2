/**
 * The strategy for a wish: screened roughly, estimated with a band, and held against the runner-up.
 */
import type { Steps } from '../../../../base/steps.ts'
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Subject } from '../replay/lives.ts'
import type { Figures, Stage, Trace } from '../replay/trace.ts'
import { figuresOf, traceOf } from '../replay/trace.ts'
import type { Candidate } from './candidates.ts'
import { candidatesOf, judgeOf } from './candidates.ts'
import type { Estimated } from './estimate.ts'
import { estimateOf, judgedOf } from './estimate.ts'
import { isDominated } from './front.ts'
import { withoutLearning } from './learning.ts'
import { withoutOptimism } from './optimism.ts'
import type { Resamples } from './resamples.ts'
import { resamplesOf } from './resamples.ts'
import type { Nearest } from './nearest.ts'
import { nearestOf } from './nearest.ts'
import { crowdingOf, fitsQuota } from './traffic.ts'
import type { Wish } from './wish.ts'
import { delayOf, finestOf, seesEnds, shortfallOf } from './wish.ts'

export interface Choice {
  /** Null where no strategy keeps what must hold. */
  best: Estimated | null
  /** Whether it surely keeps that: by its whole band. */
  isSure: boolean
  /** Where none keeps it, what could be kept; null where one does. */
  nearest: Nearest | null
  /** The best of the other families; null without one. */
  runnerUp: Estimated | null
  /**
   * Where the best is a long list of intervals: the best that is written in a few numbers, and the
   * share by which it falls further short. Null where it falls short by much more.
   */
  simpler: { estimated: Estimated; excess: number } | null
  /**
   * By how much more than the runner-up the best may cost, as a share of its own: the upper end of
   * an interval of 95 %, and its middle. Null without a runner-up.
   */
  regret: { value: number; high: number } | null
  /** The strategies on the Pareto front, by rising polls. */
  front: readonly Estimated[]
  resamples: Resamples
}

export interface Question {
  wish: Wish
  arrivalsPerSecond: number | null
  /** What a poll takes, in the median. */
  requestMicros: Micros
  stage: Stage
  random: Random
}

interface Screened {
  candidate: Candidate
  trace: Trace
  figures: Figures
  keeps: boolean
  shortfall: number
}

/** Executions by which all strategies are compared before the best are estimated by all. */
const SCREENED = 400
/** Strategies that are estimated, beside those on the front. */
const FINALISTS = 24
const MOST_ON_FRONT = 40

/** A step for each strategy that is replayed. */
export function* choosing(subjects: readonly Subject[], question: Question): Steps<Choice> {
  const { stage, random, requestMicros, wish, arrivalsPerSecond } = question
  const candidates = candidatesOf(subjects, requestMicros, (meanMicros) =>
    finestOf(wish, arrivalsPerSecond, meanMicros),
  )
  const screened = yield* screening(candidates, subjects, question)
  const resamples = resamplesOf(subjects, random)
  const front = thinned(frontOf(screened), MOST_ON_FRONT)
  const best = new Set(finalistsOf(screened))
  const finalists = [...new Set([...front, ...best])]
  const estimates: Estimated[] = []
  for (const { candidate } of finalists) {
    const estimate = estimateOf(candidate, subjects, resamples, stage)
    estimates.push(withoutLearning(estimate, subjects, resamples, stage))
    yield { what: 'strategies estimated', done: estimates.length, of: finalists.length }
  }
  const eligible = estimates.filter((_, i) => best.has(finalists[i]!))
  const all = withoutOptimism(estimates, eligible, wish)
  const onFront = all.slice(0, front.length)
  return {
    ...chosen(all, subjects, question),
    front: onFront
      .filter(
        (each) =>
          !isDominated(
            each.value,
            onFront.map(({ value }) => value),
          ),
      )
      .toSorted((a, b) => a.value.pollsMean - b.value.pollsMean),
    resamples,
  }
}

function chosen(
  all: readonly Estimated[],
  subjects: readonly Subject[],
  question: Question,
): Pick<Choice, 'best' | 'isSure' | 'nearest' | 'runnerUp' | 'simpler' | 'regret'> {
  const { wish } = question
  const surely = all.filter((each) => keeps(each, each.high, subjects, question))
  const isSure = surely.length > 0
  const keeping = isSure
    ? surely
    : all.filter((each) => keeps(each, each.value, subjects, question))
  const ranked = keeping.toSorted((a, b) => judgedBy(a, wish) - judgedBy(b, wish))
  const [best = null] = ranked
  const runnerUp = ranked.find((each) => each.candidate.family !== best?.candidate.family) ?? null
  const regret = best === null || runnerUp === null ? null : regretOf(best, runnerUp, wish)
  const nearest = best === null ? nearestOf(all, subjects, question) : null
  return { best, isSure, nearest, runnerUp, simpler: simplerOf(best, ranked, wish), regret }
}

function judgedBy(estimated: Estimated, wish: Wish): number {
  return shortfallOf(judgedOf(estimated), wish)
}

/** Intervals of a schedule that are read and typed at a glance. */
const FEW_INTERVALS = 5
/** What a setting may cost to be short, as a share. */
const WORTH_A_SHORT_SETTING = 0.1

function simplerOf(
  best: Estimated | null,
  ranked: readonly Estimated[],
  wish: Wish,
): Choice['simpler'] {
  if (best === null || isShort(best)) return null
  const estimated = ranked.find(isShort)
  if (estimated === undefined) return null
  const excess = judgedBy(estimated, wish) / judgedBy(best, wish) - 1
  return excess <= WORTH_A_SHORT_SETTING ? { estimated, excess } : null
}

function isShort({ candidate: { policy } }: Estimated): boolean {
  return policy.kind !== 'schedule' || policy.intervalsMicros.length <= FEW_INTERVALS
}

/** Under figures of the strategy: those that are likeliest, or the worst of its band. */
function keeps(
  { trace }: Pick<Estimated, 'trace'>,
  figures: Figures,
  subjects: readonly Subject[],
  { wish, arrivalsPerSecond }: Question,
): boolean {
  const { quota, promise } = wish
  if (promise !== null && !(delayOf(figures, promise.statistic) < promise.boundMicros)) return false
  if (!seesEnds(figures)) return false
  if (quota === null || arrivalsPerSecond === null) return true
  const crowding = crowdingOf(trace, subjects, quota.perMicros)
  return fitsQuota(quota, arrivalsPerSecond, { pollsMean: figures.pollsMean, crowding })
}

function regretOf(best: Estimated, other: Estimated, wish: Wish): NonNullable<Choice['regret']> {
  const shares = best.resampled.map((figures, i) => {
    const own = shortfallOf(figures, wish)
    return (own - shortfallOf(other.resampled[i]!, wish)) / own
  })
  const sorted = shares.toSorted((a, b) => a - b)
  const own = judgedBy(best, wish)
  const value = (own - judgedBy(other, wish)) / own
  return { value, high: sorted[Math.floor(0.975 * (sorted.length - 1))] ?? value }
}

function* screening(
  candidates: readonly Candidate[],
  subjects: readonly Subject[],
  question: Question,
): Steps<Screened[]> {
  const { wish, stage } = question
  const every = Math.max(1, subjects.length / SCREENED)
  const places: number[] = []
  for (let at = 0; at < subjects.length; at += every) places.push(Math.floor(at))
  const some = places.map((at) => subjects[at]!)
  const weights = some.map(({ weight }) => weight)
  const screened = (candidate: Candidate): Screened => {
    const judge = judgeOf(candidate)
    const trace = traceOf(some, (i) => judge(places[i]!), stage)
    const figures = figuresOf(trace, weights)
    const shortfall = shortfallOf(figures, wish)
    const isKept = keeps({ trace }, figures, some, question)
    return { candidate, trace, figures, keeps: isKept, shortfall }
  }
  const all: Screened[] = []
  for (const candidate of candidates) {
    const own = screened(candidate)
    all.push(candidate.isCrossed ? worse(own, screened(uncrossed(candidate))) : own)
    yield { what: 'strategies replayed', done: all.length, of: candidates.length }
  }
  return all
}

/**
 * What was learned from all executions looks better on them than what was learned without each.
 * Where it looks worse, it is another kind of strategy than those that stand for it, and is judged
 * itself.
 */
function uncrossed(candidate: Candidate): Candidate {
  return { ...candidate, isCrossed: false }
}

function worse(crossed: Screened, own: Screened): Screened {
  const [judged] = ranking([crossed, own])
  return judged === own ? crossed : own
}

/** Those that keep what must hold go first. */
function ranking(screened: readonly Screened[]): Screened[] {
  return screened.toSorted((a, b) => Number(b.keeps) - Number(a.keeps) || a.shortfall - b.shortfall)
}

/** Keeps some of each family, so that there is a runner-up. */
function finalistsOf(screened: readonly Screened[]): Screened[] {
  const ranked = ranking(screened)
  const ofFamily = new Map<string, number>()
  return ranked.filter(({ candidate: { family } }, rank) => {
    const before = ofFamily.get(family) ?? 0
    ofFamily.set(family, before + 1)
    return rank < FINALISTS || before < 3
  })
}

function frontOf(screened: readonly Screened[]): Screened[] {
  const all = screened.map(({ figures }) => figures)
  const onFront = screened
    .filter(({ figures }) => seesEnds(figures) && !isDominated(figures, all))
    .toSorted((a, b) => a.figures.pollsMean - b.figures.pollsMean)
  return onFront.filter(({ figures }, i) => i === 0 || !isSame(figures, onFront[i - 1]!.figures))
}

/** Where the first poll sees every end, what would follow makes no difference. */
function isSame(one: Figures, other: Figures): boolean {
  return one.pollsMean === other.pollsMean && one.delayMean === other.delayMean
}

/** Evenly by rank, the first and the last among them. */
function thinned<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values]
  return Array.from(
    { length: most },
    (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]!,
  )
}
