/** Whether the question is answered, and how many more executions it takes where it is not. */
import { lowered } from '../../../base/text.ts'
import { formatMs, formatValue, plural, threeDigits } from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import { allText } from '../../../report/frame/report.ts'
import { verdictText } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/findings.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import { reasonOf } from '../../frame/findings.ts'
import type { PollingDocument, PollingVerdict, Strategy, Wish } from '../document.ts'
import { MOST_EXECUTIONS, REASONS } from '../document.ts'
import type { StrategyChoice } from './choice/choose.ts'
import type { Nearest } from './choice/nearest.ts'
import { TOLERANCE, standingOf } from './choice/choose.ts'
import { goalOf } from './choice/wish.ts'
import { FAMILIES } from './families/list.ts'
import type { LearnedRuns } from './replay/recording.ts'

export type PollingAnswer = Pick<
  PollingDocument,
  'recommended' | 'current' | 'runnerUp' | 'simpler' | 'retryAfter' | 'front' | 'pushes'
>

/** What the words of the document are made from. */
export interface PollingFacts extends Pick<PollingDocument, 'source' | 'wish' | 'ended'> {
  learned: LearnedRuns
  answer: PollingAnswer
  choice: StrategyChoice | null
  /** Null unless no strategy keeps what must hold. */
  nearest: Nearest | null
  /** Whether the calculation was stopped. */
  isStopped: boolean
}

/** With fewer executions that ended, no distribution is known. */
export const FEWEST_ENDED = 10
/** Beyond the last end that was seen, more than this would move the 95th percentile of delays. */
const MOST_UNWATCHED = 0.05

/** One execution that was watched for longest says nothing of a share. */
const FEWEST_UNWATCHED = 1.5

/**
 * Whether what was recorded tells enough for strategies to be estimated. A target that is lost
 * leaves executions behind whose end nobody saw: what it answered before counts.
 */
export function canEstimate(
  { executions, ended, unwatchedShare }: PollingDocument['source'],
  isLost: boolean,
): boolean {
  const isUnwatched =
    unwatchedShare > MOST_UNWATCHED && unwatchedShare * executions > FEWEST_UNWATCHED
  return ended >= FEWEST_ENDED && (isLost || !isUnwatched)
}

export function pollingVerdict(facts: PollingFacts): PollingVerdict {
  const reached = reach(facts)
  const text = verdictText(...sentencesOf(reached, facts))
  if (facts.ended !== 'target') return { ...reached, ...text }
  // A target that is gone has not spoilt what it answered before.
  return {
    ...reached,
    outcome: 'target-lost',
    reasons: [...facts.learned.invalid.filter(isLoss), ...reached.reasons],
    ...verdictText('The target was lost.', `What was recorded before: ${lowered(allText(text))}`),
  }
}

function isLoss({ code }: TrialReason): boolean {
  return code === 'target'
}

type PollingReach = Omit<PollingVerdict, 'sentence' | 'more'>
type PollingReason = PollingVerdict['reasons'][number]

function reach(facts: PollingFacts): PollingReach {
  const { choice, isStopped, source, wish, learned } = facts
  const distrusted = learned.invalid.filter((reason) => !isLoss(reason))
  if (distrusted.length > 0) return { ...ANSWERED, outcome: 'invalid', reasons: distrusted }
  if (isStopped) return inconclusive(STOPPED)
  const { ended } = source
  if (ended < FEWEST_ENDED) {
    const seen = plural(ended, 'execution')
    const message = `only ${seen} ended, of at least ${FEWEST_ENDED} that are needed`
    return undecided(message, FEWEST_ENDED - ended)
  }
  if (choice === null) return inconclusive(unwatched(source))
  if (wish.quota !== null && source.arrivalsPerSecond === null) return inconclusive(NO_RATE)
  const standing = standingOf(choice)
  switch (standing) {
    case 'none':
      return impossible(facts)
    case 'unsure': {
      const crossed = hasBound(wish) ? bounds(wish) : 'the share of ends that polls must see'
      return undecided(`the band of the best strategy crosses ${crossed}`, 3 * ended)
    }
    case 'wide':
      return undecided('the bands of the two best strategies overlap', missingOf(choice, ended))
    case 'tie':
      return { ...ANSWERED, moreExecutions: aboutOf(missingOf(choice, ended)) }
    case 'clear':
      return ANSWERED
    default:
      return unreachable(standing)
  }
}

const ANSWERED: PollingReach = {
  outcome: 'answered',
  reasons: [],
  moreExecutions: null,
  nearest: null,
}

function inconclusive(reason: PollingReason): PollingReach {
  return { ...ANSWERED, outcome: 'inconclusive', reasons: [reason] }
}

/** Executions that would tell the two best strategies apart. */
function missingOf({ regret }: StrategyChoice, ended: number): number {
  const { value, high } = regret!
  const width = high - value
  const room = TOLERANCE - Math.min(value, TOLERANCE / 2)
  return Math.ceil(ended * (width / room) ** 2) - ended
}

function undecided(why: string, more: number): PollingReach {
  const moreExecutions = aboutOf(more)
  const message = `cannot tell yet, because ${why}`
  const reason = reasonOf(REASONS, 'too-few', message, moreExecutions)
  return { ...inconclusive(reason), moreExecutions }
}

function aboutOf(more: number): number {
  return Math.max(1, Math.round(Number(more.toPrecision(1))))
}

function unwatched({ unwatchedShare }: PollingDocument['source']): PollingReason {
  const share = formatValue(unwatchedShare, 'share')
  return reasonOf(
    REASONS,
    'unwatched',
    `cannot tell yet, because ${share} of the executions took longer than any whose end was seen`,
  )
}

const STOPPED = reasonOf(
  REASONS,
  'interrupted',
  'cannot tell yet, because the study was interrupted before its end',
)

const NO_RATE = reasonOf(
  REASONS,
  'no-rate',
  'the rate of arrivals is not known, so polls cannot be compared with a quota',
)

/** The answer first; further ones may be empty. */
function sentencesOf(reached: PollingReach, { answer, wish }: PollingFacts): string[] {
  const { outcome } = reached
  const { recommended, current, runnerUp } = answer
  if (outcome === 'inconclusive' || outcome === 'invalid') return [UNANSWERED[outcome]]
  const beside = pushWords(answer, wish)
  if (recommended === null) return [UNANSWERED.impossible, beside]
  const { detectionDelayMs: delay } = recommended
  const late =
    delay === null
      ? ''
      : `, and the end known ${formatMs(delay.mean)} late (p95 ${formatMs(delay.p95)})`
  const polls = threeDigits(recommended.pollsPerExecution.value)
  const tie = runnerUp?.ties === true ? tieWords(runnerUp, reached, wish) : ''
  return [
    `Poll ${namedWords(recommended)}: ${polls} polls per ` +
      `execution${late}${against(recommended, current)}.`,
    ...keptWords(wish),
    tie,
    beside,
  ]
}

/** What pushes change, with a poll as a net. */
function pushWords({ pushes }: PollingAnswer, wish: Wish): string {
  if (pushes === undefined) return ''
  const { net, better } = pushes
  if (net?.detectionDelayMs == null) {
    const what = hasBound(wish) ? 'stay within' : 'see the end of'
    return `Pushes with a poll as a net do not surely ${what} ${bounds(wish)}.`
  }
  const polls = threeDigits(net.pollsPerExecution.value)
  const figures = `${polls} polls, and the end known ${formatMs(net.detectionDelayMs.mean)} late`
  return better === 'net'
    ? `With pushes, poll ${net.words} as a net: ${figures}.`
    : `Pushes with a poll ${net.words} as a net are no better: ${figures}.`
}

/** `every 5 s (fixed)`. */
function namedWords({ family, words }: Strategy): string {
  return `${words} (${family === 'retry-after' ? family : FAMILIES[family].words})`
}

/** The best is the cheaper of two of which neither is known to be better. */
function tieWords(
  other: NonNullable<PollingDocument['runnerUp']>,
  { moreExecutions }: PollingReach,
  wish: Wish,
): string {
  const share = `${Math.ceil(100 * (other.mayBeBetterBy ?? 0))} %`
  return (
    `It ties with polling ${namedWords(other)}, which may take up to ${share} less ` +
    `${goalOf(wish)}. About ${plural(moreExecutions ?? 0, 'more execution')} would settle it.`
  )
}

/** What is held of a bound: a quota by most windows (`fitsQuota`), a promise by the whole band. */
function keptWords({ quota, promise }: Wish): string[] {
  return [
    quota === null
      ? ''
      : `The mean of the polls and two standard deviations fit into ${quota.text}: with random ` +
        'arrivals, at most a few windows in 100 exceed it.',
    promise === null ? '' : `The 95 % band of the delay keeps ${promise.text}.`,
  ]
}

const UNANSWERED = {
  inconclusive: 'It is not known yet which strategy is best.',
  impossible: 'No polling strategy stays within what was asked for.',
  invalid: 'What was recorded cannot be trusted.',
}

function against(
  recommended: NonNullable<PollingDocument['recommended']>,
  current: PollingDocument['current'],
): string {
  if (current === null) return ''
  const polls = `${threeDigits(current.pollsPerExecution.value)} polls`
  if (current.detectionDelayMs === null) return `, against ${polls} today, which miss ends`
  const same = JSON.stringify(recommended.polling) === JSON.stringify(current.polling)
  return same
    ? ', as today'
    : `, against ${polls} and ${formatMs(current.detectionDelayMs.mean)} today`
}

/** No strategy keeps what must hold: what would be kept, as options are written. */
function impossible({ wish, nearest: goals, learned: { speed } }: PollingFacts): PollingReach {
  const what = hasBound(wish) ? 'stays within' : 'sees the end of'
  const message = `no strategy ${what} ${bounds(wish)}`
  const nearest = {
    maxPolls: goals?.quota == null ? null : quotaOption(goals.quota, speed),
    delay: goals?.promise == null ? null : delayOption(goals.promise, speed),
    both:
      goals?.both == null
        ? null
        : { maxPolls: quotaOption(goals.both, speed), delay: delayOption(goals.both, speed) },
  }
  const isFree = goals?.isFree === true
  const reasons = [reasonOf(REASONS, 'impossible', message, nearest, isFree)]
  return { ...ANSWERED, outcome: 'impossible', reasons, nearest }
}

/** `--speed` multiplies a quota that is stated, and divides a delay. */
function quotaOption({ quota }: Wish, speed: number): string {
  const { count, per } = quota!
  const stated = Number((count / speed).toPrecision(6))
  return `${stated}/${per}`
}

function delayOption({ promise }: Wish, speed: number): string {
  const ms = Number(((promise!.boundMicros * speed) / MICROS_PER_MS).toPrecision(6))
  return `${promise!.statistic} < ${ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`}`
}

function hasBound({ quota, promise }: Wish): boolean {
  return (quota ?? promise) !== null
}

function bounds({ quota, promise }: Wish): string {
  return (
    [quota ?? [], promise ?? []]
      .flat()
      .map(({ text }) => text)
      .join(' and ') || MOST_EXECUTIONS
  )
}
