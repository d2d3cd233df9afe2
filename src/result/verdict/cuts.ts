/**
 * Finds what cut a run short of its plan: a budget, a stop, a crash, the circuit. A run with a gap
 * never passes.
 */
import type { RunInfo, TargetLossResult, ThresholdResult } from '../document.ts'
import type { SpentBudget } from '../ending/endings.ts'
import { spentBudgets, stoppedBy, stopWords, unsentOf } from '../ending/endings.ts'
import { formatCount, plural } from '../metrics/format.ts'
import type { Observations } from '../observations.ts'
import { crash, resumption } from '../ending/resumption.ts'
import { targetLossReason } from '../ending/target-loss.ts'
import type { RunReason } from '../findings-and-reasons.ts'

/** What the verdict of a run is reached from. */
export interface VerdictEvidence extends Cuts {
  validity: readonly RunReason[]
  thresholds: readonly ThresholdResult[]
  /** Missed even if every arrival that the generator dropped had turned out good. */
  missedDespiteDrops: readonly ThresholdResult[]
  undecided: 'inconclusive' | 'pass' | 'fail'
  /** The target is a fake crew, where an aborted execution costs nothing. */
  isFake: boolean
  targetLoss: TargetLossResult | null
  /** Findings of severity `problem`. */
  problems: number
  observations: Observations
}

interface Cuts {
  stopped: RunInfo['stopped']
  stopReason: RunInfo['stopReason']
  durationMs: number
  targetLoss: TargetLossResult | null
  observations: Observations
}

/** The reasons by importance: what the reader must not miss comes first. */
export function cutsOf(cuts: Cuts): RunReason[] {
  const told = [
    ...crash(cuts),
    ...interruption(cuts),
    ...(cuts.targetLoss === null ? [] : [targetLossReason(cuts.targetLoss)]),
    ...budgets(cuts.observations),
    ...resumption(cuts.observations),
  ]
  return told.length > 0 || stoppedBy(cuts.stopReason) !== null ? told : unfinished(cuts)
}

function budgets(observations: Observations): RunReason[] {
  return spentBudgets(observations).map((spent) => ({
    code: 'budget',
    message:
      `${budgetEffect(spent, observations)}: ` +
      `${spent.isPart ? 'a part of the ' : ''}${spent.kind} budget spent`,
    remedy: budgetRemedy(spent),
  }))
}

const RAISE: Record<SpentBudget['kind'], string> = {
  kickoff: 'raise --max-kickoffs, or lower the arrivals',
  request: 'raise --max-requests, or poll less often',
  time: 'raise --max-duration, or send for a shorter time',
}

/** VUs of k6 share no memory: each has a share of the budget. */
function budgetRemedy({ kind, isPart }: SpentBudget): string {
  const raise = RAISE[kind]
  return isPart ? `${raise}; k6 splits a budget into equal, fixed shares` : raise
}

function budgetEffect({ unsent, unfollowed }: SpentBudget, { window }: Observations): string {
  const { arrivals, outcomes } = window
  const count = formatCount(arrivals - unsentOf(outcomes))
  const sent = `${count} of ${plural(arrivals, 'arrival')} were sent`
  const left = `${plural(unfollowed, 'execution')} not followed to the end`
  if (unsent > 0) return unfollowed > 0 ? `${sent}, ${left}` : sent
  return unfollowed > 0 ? left : 'a kickoff was not retried'
}

function interruption({ stopped, stopReason, observations }: Cuts): RunReason[] {
  const how = stopWords({ stopped, stopReason, reasons: observations.reasons })
  if (how === null || stoppedBy(stopReason) !== null) return []
  return [
    {
      code: 'interrupted',
      message: `the run was ${how}`,
      remedy: 'let the run finish for a verdict',
    },
  ]
}

/** Anything that left arrivals unsent or executions aborted. */
function unfinished({ observations }: Cuts): RunReason[] {
  const { notReached, aborted } = observations.window.outcomes
  if (notReached + aborted === 0) return []
  const parts = [
    notReached > 0 ? `${plural(notReached, 'arrival')} not sent` : '',
    aborted > 0 ? `${plural(aborted, 'execution')} not followed to the end` : '',
  ].filter((part) => part !== '')
  return [
    {
      code: 'cut',
      message: `the run is incomplete: ${parts.join(', ')}`,
      remedy: 'let the run finish for a verdict',
    },
  ]
}
