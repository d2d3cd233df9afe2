/**
 * The verdict of a recovery test over all its trials: the outcome, its certainty, and what would
 * increase that.
 */
import type { StudyEnd } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/trial/reasons.ts'
import { assert } from '../../../base/assert.ts'
import { reasonOf } from '../../../result/coded.ts'
import type { Quantity } from '../../../result/document.ts'
import type { RecoveryMeasures, RecoveryPlan, RecoveryTrial, RecoveryVerdict } from '../document.ts'
import { REASONS, verdictSentence } from '../sentences.ts'
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
  const said = { ...facts, notRecovered: counts['does-not-recover'], known }
  return { ...told, tipped, counts, sentence: verdictSentence(told.outcome, said) }
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
  if (trials.length === 0) return inconclusive(reasonOf(REASONS, 'no-trial'))
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

/** The missing seeds might have changed the result. */
function budgetReason(trials: readonly RecoveryTrial[], { seeds }: RecoveryPlan): RecoveryReason {
  return reasonOf(REASONS, 'budget', { trials: trials.length, seeds: seeds.length })
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
  return reasonOf(REASONS, 'disagreement', { notRecovered: count, of: n, low, high })
}

function unclearReason(trials: readonly RecoveryTrial[], plan: RecoveryPlan): RecoveryReason {
  const reasons = trials.flatMap(({ why }) => why ?? [])
  const [why] = reasons
  assert(why !== undefined, 'an unclear trial says why')
  const { beforeMs, observeMs } = plan
  const counts = { trials: reasons.length, ofTrials: trials.length }
  return reasonOf(REASONS, 'unclear', { why, ...counts, beforeMs, observeMs })
}
