/** The verdict: passed, failed, invalid or inconclusive, why, and in one sentence. */
import { OUTCOMES } from '../execution/record.ts'
import type {
  Metric,
  Reason,
  RunInfo,
  TargetLossResult,
  ThresholdResult,
  Verdict,
} from './document.ts'
import type { SpentBudget } from './endings.ts'
import {
  arrivalWords,
  isSetAside,
  outcomeWord,
  spentBudgets,
  stoppedBy,
  stopWords,
  unsentOf,
} from './endings.ts'
import {
  boundParts,
  formatCount,
  formatMeasured,
  formatMetric,
  formatMs,
  plural,
} from './format-metric.ts'
import { measure } from './measure.ts'
import type { Observations } from './observations.ts'
import { crash, resumption } from './resumption.ts'
import { targetLossReason } from './target-loss.ts'

export interface Evidence {
  validity: readonly Reason[]
  thresholds: readonly ThresholdResult[]
  stopped: RunInfo['stopped']
  stopReason: RunInfo['stopReason']
  durationMs: number
  longest: Metric
  targetLoss: TargetLossResult | null
  observations: Observations
}

/**
 * A target that was lost in mid-run comes before everything. An invalid measurement never passes, whatever it measured; on valid data a missed
 * threshold fails, and so does one that stopped the run early; what is too few, unmeasurable, cut short by a budget, interrupted or empty is
 * inconclusive.
 */
export function reachVerdict(evidence: Evidence): Verdict {
  const { targetLoss } = evidence
  const valid = evidence.validity.length === 0
  const misses = missesOf(evidence)
  const cuts = [
    ...budgets(evidence.observations),
    ...interruption(evidence),
    ...crash(evidence),
    ...resumption(evidence.observations),
  ]
  const doubts = [
    ...evidence.thresholds.flatMap(doubtOf),
    ...cuts,
    ...emptiness(evidence.observations, cuts.length > 0),
  ]
  const losses = targetLoss === null ? [] : [targetLossReason(targetLoss)]
  const outcome = firstOf(
    ['unreachable', losses],
    ['invalid', evidence.validity],
    ['failed', misses],
    ['inconclusive', doubts],
  )
  const reasons = [...losses, ...evidence.validity, ...misses, ...doubts]
  return { outcome, valid, reasons, sentence: sentence(outcome, reasons, evidence) }
}

/** The first that has a reason. */
function firstOf(
  ...outcomes: (readonly [Verdict['outcome'], readonly Reason[]])[]
): Verdict['outcome'] {
  return outcomes.find(([, reasons]) => reasons.length > 0)?.[0] ?? 'passed'
}

/** The threshold that stopped the run early stands first, whatever came of it while the run drained. */
function missesOf({ thresholds, stopReason }: Evidence): Reason[] {
  const culprit = stoppedBy(stopReason)
  const isCulprit = ({ metric, text }: ThresholdResult): boolean => `${metric} ${text}` === culprit
  return [
    ...thresholds.filter(isCulprit).map(earlyStopOf),
    ...thresholds.filter((each) => each.status === 'missed' && !isCulprit(each)).map(missOf),
  ]
}

function missOf(result: ThresholdResult): Reason {
  return {
    code: `threshold:${result.metric}`,
    message: `${result.metric} is ${formatMeasured(result)}, bound ${boundParts(result).bound}`,
    remedy: result.hint ?? '',
  }
}

function earlyStopOf(result: ThresholdResult): Reason {
  const missed = missOf(result)
  const message =
    result.status === 'missed'
      ? `${missed.message}, and it stopped the run early`
      : `${result.metric} ${boundParts(result).bound} could not be met any more, and it stopped the run early`
  return { ...missed, message }
}

function doubtOf(result: ThresholdResult): Reason[] {
  const remedy = result.hint ?? ''
  if (result.status === 'too-few') {
    const { n, needed } = result.measured
    const message = `too few samples for ${result.metric}: ${n} of ${needed} needed`
    return [{ code: `too-few:${result.metric}`, message, remedy }]
  }
  if (result.status === 'unmeasurable') {
    const message = `${result.metric} could not be measured`
    return [{ code: `unmeasurable:${result.metric}`, message, remedy }]
  }
  return []
}

function budgets(observations: Observations): Reason[] {
  return spentBudgets(observations).map((spent) => ({
    code: 'budget',
    message: `${budgetEffect(spent, observations)}: ${spent.isPart ? 'a part of the ' : ''}${spent.kind} budget spent`,
    remedy: budgetRemedy(spent),
  }))
}

const RAISE: Record<SpentBudget['kind'], string> = {
  kickoff: 'raise --max-kickoffs, or lower the arrivals',
  request: 'raise --max-requests, or poll less often',
  time: 'raise --max-duration, or send for a shorter time',
}

/** VUs of k6 share no memory: each has its part of a budget, and in the mode of iterations each execution. */
function budgetRemedy({ kind, isPart }: SpentBudget): string {
  const raise = RAISE[kind]
  return isPart ? `${raise}; k6 deals a budget out in even parts, of which none can lend` : raise
}

function budgetEffect({ unsent, unfollowed }: SpentBudget, { window }: Observations): string {
  const { arrivals, outcomes } = window
  const sent = `${formatCount(arrivals - unsentOf(outcomes))} of ${plural(arrivals, 'arrival')} were sent`
  const left = `${plural(unfollowed, 'execution')} not followed to the end`
  if (unsent > 0) return unfollowed > 0 ? `${sent}, ${left}` : sent
  return unfollowed > 0 ? left : 'a kickoff was not tried again'
}

function interruption({ stopped, stopReason, observations }: Evidence): Reason[] {
  const how = stopWords({ stopped, stopReason, reasons: observations.reasons })
  if (how === null || stoppedBy(stopReason) !== null) return []
  return [
    {
      code: 'interrupted',
      message: `the run was ${how}`,
      remedy: 'let it run to its end for a verdict',
    },
  ]
}

/** Where the run was cut short and nothing else came to any end, the cut has told why. */
function emptiness({ window }: Observations, wasCut: boolean): Reason[] {
  const { arrivals, outcomes } = window
  if (outcomes.completed > 0) return []
  if (wasCut && arrivals === unsentOf(outcomes) + outcomes.aborted) return []
  if (arrivals === 0) {
    return [
      {
        code: 'no-arrivals',
        message: 'no arrival fell into the measured window',
        remedy: 'run longer than the warm-up',
      },
    ]
  }
  return [
    {
      code: 'nothing-completed',
      message:
        arrivals === 1
          ? 'the one arrival did not complete'
          : `none of ${formatCount(arrivals)} arrivals completed`,
      remedy: 'see the reasons by outcome, and try one kickoff with crewload check',
    },
  ]
}

const WORDS = {
  passed: 'Passed',
  failed: 'Failed',
  invalid: 'Invalid',
  inconclusive: 'Inconclusive',
  unreachable: 'Unreachable',
} as const

/** `Passed. 360 executions in 3 h; nobody waited longer than 241 s; 2.2 % failed.` */
function sentence(
  outcome: Verdict['outcome'],
  reasons: readonly Reason[],
  evidence: Evidence,
): string {
  const first = reasons[0]
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : ''
  const why = first === undefined ? '' : ` ${capital(first.message)}${more}.`
  return `${WORDS[outcome]}.${why} ${capital(facts(evidence).join('; '))}.`
}

function facts(evidence: Evidence): string[] {
  const { observations, durationMs, longest, stopped } = evidence
  const { arrivals, outcomes } = observations.window
  const length = formatMs(durationMs)
  if (stopped === 'crashed') {
    const { endedLines, open } = observations
    const ended = endedLines === 0 ? 'none' : formatCount(endedLines)
    return [
      `after ${length} it was cut; ${ended} had ended, ${formatCount(open.length)} were under way`,
    ]
  }
  if (arrivals === 0) return [`nothing was measured in ${length}`]
  const wait = arrivals === 1 ? 'it took' : 'nobody waited longer than'
  const comma = unsentOf(outcomes) > 0 ? ',' : ''
  return [
    `${arrivalWords(arrivals, outcomes)}${comma} in ${length}`,
    ...(longest.value === null ? [] : [`${wait} ${formatMetric(longest)}`]),
    ...outcomeFacts(observations),
  ]
}

/** The outcomes but `completed`, each as the tables show it. */
function outcomeFacts(observations: Observations): string[] {
  const { arrivals, outcomes } = observations.window
  const seen = OUTCOMES.filter((name) => name !== 'completed' && outcomes[name] > 0)
  if (arrivals === 1) return seen.map((name) => `its outcome: ${outcomeWord(name)}`)
  return seen.map((name) =>
    isSetAside(name)
      ? `${formatCount(outcomes[name])} ${outcomeWord(name)}`
      : `${formatMetric(measure(`outcome.${name}`, observations))} ${outcomeWord(name)}`,
  )
}

/** A metric's name keeps its first letter. */
function capital(text: string): string {
  return /^\w+\./.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
