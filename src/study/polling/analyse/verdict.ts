/** Whether the question is answered, and how many more executions it takes where it is not. */
import { toDigits } from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import { isLoss } from '../../frame/trial/reasons.ts'
import { durationText } from '../../../base/units.ts'
import type { FactsOf } from '../../../result/sentence-tables.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import type { PollingDocument, PollingVerdict, PollingGoal } from '../document.ts'
import { REASONS } from '../sentences/reasons.ts'
import { answerText, lossText } from '../sentences/verdict.ts'
import type { StrategyChoice } from './choice/choose.ts'
import type { Nearest } from './choice/nearest.ts'
import { TOLERANCE, choiceStandingOf } from './choice/choose.ts'
import { goalTexts } from './choice/goal.ts'
import type { LearnedRuns } from './replay/recording.ts'

export type PollingAnswer = Pick<
  PollingDocument,
  'recommended' | 'current' | 'runnerUp' | 'simpler' | 'retryAfter' | 'front' | 'pushes'
>

/** What verdict and findings are made from. */
export interface PollingFacts extends Pick<PollingDocument, 'source' | 'goal' | 'ended'> {
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
 * Whether what was recorded is enough for strategies to be estimated. A target that is lost
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
  const text = answerText(reached, { ...facts.answer, goal: facts.goal })
  if (facts.ended !== 'target') return { ...reached, ...text }
  return {
    ...reached,
    outcome: 'target-lost',
    reasons: [...facts.learned.invalid.filter(isLoss), ...reached.reasons],
    ...lossText(text),
  }
}

type PollingReach = Omit<PollingVerdict, 'sentence' | 'more'>
type PollingReason = PollingVerdict['reasons'][number]

function reach(facts: PollingFacts): PollingReach {
  const { choice, isStopped, source, goal, learned } = facts
  const distrusted = learned.invalid.filter((reason) => !isLoss(reason))
  if (distrusted.length > 0) return { ...ANSWERED, outcome: 'invalid', reasons: distrusted }
  if (isStopped) return inconclusive(reasonOf(REASONS, 'interrupted', {}))
  const { ended, unwatchedShare } = source
  if (ended < FEWEST_ENDED) return undecided('ends', facts, FEWEST_ENDED - ended)
  if (choice === null) {
    return inconclusive(reasonOf(REASONS, 'unwatched', { share: unwatchedShare }))
  }
  if (goal.quota !== null && source.arrivalsPerSecond === null) {
    return inconclusive(reasonOf(REASONS, 'no-rate', {}))
  }
  const standing = choiceStandingOf(choice)
  switch (standing) {
    case 'none':
      return impossible(facts)
    case 'unsure':
      return undecided('bound', facts, 3 * ended)
    case 'wide':
      return undecided('best', facts, missingOf(choice, ended))
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

function undecided(
  open: FactsOf<(typeof REASONS)['too-few']>['open'],
  { source: { ended }, goal }: PollingFacts,
  more: number,
): PollingReach {
  const moreExecutions = aboutOf(more)
  const known = { open, ended, needed: FEWEST_ENDED, bounds: goalTexts(goal), moreExecutions }
  return { ...inconclusive(reasonOf(REASONS, 'too-few', known)), moreExecutions }
}

function aboutOf(more: number): number {
  return Math.max(1, Math.round(toDigits(more, 1)))
}

/** No strategy keeps what must hold: what would be kept, as options are written. */
function impossible({ goal, nearest: goals, learned: { speed } }: PollingFacts): PollingReach {
  const nearest = {
    maxPolls: goals?.quota == null ? null : quotaOption(goals.quota, speed),
    delay: goals?.promise == null ? null : delayOption(goals.promise, speed),
    both:
      goals?.both == null
        ? null
        : { maxPolls: quotaOption(goals.both, speed), delay: delayOption(goals.both, speed) },
  }
  const known = { bounds: goalTexts(goal), nearest, seen: goals?.isFree === true }
  const reasons = [reasonOf(REASONS, 'impossible', known)]
  return { ...ANSWERED, outcome: 'impossible', reasons, nearest }
}

/** `--speed` multiplies a quota that is stated, and divides a delay. */
function quotaOption({ quota }: PollingGoal, speed: number): string {
  const { count, per } = quota!
  const stated = toDigits(count / speed, 6)
  return `${stated}/${per}`
}

function delayOption({ promise }: PollingGoal, speed: number): string {
  const micros = Math.round(toDigits(promise!.boundMicros * speed, 6))
  return `${promise!.statistic} < ${durationText(micros)}`
}
