/**
 * Finds what cut a run short of its plan: a budget, a stop, a crash, the circuit. A run with a gap
 * never passes.
 */
import type { RunInfo, TargetLossResult, ThresholdResult } from '../document.ts'
import type { EndReason } from '../../execution/record/reason.ts'
import { countReasons, stoppedBy, stopWords, unsentOf } from '../ending/endings.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import type { Observations } from '../observations.ts'
import { crash, resumption } from '../ending/resumption.ts'
import { targetLossReason } from '../ending/target-loss.ts'
import type { RunReason } from '../findings-and-reasons.ts'

/** What the verdict of a run is reached from. */
export interface VerdictEvidence {
  run: Pick<RunInfo, 'stopped' | 'stopReason' | 'durationMs' | 'profile'>
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
export function cutsOf(cuts: Cuts): RunReason[] {
  const { run, targetLoss, observations } = cuts
  const told = [
    ...crash(run, observations),
    ...interruption(cuts),
    ...(targetLoss === null ? [] : [targetLossReason(targetLoss)]),
    ...budgets(observations),
    ...resumption(observations),
  ]
  return told.length > 0 || stoppedBy(run.stopReason) !== null ? told : unfinished(cuts)
}

const RAISE = {
  kickoff: 'raise --max-kickoffs, or lower the arrivals',
  request: 'raise --max-requests, or poll less often',
  time: 'raise --max-duration, or send for a shorter time',
}

/**
 * Each budget that refused a request. If it refused only a retry of a kickoff, only a note says so.
 * VUs of k6 share no memory: each has a share of the budget.
 */
function budgets({ reasons, notes, window }: Observations): RunReason[] {
  return (['kickoff', 'request', 'time'] as const).flatMap((kind) => {
    const isSpent = (reason: EndReason): boolean =>
      reason.code === 'budget-spent' && reason.budget === kind
    const unsent = countReasons(reasons.notReached, isSpent)
    const unfollowed = countReasons(reasons.aborted, isSpent)
    const told = notes.filter((note) => note.code === 'budget-spent' && note.budget === kind)
    if (told.length + unsent + unfollowed === 0) return []
    const isPart = told.some((note) => note.code === 'budget-spent' && note.isPart)
    const sent = formatCount(window.arrivals - unsentOf(window.outcomes))
    const effects = [
      unsent > 0 ? `${sent} of ${plural(window.arrivals, 'arrival')} were sent` : '',
      unfollowed > 0 ? notFollowed(unfollowed) : '',
      unsent + unfollowed === 0 ? 'a kickoff was not retried' : '',
    ].filter((effect) => effect !== '')
    const part = isPart ? 'a part of the ' : ''
    return [
      {
        code: 'budget',
        message: `${effects.join(', ')}: ${part}${kind} budget spent`,
        remedy: isPart
          ? `${RAISE[kind]}; k6 splits a budget into equal, fixed shares`
          : RAISE[kind],
      },
    ]
  })
}

function notFollowed(count: number): string {
  return `${plural(count, 'execution')} not followed to the end`
}

const FINISH = 'let the run finish for a verdict'

function interruption({ run, observations }: Cuts): RunReason[] {
  const how = stopWords({ ...run, reasons: observations.reasons })
  if (how === null || stoppedBy(run.stopReason) !== null) return []
  return [{ code: 'interrupted', message: `the run was ${how}`, remedy: FINISH }]
}

/** Anything that left arrivals unsent or executions aborted. */
function unfinished({ observations }: Cuts): RunReason[] {
  const { notReached, aborted } = observations.window.outcomes
  const parts = [
    notReached > 0 ? `${plural(notReached, 'arrival')} not sent` : '',
    aborted > 0 ? notFollowed(aborted) : '',
  ].filter((part) => part !== '')
  if (parts.length === 0) return []
  const message = `the run is incomplete: ${parts.join(', ')}`
  return [{ code: 'cut', message, remedy: FINISH }]
}
