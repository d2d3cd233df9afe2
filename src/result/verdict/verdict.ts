/**
 * Decides the verdict of a run: unreachable, invalid, failed, inconclusive or passed, with its
 * reasons.
 */
import { ID_UNIQUE } from '../../crew/contract/kickoff.ts'
import type { ThresholdResult, Verdict, RunInfo, TargetLossResult } from '../document.ts'
import { reasonOf } from '../sentence-tables.ts'
import type { Observations } from '../observations.ts'
import { MICROS_PER_UNIT } from '../../base/units.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import { unsentOf, countReasons, notEndedIn, sentOf } from '../ending/outcome-counts.ts'
import { accessReasons, targetLossReason } from '../ending/target-loss.ts'
import { isKept } from './judge.ts'
import { ADMISSION } from './thresholds.ts'
import type { RunReason } from '../sentences/reasons.ts'
import { REASONS } from '../sentences/reasons.ts'
import type { EndReason } from '../../execution/record/reason.schema.ts'
import { crash, resumption } from '../ending/resumption.ts'

/** What the circuit saw: if nothing was measured, `accessReasons` says the same and more. */
const LOSSES: ReadonlySet<string> = new Set(['target-dead', 'target-refused'])

/**
 * A target that never gave a usable answer, or that denies us access, comes first: nothing was
 * measured. An invalid measurement proves nothing, except that drops by the generator do not excuse
 * a miss that stands even if they count as good. On valid data, a proven miss fails; an undecided,
 * cut, resumed or empty run is inconclusive.
 */
export function reachVerdict(evidence: VerdictEvidence): Verdict {
  const { validity, thresholds, missedDespiteDrops } = evidence
  const access = accessReasons(evidence.observations, evidence.targetLoss)
  const broken = validity.filter(({ code }) => code !== ADMISSION)
  const misses = [...sharedIds(evidence), ...missesOf(evidence)]
  const allCuts = cutsOf(evidence)
  // A loss that denies us access, or that nothing preceded, is reported as that.
  const cuts = access.length > 0 ? allCuts.filter(({ code }) => !LOSSES.has(code)) : allCuts
  const doubts = [
    ...cuts,
    ...thresholds.flatMap((each) => doubtOf(each, evidence)),
    ...emptiness(evidence.observations, allCuts.length > 0),
  ]
  const outcome = firstOf(
    ['unreachable', access],
    ['invalid', broken],
    ['failed', missedDespiteDrops.map((each) => missOf(each, evidence))],
    ['invalid', validity],
    ['failed', misses],
    ['inconclusive', doubts],
  )
  const reasons = [...access, ...validity, ...misses, ...doubts]
  const problems = outcome === 'passed' ? evidence.problems : 0
  return { outcome, valid: validity.length === 0, problems, reasons }
}

/** The first that has a reason. */
function firstOf(
  ...outcomes: (readonly [Verdict['outcome'], readonly RunReason[]])[]
): Verdict['outcome'] {
  return outcomes.find(([, reasons]) => reasons.length > 0)?.[0] ?? 'passed'
}

/** A threshold of the scenario on either judges them, and may allow some. */
const CONTRACT: ReadonlySet<string> = new Set(['contract.documented', 'contract.violations'])

/**
 * Arrivals that were given the id of another have no execution of their own: whatever their polls
 * saw, these people were not served.
 */
function sharedIds({ observations, thresholds }: VerdictEvidence): RunReason[] {
  const { contract, window } = observations
  const count = contract.rules.get(ID_UNIQUE.name)?.count ?? 0
  if (count === 0 || thresholds.some(({ metric }) => CONTRACT.has(metric))) return []
  const accepted = Math.max(window.accepted, count)
  return [reasonOf(REASONS, 'shared-id', { kickoffs: count, accepted })]
}

/**
 * The threshold that stopped the run early comes first, whatever happened to it while the run
 * drained.
 */
function missesOf(evidence: VerdictEvidence): RunReason[] {
  const { thresholds, undecided } = evidence
  const isMiss = ({ status, source }: ThresholdResult): boolean =>
    status === 'missed' || (status === 'undecided' && undecided === 'fail' && source !== 'default')
  const early = thresholds.filter((each) => hasStopped(each, evidence))
  const others = thresholds.filter((each) => isMiss(each) && !early.includes(each))
  return [...early, ...others].map((each) => missOf(each, evidence))
}

type Stopped = Pick<VerdictEvidence, 'run'>

function hasStopped({ metric }: ThresholdResult, { run }: Stopped): boolean {
  const reason = run.stopReason
  return reason?.code === 'threshold' && reason.metric === metric
}

function missOf(result: ThresholdResult, stopped: Stopped): RunReason {
  return reasonOf(REASONS, 'threshold', { ...result, isEarly: hasStopped(result, stopped) })
}

/**
 * An undecided threshold passes only if the user said so; an undecided default promise passes if
 * its value keeps the bound.
 */
function doubtOf(
  result: ThresholdResult,
  { undecided }: Pick<VerdictEvidence, 'undecided'>,
): RunReason[] {
  if (result.status === 'unmeasurable') return [reasonOf(REASONS, 'unmeasurable', result)]
  const passes = result.source === 'default' ? isKept(result) : undecided !== 'inconclusive'
  return result.status !== 'undecided' || passes ? [] : [reasonOf(REASONS, 'undecided', result)]
}

/** If the run was cut short and nothing else came to an end, the cut explains it. */
function emptiness({ window }: Observations, wasCut: boolean): RunReason[] {
  const { arrivals, outcomes } = window
  if (outcomes.completed > 0) return []
  if (wasCut && arrivals === unsentOf(outcomes) + outcomes.aborted) return []
  return [reasonOf(REASONS, arrivals === 0 ? 'no-arrivals' : 'nothing-completed', {})]
}

/** What the verdict of a run is reached from. */
export interface VerdictEvidence {
  run: Pick<RunInfo, 'stopped' | 'stopReason' | 'durationMs' | 'place'>
  validity: readonly RunReason[]
  thresholds: readonly ThresholdResult[]
  /** Missed even if every arrival that the generator dropped had turned out good. */
  missedDespiteDrops: readonly ThresholdResult[]
  undecided: 'inconclusive' | 'pass' | 'fail'
  targetLoss: TargetLossResult | null
  /** Findings of severity `problem`. */
  problems: number
  observations: Observations
}

type Cuts = Pick<VerdictEvidence, 'run' | 'targetLoss' | 'observations'>

/** The reasons by importance: what the reader must not miss comes first. */
function cutsOf(cuts: Cuts): RunReason[] {
  const { run, targetLoss, observations } = cuts
  const reasons = [
    ...crash(run, observations),
    ...interruption(cuts),
    ...(targetLoss === null ? [] : [targetLossReason(targetLoss)]),
    ...budgets(observations),
    ...resumption(observations),
  ]
  return reasons.length > 0 || run.stopReason?.code === 'threshold' ? reasons : unfinished(cuts)
}

/**
 * Each budget that refused a request. If it refused only a retry of a kickoff, only a note says so.
 * VUs of k6 share no memory: each has a share of the budget.
 */
function budgets({ reasons, notes, window, usage, runs }: Observations): RunReason[] {
  const cost = measuredCost(usage, runs[0]?.plan)
  return (['kickoff', 'request', 'cost', 'time'] as const).flatMap((kind) => {
    const isSpent = (reason: EndReason): boolean =>
      reason.code === 'budget-spent' && reason.budget === kind
    const notSent = countReasons(reasons.notReached, isSpent)
    const notFollowed = countReasons(reasons.aborted, isSpent)
    const spent = notes.filter((note) => note.code === 'budget-spent' && note.budget === kind)
    if (spent.length + notSent + notFollowed === 0) return []
    return [
      reasonOf(REASONS, 'budget', {
        budget: kind,
        isPart: spent.some((note) => note.code === 'budget-spent' && note.isPart),
        ...sentOf(window),
        notSent,
        notFollowed,
        spent: kind === 'cost' ? cost : null,
      }),
    ]
  })
}

/** Null if none was measured. */
function measuredCost({ parts }: Observations['usage'], plan: PlanDocument | undefined) {
  const { executions, priced, costMicros } = parts.total
  if (priced === 0) return null
  return {
    executions,
    priced,
    cost: costMicros / MICROS_PER_UNIT,
    currency: plan?.prices?.currency ?? null,
    perKickoff: (plan?.budget.cost?.perKickoff ?? 0) / MICROS_PER_UNIT,
  }
}

function interruption({ run, observations }: Cuts): RunReason[] {
  const { stopped, stopReason } = run
  const notEnded = notEndedIn(observations.reasons)
  const isOther = stopReason?.code === 'crew-ended' || stopReason?.code === 'threshold'
  if ((stopped !== 'drained' && stopped !== 'now') || isOther) return []
  return [reasonOf(REASONS, 'interrupted', { ...sentOf(observations.window), stopped, notEnded })]
}

/** Anything that left arrivals unsent or executions aborted. */
function unfinished({ observations }: Cuts): RunReason[] {
  const { notReached: notSent, aborted: notFollowed } = observations.window.outcomes
  if (notSent + notFollowed === 0) return []
  return [reasonOf(REASONS, 'cut', { ...sentOf(observations.window), notSent, notFollowed })]
}
