/** Thresholds judged: measured beside bound, with what to do next. */
import { unreachable } from '../assert.ts'
import { familyOf, parseMetric } from '../scenario/metrics.ts'
import type { Threshold } from '../scenario/plan.ts'
import { MICROS_PER_MS } from '../units.ts'
import type { Metric, ThresholdResult } from './document.ts'

/**
 * `met` and `missed` by the measured value. Without one, a confidence bound on the wrong side still proves a miss; else it is
 * `too-few` when more executions would tell, and `unmeasurable` when they would not.
 */
export function judge(threshold: Threshold, measured: Metric): ThresholdResult {
  const bound = measured.unit === 'ms' ? threshold.bound / MICROS_PER_MS : threshold.bound
  const status = statusOf(threshold.operator, bound, measured)
  return {
    metric: threshold.metric,
    text: threshold.text,
    operator: threshold.operator,
    bound,
    status,
    measured,
    hint: hintFor(threshold.metric, status, measured),
  }
}

/** True when the whole 95 % interval lies on the wrong side: more executions will not mend it. */
export function cannotBeMet(threshold: Threshold, measured: Metric): boolean {
  const bound = measured.unit === 'ms' ? threshold.bound / MICROS_PER_MS : threshold.bound
  return provenMiss(threshold.operator, bound, measured)
}

function statusOf(
  operator: Threshold['operator'],
  bound: number,
  measured: Metric,
): ThresholdResult['status'] {
  if (measured.value !== null) return holds(measured.value, operator, bound) ? 'met' : 'missed'
  if (provenMiss(operator, bound, measured)) return 'missed'
  return measured.n > 0 && measured.needed !== null && measured.n < measured.needed
    ? 'too-few'
    : 'unmeasurable'
}

function provenMiss(operator: Threshold['operator'], bound: number, measured: Metric): boolean {
  const side = operator === '<' || operator === '<=' ? measured.low : measured.high
  return side !== null && !holds(side, operator, bound)
}

function holds(value: number, operator: Threshold['operator'], bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound
    case '<=':
      return value <= bound
    case '>':
      return value > bound
    case '>=':
      return value >= bound
    default:
      return unreachable(operator)
  }
}

function hintFor(
  metric: string,
  status: ThresholdResult['status'],
  measured: Metric,
): string | null {
  switch (status) {
    case 'met':
      return null
    case 'missed':
      return missHint(metric)
    case 'too-few':
      return `run ${timesLonger(measured)} times as long: ${measured.n} of ${measured.needed} samples`
    case 'unmeasurable':
      return measured.n === 0 ? 'nothing to measure: see the outcomes' : hiddenHint(metric)
    default:
      return unreachable(status)
  }
}

/** What hides the value: times that were watched in vain. */
function hiddenHint(metric: string): string {
  return parseMetric(metric)?.kind === 'request'
    ? 'hidden by requests that timed out: see the errors in the report, and mend what does not answer'
    : 'hidden by executions without an end: raise the deadline, or mend what is stuck'
}

function timesLonger({ n, needed }: Metric): string {
  return String(Math.ceil(((needed ?? n) / n) * 10) / 10)
}

/** What to look at first, by what was missed. */
function missHint(metric: string): string {
  const reference = parseMetric(metric)
  const kind = reference === undefined ? undefined : familyOf(reference).kind
  switch (kind) {
    case 'detectionDelay':
      return 'poll more often towards the end: see what polling costs in the report'
    case 'execution':
    case 'completedExecution':
      return 'see in the report whether waiting, a task or polling takes the time'
    case 'request':
      return 'compare response with service time: a gap is queueing before the target'
    case 'failedShare':
    case 'outcome':
    case 'requestError':
      return 'see what went wrong in the report, by reason and error class'
    case 'contract':
    case 'check':
      return 'see the first example in the report'
    case 'polls':
    case 'wastedShare':
    case 'retryRatio':
      return 'poll less often: see the advice on polling in the report'
    case 'handshakeShare':
      return "poll within the target's keep-alive time, or raise that"
    case 'lateness':
      return 'lower the rate, or give the generator a machine of its own'
    default:
      return 'see the report'
  }
}
