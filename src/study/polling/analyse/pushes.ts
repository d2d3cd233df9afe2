/**
 * Polls, pushes alone, or pushes with a slow poll as a net: what each is worth to a client. Every
 * execution is replayed with the push that it had, so that pushes may miss those of one kind.
 */
import type { Steps } from '../../../base/steps.ts'
import type { Micros } from '../../../base/units.ts'
import { meanOf } from '../../../result/statistics/moments.ts'
import { quantileOf } from '../../../result/statistics/quantiles.ts'
import { shareRange } from '../../../result/statistics/shares.ts'
import type { StrategyCandidate } from './choice/candidates.ts'
import type { ChoiceQuestion, StrategyChoice } from './choice/choose.ts'
import { choosing } from './choice/choose.ts'
import type { Estimated } from './choice/estimate.ts'
import { judgedOf } from './choice/estimate.ts'
import { replaysOf } from './choice/replays.ts'
import { shortfallOf } from './choice/wish.ts'
import type { Recording } from './replay/recording.ts'
import { subjectsOf } from './replay/lives.ts'

export interface WeighedPushes extends NonNullable<Recording['pushes']> {
  /** Ends that were seen, and those of them that no push reported in time. */
  ends: number
  missed: number
  /** The share of the missed ones, with its 95 % interval. */
  missedShare: { value: number; low: number; high: number }
  /** Of the ends that were reported; null if none was. */
  delay: { meanMicros: Micros; p95Micros: Micros } | null
  /** The best constant interval beside pushes; null where none surely keeps what must hold. */
  net: Estimated | null
  /** What falls less short of the wish: polls without pushes, or pushes with the net. */
  better: 'polls' | 'net'
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
  const delays = ended.flatMap(({ byMicros, deadlineMicros, pushDelayMicros = Infinity }) => {
    return byMicros + pushDelayMicros < deadlineMicros ? pushDelayMicros : []
  })
  const [ends, missed] = [ended.length, ended.length - delays.length]
  const replays = replaysOf(subjectsOf(recording, true), replaying)
  const nets = { usual: replays.usual.filter(isConstant), fine: replays.fine.filter(isConstant) }
  const { best, isSure } = yield* choosing({ ...replays, ...nets }, question)
  const net = isSure ? best : null
  const short = (each: Estimated | null): number =>
    each === null ? Infinity : shortfallOf(judgedOf(each), question.wish)
  return {
    ...pushes,
    ends,
    missed,
    missedShare: { value: missed / ends, ...shareRange(missed, ends) },
    delay: delayOf(delays.toSorted((a, b) => a - b)),
    net,
    better: net !== null && short(net) <= short(choice.best) ? 'net' : 'polls',
  }
}

function isConstant({ family }: StrategyCandidate): boolean {
  return family === 'fixed'
}

function delayOf(rising: readonly Micros[]): WeighedPushes['delay'] {
  const p95Micros = quantileOf(rising, 0.95)
  return p95Micros === null ? null : { meanMicros: meanOf(rising), p95Micros }
}
