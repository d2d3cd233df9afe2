/**
 * The verdict of a recovery test over all its trials: the outcome, its certainty, and what would
 * increase that.
 */
import type { StudyEnd } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/findings.ts'
import { reasonOf } from '../../frame/findings.ts'
import { assert, unreachable } from '../../../base/assert.ts'
import type { Quantity } from '../../../result/document.ts'
import { formatCount, formatMs, formatRough, formatValue, plural } from '../../../base/numbers.ts'
import type {
  RecoveryMeasures,
  RecoveryOutcome,
  RecoveryPlan,
  RecoveryTrial,
  RecoveryVerdict,
  Unclear,
} from '../document.ts'
import { REASONS } from '../document.ts'
import { shareOfAll } from './trial.ts'

interface VerdictFacts {
  plan: RecoveryPlan
  ended: StudyEnd
  trials: readonly RecoveryTrial[]
  measures: RecoveryMeasures
  /** The reasons to doubt the measurement itself. */
  invalid: readonly TrialReason[]
}

export function recoveryVerdict(facts: VerdictFacts): RecoveryVerdict {
  const { trials } = facts
  const counts = countOutcomes(trials)
  const known = trials.length - counts.unclear
  const tipped = shareOfAll(counts['does-not-recover'], known)
  const told = reach(facts, counts, tipped)
  return { ...told, tipped, counts, sentence: sentence(facts, told.outcome, counts) }
}

function countOutcomes(trials: readonly RecoveryTrial[]): RecoveryVerdict['counts'] {
  const counts = { recovers: 0, 'recovers-slowly': 0, 'does-not-recover': 0, unclear: 0 }
  for (const { outcome } of trials) counts[outcome]++
  return counts
}

type RecoveryReason = RecoveryVerdict['reasons'][number]
type RecoveryReach = Pick<RecoveryVerdict, 'outcome' | 'reasons'>

/** A test with clear outcomes in less than half of its trials is inconclusive. */
function reach(
  { trials, invalid, plan, ended, measures }: VerdictFacts,
  counts: RecoveryVerdict['counts'],
  tipped: Quantity,
): RecoveryReach {
  if (invalid.length > 0) return { outcome: 'invalid', reasons: [...invalid] }
  const missing = plan.seeds.length - trials.length
  if (ended === 'budget' && missing > 0) return inconclusive(budgetReason(trials, plan))
  if (trials.length === 0) return inconclusive(NO_TRIAL)
  if (2 * counts.unclear >= trials.length) return inconclusive(unclearReason(trials, plan))
  const doubt = disagreement(counts, tipped)
  if (doubt !== null) return inconclusive(doubt)
  if ((tipped.value ?? 0) > 0.5) return { outcome: 'does-not-recover', reasons: [] }
  const slow = (measures.recoveryMs?.median ?? 0) > plan.withinMs
  return { outcome: slow ? 'recovers-slowly' : 'recovers', reasons: [] }
}

function inconclusive(reason: RecoveryReason): RecoveryReach {
  return { outcome: 'inconclusive', reasons: [reason] }
}

const NO_TRIAL = reasonOf(REASONS, 'no-trial', 'no trial finished')

/** The missing seeds might have changed the result. */
function budgetReason(trials: readonly RecoveryTrial[], { seeds }: RecoveryPlan): RecoveryReason {
  const done = `${formatCount(trials.length)} of ${plural(seeds.length, 'trial')}`
  return reasonOf(REASONS, 'budget', `the rest of the budget did not suffice after ${done}`)
}

/**
 * Some trials recover and some do not, and the interval of their share contains one half: near the
 * tipping point chance decides.
 */
function disagreement(
  counts: RecoveryVerdict['counts'],
  { low, high, n }: Quantity,
): RecoveryReason | null {
  const count = counts['does-not-recover']
  if (count === 0 || count === n || low === null || high === null) return null
  if (low > 0.5 || high < 0.5) return null
  return reasonOf(
    REASONS,
    'disagreement',
    `seeds disagree: ${formatCount(count)} of ${formatCount(n)} do not recover ` +
      `(${formatValue(low, 'share', { step: 0.01 })} to ${formatValue(high, 'share', { step: 0.01 })}), ` +
      'so this trigger is near the tipping point',
  )
}

function unclearReason(trials: readonly RecoveryTrial[], plan: RecoveryPlan): RecoveryReason {
  const reasons = trials.flatMap(({ why }) => why ?? [])
  const [why] = reasons
  assert(why !== undefined, 'an unclear trial says why')
  const many =
    trials.length === 1
      ? ''
      : ` in ${formatCount(reasons.length)} of ${formatCount(trials.length)} trials`
  return reasonOf(REASONS, 'unclear', `${unclearText(why)}${many}`, why, plan)
}

function sentence(
  { plan, trials, measures }: VerdictFacts,
  outcome: RecoveryVerdict['outcome'],
  counts: RecoveryVerdict['counts'],
): string {
  const trigger = `a trigger of ${formatMs(plan.triggerMs)} (${plan.trigger.words})`
  const known = trials.length - counts.unclear
  switch (outcome) {
    case 'recovers':
    case 'recovers-slowly':
      return (
        `The crew recovers${outcome === 'recovers' ? '' : ' slowly'} from ${trigger}: ` +
        `${backWords(measures)}${ofTrials(counts, known, outcome)}.`
      )
    case 'does-not-recover':
      return (
        `The crew does not recover from ${trigger}: ${formatMs(plan.observeMs)} later, under the ` +
        `load that it handled before, ${remainder(measures)}${ofTrials(counts, known, outcome)}.`
      )
    case 'inconclusive':
      return `Whether the crew recovers from ${trigger} is not clear.`
    case 'invalid':
      return `Whether the crew recovers from ${trigger} could not be measured.`
    default:
      return unreachable(outcome)
  }
}

function backWords({ recoveryMs, windowMs }: RecoveryMeasures): string {
  const time = recoveryMs?.median ?? 0
  const window = windowMs === null ? '' : ` (resolution ${formatMs(windowMs)})`
  if (time === 0) return `goodput recovers immediately${window}`
  return `goodput recovers ${formatMs(time)} after its end${window}`
}

function remainder({ goodputAfter, attempts }: RecoveryMeasures): string {
  const left = formatValue(goodputAfter?.median ?? 0, 'share', { step: 0.001 })
  const after = attempts.after?.median ?? null
  const cost = after === null ? '' : `, with ${formatRough(after)} kickoffs per arrival`
  return `goodput is ${left} of its former level${cost}`
}

/** Counts the trials, for example `; so in 20 of 20 trials`, when there is more than one. */
function ofTrials(
  counts: RecoveryVerdict['counts'],
  known: number,
  outcome: RecoveryOutcome,
): string {
  if (known < 2) return ''
  const tipped = counts['does-not-recover']
  const same = outcome === 'does-not-recover' ? tipped : known - tipped
  return (
    `; ${formatCount(same)} of ${plural(known, 'trial')} ` +
    (outcome === 'does-not-recover' ? 'do not recover' : 'recover')
  )
}

export function unclearText(why: Unclear): string {
  switch (why.code) {
    case 'cut-short':
      return 'it was cut short: some executions were never polled'
    case 'degraded-anyway':
      return 'service was also degraded without the trigger'
    case 'few-before':
      return (
        'too few executions before the trigger: ' +
        `${plural(why.arrivals, 'arrival')} of ${why.needed} needed`
      )
    case 'few-in-window':
      return (
        'too few executions to distinguish noise from degraded service: a window needs ' +
        `${why.needed}`
      )
    case 'unsteady':
      return 'service was not steady before the trigger'
    case 'overloaded':
      return 'service was already degraded before the trigger'
    default:
      return unreachable(why)
  }
}
