/**
 * Makes the document of a recovery test from its trials: measures over all seeds, verdict, and
 * findings.
 */
import type { FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import type { StudyEnd, StudyFacts } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/trial/reasons.ts'
import { lapseOf } from '../../frame/time-lapse.ts'
import type {
  RecoveryCourse,
  RecoveryDocument,
  RecoveryMeasures,
  RecoveryPhases,
  RecoveryPlan,
  RecoveryTrial,
  RecoveryVerdict,
  TrialSpread,
} from '../document.ts'
import { FINDINGS, REASONS, verdictSentence } from '../sentences.ts'
import { median } from '../../../result/statistics/quantiles.ts'
import { RESTORED_SHARE, servedShareOf } from '../../../result/ledger/recovery-time.ts'
import type { SizeResult } from './tipping.ts'
import { tippingPoint } from './tipping.ts'
import { assert } from '../../../base/assert.ts'
import type { Quantity } from '../../../result/document.ts'
import { shareOfAll } from './trial.ts'

/** The observations of a test, before any conclusion. */
export interface RecoveryFacts extends StudyFacts {
  plan: RecoveryPlan
  /** Runs of the scenario that came to their end. */
  runs: number
  trials: readonly RecoveryTrial[]
  /** The course of each trial, in the same order. */
  courses: readonly RecoveryCourse[]
  /**
   * The results for each size that was tried, beginning with the size of the test; null when the
   * tipping point was not searched for.
   */
  sizes: readonly SizeResult[] | null
  invalid: readonly TrialReason[]
}

export function recoveryDocument(observed: RecoveryFacts): RecoveryDocument {
  const { courses, sizes, invalid, ...facts } = observed
  const { plan, trials, ended } = facts
  const { place, scenario, seeds } = plan
  const measures = measuresOf(plan, trials)
  return {
    schema: 'crewload/recovery/1',
    study: 'recovery',
    ...facts,
    place,
    scenario,
    seed: seeds[0] ?? null,
    verdict: recoveryVerdict({ plan, ended, trials, measures, invalid }),
    measures,
    trials: [...trials],
    course: typicalCourse(courses),
    tipping: sizes === null ? null : tippingPoint(sizes),
    findings: findingsBy(FINDINGS, RULES, { trials, measures, plan }),
  }
}

/** The measures of trials with a known outcome; when there are none, of all trials. */
function measuresOf(
  { wantedPerSecond }: RecoveryPlan,
  all: readonly RecoveryTrial[],
): RecoveryMeasures {
  const clear = all.filter(({ outcome }) => outcome !== 'unclear')
  const trials = clear.length > 0 ? clear : all
  const backlogs = trials.flatMap(({ backlog }) => backlog ?? [])
  const [peak, end] = [
    spreadOf(backlogs.map((each) => each.peak)),
    spreadOf(backlogs.map((each) => each.end)),
  ]
  const windows = trials.flatMap(({ windowMs }) => windowMs ?? [])
  return {
    formerPerSecond: spreadOf(
      trials.flatMap((trial) => times(shareBefore(trial), wantedPerSecond) ?? []),
    ),
    recoveryMs: spreadOf(trials.flatMap(({ recoveryMs }) => recoveryMs ?? [])),
    windowMs: windows.length === 0 ? null : Math.max(...windows),
    goodputAfter: spreadOf(
      trials.flatMap((trial) => {
        const before = shareBefore(trial)
        return before === null || before === 0
          ? []
          : (times(trial.servedAfter.value, 1 / before) ?? [])
      }),
    ),
    attempts: phasesOf(trials.map(({ attempts }) => attempts)),
    started: trials.some(({ started }) => started !== null)
      ? phasesOf(trials.flatMap(({ started }) => started ?? []))
      : null,
    backlog: peak === null || end === null ? null : { peak, end },
  }
}

/** Null when there were no arrivals. */
function shareBefore({ before }: RecoveryTrial): number | null {
  return before.wanted === 0 ? null : servedShareOf(before)
}

function times(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor
}

function phasesOf(ratios: readonly RecoveryTrial['attempts'][]): RecoveryPhases {
  const spread = (phase: keyof RecoveryPhases): TrialSpread | null =>
    spreadOf(ratios.flatMap((each) => each[phase] ?? []))
  return { before: spread('before'), trigger: spread('trigger'), after: spread('after') }
}

/** Null for no values. */
function spreadOf(values: readonly number[]): TrialSpread | null {
  if (values.length === 0) return null
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** The course of the first trial with the most frequent outcome. */
function typicalCourse(courses: readonly RecoveryCourse[]): RecoveryCourse | null {
  const count = (outcome: RecoveryCourse['outcome']): number =>
    courses.filter((course) => course.outcome === outcome).length
  const [typical = null] = courses.toSorted((a, b) => count(b.outcome) - count(a.outcome))
  return typical
}

interface RecoverySeen {
  trials: readonly RecoveryTrial[]
  measures: RecoveryMeasures
  plan: RecoveryPlan
}

const RULES: readonly FindingRule<typeof FINDINGS, RecoverySeen>[] = [
  ['trigger-harmless', harmless],
  ['retries-amplify', amplified],
  ['slowest-late', slowest],
  ['time-lapse', ({ plan }) => lapseOf(plan.speed)],
]

/** Recovery means nothing when the trigger had no effect. */
function harmless({ trials }: RecoverySeen) {
  const felt = trials.some(
    ({ before, servedTrigger }) =>
      (servedTrigger.value ?? 0) < RESTORED_SHARE * servedShareOf(before),
  )
  return felt || trials.length === 0 ? null : {}
}

/**
 * Kickoffs per arrival, long after the trigger: above this, the client itself keeps the crew
 * overloaded.
 */
const AMPLIFIED = 1.5

function amplified({ measures: { attempts, started } }: RecoverySeen) {
  const sentPerArrival = attempts.after?.median ?? 0
  const startedPerArrival = started?.after?.median ?? null
  return sentPerArrival < AMPLIFIED ? null : { sentPerArrival, startedPerArrival }
}

function slowest({ measures: { recoveryMs }, plan: { withinMs } }: RecoverySeen) {
  if (recoveryMs === null || recoveryMs.most <= withinMs || recoveryMs.median > withinMs)
    return null
  return { slowestMs: recoveryMs.most, withinMs }
}

interface VerdictFacts {
  plan: RecoveryPlan
  ended: StudyEnd
  trials: readonly RecoveryTrial[]
  measures: RecoveryMeasures
  /** The reasons to doubt the measurement itself. */
  invalid: readonly TrialReason[]
}

/**
 * The verdict over all trials: the outcome, its certainty, and what would increase that.
 */
function recoveryVerdict(facts: VerdictFacts): RecoveryVerdict {
  const { trials } = facts
  const counts = countOutcomes(trials)
  const known = trials.length - counts.unclear
  const tipped = shareOfAll(counts['does-not-recover'], known)
  const reached = reach(facts, counts, tipped)
  const said = { ...facts, notRecovered: counts['does-not-recover'], known }
  return { ...reached, tipped, counts, sentence: verdictSentence(reached.outcome, said) }
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
  if (trials.length === 0) return inconclusive(reasonOf(REASONS, 'no-trial', {}))
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
