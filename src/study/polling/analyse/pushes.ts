/**
 * Polls, pushes alone, or pushes with a slow poll as a net: what each is worth to a client. Every
 * execution is replayed with the push that it had, so that pushes may miss those of one kind.
 */
import type { Steps } from '../../../base/steps.ts'
import type { Micros } from '../../../base/units.ts'
import { deviationOf, meanOf, sumBy } from '../../../result/statistics/moments.ts'
import { quantileOf } from '../../../result/statistics/quantiles.ts'
import { shareRange } from '../../../result/statistics/shares.ts'
import type { StrategyCandidate } from './choice/candidates.ts'
import type { ChoiceQuestion, StrategyChoice } from './choice/choose.ts'
import { choosing } from './choice/choose.ts'
import type { Estimated } from './choice/estimate.ts'
import { judgedFigures } from './choice/estimate.ts'
import { replaysOf } from './choice/replays.ts'
import { shortfallOf } from './choice/goal.ts'
import type { PushAdvice } from '../document.ts'
import type { PastExecution, Recording } from './replay/recording.ts'
import { lengthOf, subjectsOf } from './replay/lives.ts'
import type { TraceFigures } from './replay/trace.ts'

type Delays = Pick<TraceFigures, 'delayMean' | 'delayP50' | 'delayP95'>
export type DelayBand = Record<'value' | 'low' | 'high', Delays>

export interface WeighedPushes extends Omit<
  PushAdvice,
  'detectionDelayMs' | 'net' | 'pollsMissedShare'
> {
  /** Of the ends that were reported; null if none was. */
  delay: DelayBand | null
  /** The best constant interval beside pushes; null where none surely keeps what must hold. */
  net: Estimated | null
}

interface Weighing {
  question: ChoiceQuestion
  /** Of the client that hears no pushes. */
  choice: StrategyChoice
  replaying: Parameters<typeof replaysOf>[1]
}

/**
 * Null unless all runs listened. Pushes alone are shown and never chosen: what one of them loses
 * stays unknown to the client until its deadline.
 */
export function* weighingPushes(
  recording: Recording,
  { question, choice, replaying }: Weighing,
): Steps<WeighedPushes | null> {
  const { pushes, executions } = recording
  if (pushes === null) return null
  const ended = executions.filter(({ fate }) => fate === 'ended')
  const reported = ended.flatMap(({ pushedMicros = Infinity, ...past }) => {
    return pushedMicros < past.deadlineMicros ? { ...past, pushedMicros } : []
  })
  const [ends, missed] = [ended.length, ended.length - reported.length]
  const delay = delayOf(reported)
  const known = executions.map((past) => endedBefore(past, delay?.value.delayMean ?? 0))
  const replays = replaysOf(subjectsOf({ executions: known }, true), replaying)
  const nets = {
    usual: replays.usual.filter(isConstant),
    fine: replays.fine.filter(isConstant),
    estimated: (candidate: StrategyCandidate) => widened(replays.estimated(candidate), delay),
  }
  const { best, isSure } = yield* choosing({ ...replays, ...nets }, question)
  const net = isSure ? best : null
  const short = (each: Estimated | null): number =>
    each === null ? Infinity : shortfallOf(judgedFigures(each), question.goal)
  return {
    ...pushes,
    ends,
    missed,
    missedShare: { value: missed / ends, ...shareRange(missed, ends) },
    delay,
    net,
    better: net !== null && short(net) <= short(choice.best) ? 'net' : 'polls',
  }
}

function isConstant({ family }: StrategyCandidate): boolean {
  return family === 'fixed'
}

type ReportedEnd = PastExecution & Required<Pick<PastExecution, 'pushedMicros'>>

/** Standard errors to either side: 95 % of normal means. */
const ERRORS = 2

/**
 * An end between two polls is as likely anywhere between them: over many ends, pushes come as late
 * after the middles as after the ends. How sure that is depends on the width between polls, and on
 * how evenly the pushes lie in it: ends that all come at one place in it are not spread.
 */
function delayOf(reported: readonly ReportedEnd[]): DelayBand | null {
  if (reported.length === 0) return null
  const least = delaysAfter(reported, ({ byMicros }) => byMicros)
  const most = delaysAfter(reported, ({ afterMicros }) => afterMicros)
  const middles = reported.map((past) => past.pushedMicros - lengthOf(past))
  const evenly =
    sumBy(reported, ({ afterMicros, byMicros }) => (byMicros - afterMicros) ** 2) /
    (12 * reported.length)
  const isEven = deviationOf(middles) ** 2 > evenly / 2
  const error = isEven ? ERRORS * Math.sqrt(evenly / reported.length) : Infinity
  const delayMean = Math.max(least.delayMean, Math.min(most.delayMean, meanOf(middles)))
  const longest = Math.min(most.delayMean, delayMean + error)
  return {
    value: { ...delaysAfter(reported, (past) => endBefore(past, delayMean)), delayMean },
    low: { ...least, delayMean: Math.max(least.delayMean, delayMean - error) },
    // No more than half of them take twice the mean or longer, and a twentieth twenty times.
    high: {
      delayMean: longest,
      delayP50: Math.min(most.delayP50, longest * 2),
      delayP95: Math.min(most.delayP95, longest * 20),
    },
  }
}

function delaysAfter(
  reported: readonly ReportedEnd[],
  endOf: (past: ReportedEnd) => Micros,
): Delays {
  const delays = reported.map((past) => Math.max(0, past.pushedMicros - endOf(past)))
  const rising = delays.toSorted((a, b) => a - b)
  const quantile = (q: number): Micros => quantileOf(rising, q) ?? 0
  return { delayMean: meanOf(rising), delayP50: quantile(0.5), delayP95: quantile(0.95) }
}

/** The end that its polls allow nearest to so long before its push. */
function endBefore(
  { afterMicros, byMicros, pushedMicros }: ReportedEnd,
  delayMicros: Micros,
): Micros {
  return Math.max(afterMicros, Math.min(byMicros, pushedMicros - delayMicros))
}

function endedBefore(past: PastExecution, delayMicros: Micros): PastExecution {
  const { pushedMicros } = past
  if (pushedMicros === undefined) return past
  const end = endBefore({ ...past, pushedMicros }, delayMicros)
  return { ...past, afterMicros: end, byMicros: end }
}

/** What polls leave open of the delay of pushes, they leave open of the delay with a net. */
function widened(net: Estimated, delay: DelayBand | null): Estimated {
  if (delay === null) return net
  const later = (figures: TraceFigures, by: Delays): TraceFigures => {
    const sum = (name: keyof Delays): Micros =>
      Math.max(0, figures[name] + by[name] - delay.value[name])
    return {
      ...figures,
      delayMean: sum('delayMean'),
      delayP50: sum('delayP50'),
      delayP95: sum('delayP95'),
    }
  }
  return { ...net, low: later(net.low, delay.low), high: later(net.high, delay.high) }
}
