/** Whether the question is answered, and how many more executions it takes where it is not. */
import { unreachable } from '../../../base/assert.ts'
import type { TrialReason } from '../../frame/findings.ts'
import { formatCount, formatMs, formatValue, plural } from '../../../result/metrics/format.ts'
import { MICROS_PER_MS, threeDigits } from '../../../base/units.ts'
import type { PollingDocument, PollingVerdict } from '../document.ts'
import type { StrategyChoice } from './choice/choose.ts'
import type { Nearest } from './choice/nearest.ts'
import { TOLERANCE, standingOf } from './choice/standing.ts'
import type { Wish } from './choice/wish.ts'
import { goalOf } from './choice/wish.ts'
import { FAMILIES } from './families/list.ts'

type PollingFacts = Pick<
  PollingDocument,
  'recommended' | 'current' | 'runnerUp' | 'source' | 'wish' | 'ended'
> & {
  choice: StrategyChoice | null
  nearest: Nearest | null
  /** Whether the calculation was stopped. */
  isStopped: boolean
  goal: Wish
  invalid: readonly TrialReason[]
  /** Of the runs that were read. */
  speed: number
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
  {
    executions,
    ended,
    unwatchedShare,
  }: Pick<PollingDocument['source'], 'executions' | 'ended' | 'unwatchedShare'>,
  isLost: boolean,
): boolean {
  const isUnwatched =
    unwatchedShare > MOST_UNWATCHED && unwatchedShare * executions > FEWEST_UNWATCHED
  return ended >= FEWEST_ENDED && (isLost || !isUnwatched)
}

export function pollingVerdict(facts: PollingFacts): PollingVerdict {
  const told = reach(facts)
  const { nearest = null } = told
  const sentence = sentenceOf(told.outcome, facts) + tieWords(told, facts)
  if (facts.ended !== 'target') return { ...told, nearest, sentence }
  // A target that is gone has not spoilt what it answered before.
  return {
    ...told,
    nearest,
    outcome: 'target-lost',
    reasons: [...facts.invalid.filter(isLoss), ...told.reasons],
    sentence: `The target was lost. What was recorded before: ${lowered(sentence)}`,
  }
}

function isLoss({ code }: TrialReason): boolean {
  return code === 'target'
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

type PollingReach = Omit<PollingVerdict, 'sentence' | 'nearest'> &
  Partial<Pick<PollingVerdict, 'nearest'>>

function reach(facts: PollingFacts): PollingReach {
  const { choice, nearest, isStopped, goal, source, invalid, wish, speed } = facts
  const distrusted = invalid.filter((reason) => !isLoss(reason))
  if (distrusted.length > 0) {
    return { outcome: 'invalid', reasons: distrusted, moreExecutions: null }
  }
  if (isStopped) return STOPPED
  const { ended } = source
  if (ended < FEWEST_ENDED) return tooFew(FEWEST_ENDED - ended, ended)
  if (choice === null) return unwatched(source)
  if (goal.quota !== null && source.arrivalsPerSecond === null) return NO_RATE
  const standing = standingOf(choice)
  switch (standing) {
    case 'none':
      return impossible(wish, nearest, speed)
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

const ANSWERED: PollingReach = { outcome: 'answered', reasons: [], moreExecutions: null }

/** Executions that would tell the two best strategies apart. */
function missingOf({ regret }: StrategyChoice, ended: number): number {
  const { value, high } = regret!
  const width = high - value
  const room = TOLERANCE - Math.min(value, TOLERANCE / 2)
  return Math.ceil(ended * (width / room) ** 2) - ended
}

function tooFew(more: number, ended: number): PollingReach {
  const seen = plural(ended, 'execution')
  const message = `only ${seen} ended, of at least ${FEWEST_ENDED} that are needed`
  return undecided(message, Math.max(1, more))
}

function undecided(message: string, more: number): PollingReach {
  const about = aboutOf(more)
  return {
    outcome: 'inconclusive',
    reasons: [
      {
        code: 'too-few',
        message: `cannot tell yet, because ${message}`,
        remedy: `record about ${formatCount(about)} more executions`,
      },
    ],
    moreExecutions: about,
  }
}

function aboutOf(more: number): number {
  return Math.max(1, Math.round(Number(more.toPrecision(1))))
}

function unwatched({ unwatchedShare }: PollingDocument['source']): PollingReach {
  const share = formatValue(unwatchedShare, 'share')
  const message =
    `cannot tell yet, because ${share} of the executions took longer than any whose end was ` +
    'seen, and how long is not known'
  const remedy = 'learn from a run that follows its executions to their end'
  return {
    outcome: 'inconclusive',
    reasons: [{ code: 'unwatched', message, remedy }],
    moreExecutions: null,
  }
}

const STOPPED: PollingReach = {
  outcome: 'inconclusive',
  reasons: [
    {
      code: 'interrupted',
      message: 'cannot tell yet, because the study was interrupted before its end',
      remedy: 'crewload resume continues it',
    },
  ],
  moreExecutions: null,
}

const NO_RATE: PollingReach = {
  outcome: 'inconclusive',
  reasons: [
    {
      code: 'no-rate',
      message: 'the rate of arrivals is not known, so polls cannot be compared with a quota',
      remedy: 'learn from a run of the expected load',
    },
  ],
  moreExecutions: null,
}

function sentenceOf(
  outcome: PollingReach['outcome'],
  { recommended, current, wish }: PollingFacts,
): string {
  if (recommended === null || outcome === 'inconclusive' || outcome === 'invalid') {
    return UNANSWERED[outcome] ?? ''
  }
  const { family, words, pollsPerExecution, detectionDelayMs } = recommended
  const name = family === 'retry-after' ? family : FAMILIES[family].words
  const polls = threeDigits(pollsPerExecution.value)
  const delay =
    detectionDelayMs === null
      ? ''
      : `, and the end known ${formatMs(detectionDelayMs.mean)} late (p95 ` +
        `${formatMs(detectionDelayMs.p95)})`
  const kept = keptWords(wish)
  return (
    `Poll ${words} (${name}): ${polls} polls per ` +
    `execution${delay}${against(recommended, current)}.${kept}`
  )
}

/** The best is the cheaper of two of which neither is known to be better. */
function tieWords(
  { outcome, moreExecutions }: PollingReach,
  { runnerUp, goal }: PollingFacts,
): string {
  if (outcome !== 'answered' || runnerUp === null || !runnerUp.ties) return ''
  const { family, words, mayBeBetterBy } = runnerUp
  const name = family === 'retry-after' ? family : FAMILIES[family].words
  const share = `${Math.ceil(100 * (mayBeBetterBy ?? 0))} %`
  return (
    ` It ties with polling ${words} (${name}), which may take up to ${share} less ${goalOf(goal)}. ` +
    `About ${plural(moreExecutions ?? 0, 'more execution')} would settle it.`
  )
}

/** What is held of a bound: a quota by most windows (`fitsQuota`), a promise by the whole band. */
function keptWords({ maxPolls, delay }: PollingDocument['wish']): string {
  const promise = delay === null ? '' : ` The 95 % band of the delay keeps ${delay}.`
  const quota =
    maxPolls === null
      ? ''
      : ` The mean of the polls and two standard deviations fit into ${maxPolls}: with random ` +
        'arrivals, at most a few windows in 100 exceed it.'
  return `${quota}${promise}`
}

const UNANSWERED: Partial<Record<PollingReach['outcome'], string>> = {
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

type WishGiven = PollingDocument['wish']

/** No strategy keeps what must hold: what would be kept, as options are written. */
function impossible(
  given: WishGiven,
  nearest: Nearest | null,
  speed: number,
): Omit<PollingVerdict, 'sentence'> {
  const what = hasBound(given) ? 'stays within' : 'sees the end of'
  const message = `no strategy ${what} ${bounds(given)}`
  const possible = nearest === null ? null : possibleOf(given, nearest, speed)
  const remedy = remedyOf(possible, nearest)
  return {
    outcome: 'impossible',
    reasons: [{ code: 'impossible', message, remedy }],
    moreExecutions: null,
    nearest: possible,
  }
}

type PossibleWish = NonNullable<PollingVerdict['nearest']>

/** As options are written: `--speed` divides a delay, and a quota says its own count and time. */
function possibleOf(
  { maxPolls }: WishGiven,
  { quota, promise, both }: Nearest,
  speed: number,
): PossibleWish {
  const per = maxPolls?.slice(maxPolls.indexOf('/') + 1).trim()
  const polls = (wish: Wish): string => `${wish.quota!.count}/${per}`
  return {
    maxPolls: quota === null ? null : polls(quota),
    delay: promise === null ? null : delayOf(promise, speed),
    both: both === null ? null : { maxPolls: polls(both), delay: delayOf(both, speed) },
  }
}

function delayOf({ promise }: Wish, speed: number): string {
  const ms = (promise!.boundMicros * speed) / MICROS_PER_MS
  return `${promise!.statistic} < ${written(Number(ms.toPrecision(6)))}`
}

function remedyOf(possible: PossibleWish | null, nearest: Nearest | null): string {
  const { maxPolls = null, delay = null, both = null } = possible ?? {}
  const nearer = [
    maxPolls === null ? [] : `--max-polls ${maxPolls}`,
    delay === null ? [] : `--delay '${delay}'`,
    both === null ? [] : `both: --max-polls ${both.maxPolls} --delay '${both.delay}'`,
  ].flat()
  if (nearer.length > 0) return `the nearest that is possible: ${nearer.join(', or ')}`
  return nearest?.isFree === true
    ? 'record more executions: with these, no goal near it is certain to be kept'
    : `allow a longer deadline, so that polls see the end of ${MOST_EXECUTIONS}`
}

function written(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`
}

function hasBound({ maxPolls, delay }: WishGiven): boolean {
  return maxPolls !== null || delay !== null
}

const MOST_EXECUTIONS = '95 % of the executions before their deadline'

function bounds({ maxPolls, delay }: WishGiven): string {
  return [maxPolls, delay].filter((each) => each !== null).join(' and ') || MOST_EXECUTIONS
}
