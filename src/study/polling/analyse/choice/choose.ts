/**
 * The strategy for a goal: screened roughly, estimated with a band, and held against the runner-up.
 */
import type { Steps } from '../../../../base/steps.ts'
import type { Subject } from '../replay/lives.ts'
import type { TraceFigures, Trace } from '../replay/trace.ts'
import { notFiner } from './candidates.ts'
import type { Estimated } from './estimate.ts'
import { judgedFigures } from './estimate.ts'
import type { Replays, Rough } from './replays.ts'
import { allLater } from './replays.ts'
import type { PollingGoal } from '../../document.ts'
import { finestOf, keepsPromise, seesEnds, shortfallOf } from './goal.ts'
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import type { Rate } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'

export interface StrategyChoice {
  /** Null where no strategy keeps what must hold. */
  best: Estimated | null
  /** Whether it surely keeps that: by its whole band. */
  isSure: boolean
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
}

export interface ChoiceQuestion {
  goal: PollingGoal
  arrivalsPerSecond: number | null
}

interface Screened extends Rough {
  keeps: boolean
  shortfall: number
}

/** Strategies that are estimated, beside those on the front. */
const FINALISTS = 24
const MOST_ON_FRONT = 40

/** A step for each strategy that is replayed. */
export function* choosing(replays: Replays, question: ChoiceQuestion): Steps<StrategyChoice> {
  const { goal } = question
  const screened = yield* screening(replays, question)
  const front = thinned(frontOf(screened), MOST_ON_FRONT)
  const best = new Set(finalistsOf(screened))
  const finalists = [...new Set([...front, ...best])]
  const estimates: Estimated[] = []
  for (const { candidate } of finalists) {
    estimates.push(replays.estimated(candidate))
    yield { what: 'strategies estimated', done: estimates.length, of: finalists.length }
  }
  const eligible = estimates.filter((_, i) => best.has(finalists[i]!))
  const all = withoutOptimism(estimates, eligible, goal)
  const onFront = all.slice(0, front.length)
  return {
    ...chosen(all, replays.subjects, question),
    front: onFront
      .filter(
        (each) =>
          !isDominated(
            each.value,
            onFront.map(({ value }) => value),
          ),
      )
      .toSorted((a, b) => a.value.pollsMean - b.value.pollsMean),
  }
}

function chosen(
  all: readonly Estimated[],
  subjects: readonly Subject[],
  question: ChoiceQuestion,
): Omit<StrategyChoice, 'front'> {
  const { goal } = question
  const surely = all.filter((each) => keeps(each, each.high, subjects, question))
  const isSure = surely.length > 0
  const keeping = isSure
    ? surely
    : all.filter((each) => keeps(each, each.value, subjects, question))
  const ranked = keeping.toSorted((a, b) => judgedBy(a, goal) - judgedBy(b, goal))
  const [best = null] = ranked
  const runnerUp = ranked.find((each) => each.candidate.family !== best?.candidate.family) ?? null
  const regret = best === null || runnerUp === null ? null : regretOf(best, runnerUp, goal)
  return { best, isSure, runnerUp, simpler: simplerOf(best, ranked, goal), regret }
}

function judgedBy(estimated: Estimated, goal: PollingGoal): number {
  return shortfallOf(judgedFigures(estimated), goal)
}

/** Intervals of a schedule that are read and typed at a glance. */
const FEW_INTERVALS = 5
/** What a setting may cost to be short, as a share. */
const WORTH_A_SHORT_SETTING = 0.1

function simplerOf(
  best: Estimated | null,
  ranked: readonly Estimated[],
  goal: PollingGoal,
): StrategyChoice['simpler'] {
  if (best === null || isShort(best)) return null
  const estimated = ranked.find(isShort)
  if (estimated === undefined) return null
  const excess = judgedBy(estimated, goal) / judgedBy(best, goal) - 1
  return excess <= WORTH_A_SHORT_SETTING ? { estimated, excess } : null
}

function isShort({ candidate: { policy } }: Estimated): boolean {
  return policy.kind !== 'schedule' || policy.intervalsMicros.length <= FEW_INTERVALS
}

/** Under figures of the strategy: those that are likeliest, or the worst of its band. */
function keeps(
  { trace }: Pick<Rough, 'trace'>,
  figures: TraceFigures,
  subjects: readonly Subject[],
  { goal, arrivalsPerSecond }: ChoiceQuestion,
): boolean {
  const { quota } = goal
  if (!keepsPromise(figures, goal) || !seesEnds(figures)) return false
  if (quota === null || arrivalsPerSecond === null) return true
  const crowding = crowdingOf(trace, subjects, quota.perMicros)
  return fitsQuota(quota, arrivalsPerSecond, { pollsMean: figures.pollsMean, crowding })
}

function regretOf(
  best: Estimated,
  other: Estimated,
  goal: PollingGoal,
): NonNullable<StrategyChoice['regret']> {
  const shares = best.resampled.map((figures, i) => {
    const own = shortfallOf(figures, goal)
    return (own - shortfallOf(other.resampled[i]!, goal)) / own
  })
  const rising = shares.toSorted((a, b) => a - b)
  const own = judgedBy(best, goal)
  const value = (own - judgedBy(other, goal)) / own
  return { value, high: quantileOf(rising, 0.975) ?? value }
}

function* screening(replays: Replays, question: ChoiceQuestion): Steps<Screened[]> {
  const { goal, arrivalsPerSecond } = question
  const { usual, fine, some } = replays
  const finestMicros = finestOf(goal, arrivalsPerSecond, replays.meanMicros)
  const candidates = [...usual, ...notFiner(fine, finestMicros)]
  const judged = (rough: Rough): Screened => ({
    ...rough,
    keeps: keeps(rough, rough.figures, some, question),
    shortfall: shortfallOf(rough.figures, goal),
  })
  const all: Screened[] = []
  for (const candidate of candidates) {
    all.push(ranking(replays.roughly(candidate).map(judged)).at(-1)!)
    yield { what: 'strategies replayed', done: all.length, of: candidates.length }
  }
  return all
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
function isSame(one: TraceFigures, other: TraceFigures): boolean {
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

/** Whether another has no more polls and no more delay, judged by the mean of the delay. */
function isDominated(figures: TraceFigures, all: readonly TraceFigures[]): boolean {
  return all.some((other) => beats(other, figures))
}

function beats(one: TraceFigures, other: TraceFigures): boolean {
  if (one.pollsMean > other.pollsMean || one.delayMean > other.delayMean) return false
  return one.pollsMean < other.pollsMean || one.delayMean < other.delayMean
}

/** Standard deviations kept free above the mean: 1 in 40 windows is fuller. */
const RESERVE = 2

/** Polls of an execution in the mean, and E[N min(N, k)]. */
interface Traffic {
  pollsMean: number
  crowding: number
}

/**
 * The polls that a quota must carry in its window.
 *
 * In a window of the quota's length T the polls of arrivals at random add up to a mean of lambda T
 * E[N] with a variance of at most lambda T E[N min(N, k)], where k is the most polls of one
 * execution that fall in the window: a compound Poisson process. The mean and two standard
 * deviations must fit.
 */
function neededOf(
  { perMicros }: Pick<Rate, 'perMicros'>,
  arrivalsPerSecond: number,
  { pollsMean, crowding }: Traffic,
): number {
  const arrivals = (arrivalsPerSecond * perMicros) / MICROS_PER_SECOND
  return arrivals * pollsMean + RESERVE * Math.sqrt(arrivals * crowding)
}

/** The polls that all executions together bring to the target, held against a quota. */
export function fitsQuota(quota: Rate, arrivalsPerSecond: number, traffic: Traffic): boolean {
  return neededOf(quota, arrivalsPerSecond, traffic) <= quota.count
}

/** E[N min(N, k)] of a strategy, for a window of this length. */
export function crowdingOf(
  trace: Trace,
  subjects: readonly Subject[],
  windowMicros: number,
): number {
  let [sum, total] = [0, 0]
  subjects.forEach(({ weight, lives }, i) => {
    const polls = trace.polls[i]!
    const { endMicros, deadlineMicros } = lives[0]!
    const most = 1 + (polls * windowMicros) / Math.max(1, Math.min(endMicros, deadlineMicros))
    sum += weight * polls * Math.min(polls, most)
    total += weight
  })
  return sum / total
}

/** Factors that correct the predicted polls and delays of a chosen strategy. */
interface Optimism {
  polls: number
  delay: number
}

/**
 * The best of many strategies looks better than it is on the executions that it was chosen by. By
 * how much, other samples tell: what is best in each is held against the sample at hand (Efron,
 * "Estimating the error rate of a prediction rule", 1983).
 *
 * `estimates`, with the optimism of choosing the best of them taken off. `eligible`: those of them
 * among which it is chosen.
 */
function withoutOptimism(
  estimates: readonly Estimated[],
  eligible: readonly Estimated[],
  goal: PollingGoal,
): Estimated[] {
  const optimism = optimismOf(eligible, goal)
  return estimates.map((each) => ({ ...each, ...corrected(each, optimism) }))
}

function optimismOf(eligible: readonly Estimated[], goal: PollingGoal): Optimism {
  const here = { polls: 0, delay: 0 }
  const there = { polls: 0, delay: 0 }
  const resamples = eligible[0]?.resampled.length ?? 0
  for (let resample = 0; resample < resamples; resample++) {
    const best = bestIn(resample, eligible, goal)
    const judged = judgedFigures(best)
    const other = best.resampled[resample]!
    here.polls += judged.pollsMean
    here.delay += judged.delayMean
    there.polls += other.pollsMean
    there.delay += other.delayMean
  }
  const polls = here.polls / there.polls
  const delay = here.delay / there.delay
  // Without delays, or without ends in a resample, nothing can be known.
  const isKnown = Number.isFinite(polls) && Number.isFinite(delay)
  return isKnown ? { polls, delay: Math.max(1, delay) } : { polls: 1, delay: 1 }
}

function bestIn(resample: number, eligible: readonly Estimated[], goal: PollingGoal): Estimated {
  let [best] = eligible as [Estimated]
  let least = Infinity
  for (const each of eligible) {
    const shortfall = shortfallOf(each.resampled[resample]!, goal)
    if (shortfall < least) [best, least] = [each, shortfall]
  }
  return best
}

/**
 * The mean of the delay is corrected; its quantiles, which the intervals bound, are not. A band
 * grows on the side on which the truth may lie.
 */
function corrected(
  { value, low, high }: Estimated,
  { polls, delay }: Optimism,
): Record<'value' | 'low' | 'high', TraceFigures> {
  return {
    value: { ...value, delayMean: value.delayMean * delay },
    low: { ...low, pollsMean: low.pollsMean * Math.min(1, polls) },
    high: { ...allLater(high, delay), pollsMean: high.pollsMean * Math.max(1, polls) },
  }
}

/**
 * `none`: no strategy keeps what must hold. `unsure`: its band does not. `wide`: another one may be
 * so much better that nothing is known. `tie`: another one may be better, though not by as much.
 * `clear`: none is better by a share that matters.
 */
type ChoiceStanding = 'none' | 'unsure' | 'wide' | 'tie' | 'clear'

/** A strategy may be worse than another one by this share without a better one being missed. */
export const TOLERANCE = 0.1
/** Two strategies tie up to this share; beyond it, which of them to take is a guess. */
const WIDE = 0.5

export function choiceStandingOf({
  best,
  isSure,
  regret,
}: Pick<StrategyChoice, 'best' | 'isSure' | 'regret'>): ChoiceStanding {
  if (best === null) return 'none'
  if (!isSure) return 'unsure'
  if (regret === null || regret.high <= TOLERANCE) return 'clear'
  // NaN is no tie.
  return regret.high <= WIDE ? 'tie' : 'wide'
}

/** Whether the study answers with it. */
export function isStudyAnswer(choice: StrategyChoice): boolean {
  const standing = choiceStandingOf(choice)
  return standing === 'tie' || standing === 'clear'
}
