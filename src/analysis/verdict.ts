/** The verdict: passed, failed, invalid or inconclusive, why, and in one sentence. */
import { OUTCOMES } from '../execution/record.ts'
import type { Metric, Reason, RunInfo, ThresholdResult, Verdict } from './document.ts'
import {
  boundParts,
  formatCount,
  formatMeasured,
  formatMetric,
  formatMs,
  pluralArrivals,
} from './format-metric.ts'
import { measure } from './measure.ts'
import type { Observations } from './observations.ts'

export interface Evidence {
  validity: readonly Reason[]
  thresholds: readonly ThresholdResult[]
  stopped: RunInfo['stopped']
  durationMs: number
  longest: Metric
  observations: Observations
}

/**
 * An invalid measurement never passes, whatever it measured; on valid data a missed threshold fails; what is too few,
 * unmeasurable, interrupted or empty is inconclusive.
 */
export function reachVerdict(evidence: Evidence): Verdict {
  const valid = evidence.validity.length === 0
  const misses = evidence.thresholds.filter(({ status }) => status === 'missed')
  const doubts = [
    ...evidence.thresholds.flatMap(doubtOf),
    ...interruption(evidence.stopped),
    ...emptiness(evidence.observations),
  ]
  const outcome = !valid
    ? 'invalid'
    : misses.length > 0
      ? 'failed'
      : doubts.length > 0
        ? 'inconclusive'
        : 'passed'
  const reasons = [...evidence.validity, ...misses.map(missOf), ...doubts]
  return { outcome, valid, reasons, sentence: sentence(outcome, reasons, evidence) }
}

function missOf(result: ThresholdResult): Reason {
  return {
    code: `threshold:${result.metric}`,
    message: `${result.metric} is ${formatMeasured(result)}, bound ${boundParts(result).bound}`,
    remedy: result.hint ?? '',
  }
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

function interruption(stopped: RunInfo['stopped']): Reason[] {
  if (stopped !== 'drained' && stopped !== 'now') return []
  const how =
    stopped === 'now' ? 'at once, before its end' : 'before its end, and its executions drained'
  return [
    {
      code: 'interrupted',
      message: `the run was stopped ${how}`,
      remedy: 'let it run to its end for a verdict',
    },
  ]
}

function emptiness({ window }: Observations): Reason[] {
  if (window.arrivals === 0) {
    return [
      {
        code: 'no-arrivals',
        message: 'no arrival fell into the measured window',
        remedy: 'run longer than the warm-up',
      },
    ]
  }
  if (window.outcomes.completed > 0) return []
  return [
    {
      code: 'nothing-completed',
      message:
        window.arrivals === 1
          ? 'the one arrival did not complete'
          : `none of ${formatCount(window.arrivals)} arrivals completed`,
      remedy: 'see the reasons by outcome, and try one kickoff with crewload check',
    },
  ]
}

const WORDS = {
  passed: 'Passed',
  failed: 'Failed',
  invalid: 'Invalid',
  inconclusive: 'Inconclusive',
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

function facts({ observations, durationMs, longest }: Evidence): string[] {
  const { arrivals, outcomes } = observations.window
  const length = formatMs(durationMs)
  if (arrivals === 0) return [`nothing was measured in ${length}`]
  const wait = arrivals === 1 ? 'it took' : 'nobody waited longer than'
  return [
    `${pluralArrivals(arrivals, outcomes)} in ${length}`,
    ...(longest.value === null ? [] : [`${wait} ${formatMetric(longest)}`]),
    ...outcomeFacts(observations),
  ]
}

/** The outcomes but `completed`, each with the share that the tables show. */
function outcomeFacts(observations: Observations): string[] {
  const { arrivals, outcomes } = observations.window
  const seen = OUTCOMES.filter((name) => name !== 'completed' && outcomes[name] > 0)
  return seen.map((name) =>
    arrivals === 1
      ? `its outcome: ${name}`
      : `${formatMetric(measure(`outcome.${name}`, observations))} ${name}`,
  )
}

/** A metric's name keeps its first letter. */
function capital(text: string): string {
  return /^\w+\./.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
