/** The verdict: passed, failed, invalid or inconclusive, why, and in one sentence. */
import { OUTCOMES } from '../execution/record.ts'
import { MICROS_PER_MS, formatDuration, formatShare } from '../units.ts'
import type { Metric, Reason, RunInfo, ThresholdResult, Verdict } from './document.ts'
import { formatMetric } from './format-metric.ts'
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
    message: `${result.metric} is ${formatMetric(result.measured)}, bound ${result.text}`,
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
  const how = stopped === 'now' ? 'at once' : 'and its executions drained'
  return [
    {
      code: 'interrupted',
      message: `the run was stopped before its end, ${how}`,
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
      message: `none of ${window.arrivals} arrivals completed`,
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
  { observations, durationMs, longest }: Evidence,
): string {
  const { window } = observations
  const first = reasons[0]
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : ''
  const count = `${window.arrivals} ${window.arrivals === 1 ? 'execution' : 'executions'}`
  const facts = [
    `${count} in ${formatDuration(durationMs * MICROS_PER_MS)}`,
    ...(longest.value === null
      ? []
      : [`nobody waited longer than ${formatDuration(longest.value * MICROS_PER_MS)}`]),
    ...outcomeFacts(observations),
  ]
  const why = first === undefined ? '' : ` ${capital(first.message)}${more}.`
  return `${WORDS[outcome]}.${why} ${capital(facts.join('; '))}.`
}

function outcomeFacts({ window }: Observations): string[] {
  return OUTCOMES.filter((name) => name !== 'completed' && window.outcomes[name] > 0).map(
    (name) => `${formatShare(window.outcomes[name] / window.arrivals)} ${name}`,
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
