/**
 * Decides the verdict of a run: unreachable, invalid, failed, inconclusive or passed, with its
 * reasons.
 */
import { ID_UNIQUE } from '../../crew/contract/kickoff.ts'
import type { ThresholdResult, Verdict, RunInfo, TargetLossResult } from '../document.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
} from '../metrics/sentences.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import type { Observations } from '../observations.ts'
import { measuredWords } from '../metrics/usage.ts'
import { MICROS_PER_UNIT } from '../../base/units.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import { unsentOf, countReasons, stoppedBy, stopWords } from '../ending/endings.ts'
import { accessReasons, targetLossReason } from '../ending/target-loss.ts'
import { doubtWords } from './next-steps.ts'
import { isKept } from './judge.ts'
import { ADMISSION } from './promises.ts'
import type { RunReason } from '../reason.ts'
import type { EndReason } from '../../execution/record/reason.ts'
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
  const accepted = plural(Math.max(window.accepted, count), 'accepted kickoff')
  return [
    {
      code: 'shared-id',
      message: `${formatCount(count)} of ${accepted} got the kickoff_id of another`,
      remedy:
        'give every kickoff an id of its own: these arrivals have no execution, and read the ' +
        'result of somebody else',
    },
  ]
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

function hasStopped({ metric, text }: ThresholdResult, { run }: Stopped): boolean {
  const reason = run.stopReason
  return reason?.code === 'threshold' && reason.metric === metric && reason.text === text
}

function missOf(result: ThresholdResult, stopped: Stopped): RunReason {
  const { metric, status, hint } = result
  const bound = boundText(result)
  const isEarly = hasStopped(result, stopped)
  const found =
    isEarly && status !== 'missed'
      ? `${metric} ${bound} could no longer be met`
      : `${metric} is ${formatMeasured(result)}, bound ${bound}`
  const message = isEarly ? `${found}, and it stopped the run early` : found
  return { code: 'threshold', metric, message, remedy: hint ?? '' }
}

/**
 * An undecided threshold passes only if the user said so; an undecided default promise passes if
 * its value keeps the bound.
 */
function doubtOf(
  result: ThresholdResult,
  { undecided }: Pick<VerdictEvidence, 'undecided'>,
): RunReason[] {
  const remedy = result.hint ?? ''
  const { metric, status, source } = result
  if (status === 'undecided') {
    if (source === 'default' ? isKept(result) : undecided !== 'inconclusive') return []
    const message = `${metric} ${boundText(result)} is undecided: ${whyOf(result)}`
    return [{ code: 'undecided', metric, message, remedy }]
  }
  if (status !== 'unmeasurable') return []
  const message = `${metric} could not be measured`
  return [{ code: 'unmeasurable', metric, message, remedy }]
}

/** The interval that holds the bound, or what leaves it undecided although it does not. */
function whyOf(result: ThresholdResult): string {
  const { metric, doubt, measured } = result
  const words = doubt === null ? null : doubtWords(metric, doubt, measured.n)
  const interval = words === null ? formatMeasuredInterval(result) : null
  const parts = [
    isTooFew(measured) && words !== null ? null : formatMeasured(result),
    interval === null ? null : `95 % interval ${interval}`,
    words,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

/** If the run was cut short and nothing else came to an end, the cut explains it. */
function emptiness({ window }: Observations, wasCut: boolean): RunReason[] {
  const { arrivals, outcomes } = window
  if (outcomes.completed > 0) return []
  if (wasCut && arrivals === unsentOf(outcomes) + outcomes.aborted) return []
  if (arrivals === 0) {
    const message = 'no arrival fell into the measured window'
    return [{ code: 'no-arrivals', message, remedy: 'run longer than the warm-up' }]
  }
  const message = 'no arrival completed'
  const remedy = 'see the reasons by outcome, and try a single kickoff with crewload check'
  return [{ code: 'nothing-completed', message, remedy }]
}

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
function cutsOf(cuts: Cuts): RunReason[] {
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
  cost: 'raise --max-cost, or lower the arrivals',
  time: 'raise --max-duration, or send for a shorter time',
}

/**
 * Each budget that refused a request. If it refused only a retry of a kickoff, only a note says so.
 * VUs of k6 share no memory: each has a share of the budget.
 */
function budgets({ reasons, notes, window, usage, runs }: Observations): RunReason[] {
  const costs = costWords(usage, runs[0]?.plan)
  return (['kickoff', 'request', 'cost', 'time'] as const).flatMap((kind) => {
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
        message: `${effects.join(', ')}: ${part}${kind} budget spent${kind === 'cost' ? costs : ''}`,
        remedy: isPart
          ? `${RAISE[kind]}; k6 splits a budget into equal, fixed shares`
          : RAISE[kind],
      },
    ]
  })
}

/** ` (3.42 USD measured of 72 executions, about 0.8 USD for 8 others)`. */
function costWords(usage: Observations['usage'], plan: PlanDocument | undefined): string {
  const { executions, priced, costMicros } = usage.parts.total
  const each = (plan?.budget.cost?.perKickoff ?? 0) / MICROS_PER_UNIT
  const cost = priced === 0 ? null : costMicros / MICROS_PER_UNIT
  const words = measuredWords({ executions, priced, cost }, plan?.prices?.currency ?? null, each)
  return words === null ? '' : ` (${words})`
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
