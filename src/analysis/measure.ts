/** Metrics: one name of the grammar, measured. */
import { assert, unreachable } from '../assert.ts'
import type { MetricReference, Statistic } from '../scenario/metrics.ts'
import { parseMetric } from '../scenario/metrics.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../units.ts'
import type { Metric } from './document.ts'
import type { Group, Observations, Peak } from './observations.ts'
import { basisOf } from './contract.ts'
import { isSetAside } from './endings.ts'
import { estimateQuantile, finite } from './statistics/quantiles.ts'
import type { Lifetimes } from './statistics/sample.ts'
import { EMPTY_SAMPLE, sizeOf, uncensored } from './statistics/sample.ts'
import { shareInterval } from './statistics/shares.ts'

/** The part of the observations that metrics are taken from: a recorder can give it while the run goes on. */
export type Measurable = Pick<
  Observations,
  'window' | 'requests' | 'lateness' | 'contract' | 'inFlight'
>

/** The metric of that name over the measured window, or over one tag's part of it. Throws a Bug for a name that is none. */
export function measure(
  name: string,
  observations: Measurable,
  group: Group = observations.window,
): Metric {
  const reference = parseMetric(name)
  assert(reference !== undefined, `no metric is named ${name}`)
  return ofGroup(reference, group) ?? ofRun(reference, observations)
}

/** Metrics that a tag's group has too; null for those of the whole run. */
function ofGroup(reference: MetricReference, group: Group): Metric | null {
  switch (reference.kind) {
    case 'execution':
      return timeMetric(group.executions, reference.statistic)
    case 'completedExecution':
      return timeMetric(uncensored(group.completed), reference.statistic)
    case 'detectionDelay':
      return timeMetric(uncensored(group.detection), reference.statistic)
    case 'outcome':
      return outcomeShare(reference.outcome, group)
    case 'failedShare': {
      const { completed, failed } = group.outcomes
      return shareMetric(failed, completed + failed)
    }
    case 'check': {
      const check = group.checks.get(reference.name)
      if (check === undefined) return shareMetric(0, 0)
      return shareMetric(check.passed, check.passed + check.failed)
    }
    case 'polls':
      return ratioMetric(
        reference.which === 'all' ? group.polls : group.wastedPolls,
        group.accepted,
        'count',
      )
    case 'wastedShare':
      return ratioMetric(group.wastedPolls, group.polls, 'share')
    case 'throughput':
      return throughput(reference.of, group)
    default:
      return null
  }
}

function ofRun(reference: MetricReference, observations: Measurable): Metric {
  switch (reference.kind) {
    case 'request':
      return timeMetric(requestTimes(reference, observations), reference.statistic)
    case 'requestError': {
      if (reference.operation === 'inputs') return shareMetric(0, 0)
      const { requests, cancelled, errors } = observations.requests[reference.operation]
      return shareMetric(errors, requests - cancelled)
    }
    case 'lateness':
      return timeMetric(uncensored(observations.lateness), reference.statistic)
    case 'contract':
      return countMetric(violations(observations, reference.basis), observations.contract.answers)
    case 'handshakeShare': {
      const { kickoff, status } = observations.requests
      return ratioMetric(kickoff.fresh + status.fresh, kickoff.sent + status.sent, 'share')
    }
    case 'retryRatio': {
      const { kickoff, status } = observations.requests
      const retries = kickoff.retries + status.retries
      return ratioMetric(retries, kickoff.requests + status.requests - retries, 'share')
    }
    case 'maxInFlight':
      return peakMetric(observations.inFlight)
    default:
      return unreachable(reference as never)
  }
}

function violations({ contract }: Measurable, basis: 'any' | 'documented'): number {
  let sum = 0
  for (const [rule, { count }] of contract.rules) {
    if (basis === 'any' || basisOf(rule).basis === 'documented') sum += count
  }
  return sum
}

function requestTimes(
  { operation, time }: { operation: string; time: 'service' | 'response' | 'socketWait' },
  { requests }: Measurable,
): Lifetimes {
  if (operation !== 'kickoff' && operation !== 'status') return uncensored(EMPTY_SAMPLE)
  const observed = requests[operation]
  return time === 'socketWait' ? uncensored(observed.socketWait) : observed[time]
}

/** Arrivals that were dropped, not reached or aborted say nothing about the target: they stand aside, but for their own shares. */
function outcomeShare(outcome: keyof Group['outcomes'], group: Group): Metric {
  const { dropped, notReached, aborted } = group.outcomes
  const aside = isSetAside(outcome) ? 0 : dropped + notReached + aborted
  return shareMetric(group.outcomes[outcome], group.arrivals - aside)
}

/** From the window's first intended arrival to its last acceptance, or end. */
function throughput(of: 'accepted' | 'completed', group: Group): Metric {
  const count = of === 'accepted' ? group.accepted : group.outcomes.completed
  const until = of === 'accepted' ? group.lastAcceptedMicros : group.lastEndedMicros
  const micros = until - group.firstIntendedMicros
  return {
    ...bare(count),
    value: count > 0 && micros > 0 ? (count * MICROS_PER_SECOND) / micros : null,
    unit: 'perSecond',
  }
}

/** Milliseconds. A censored time is a bound and never a value: what it hides has its bound alone. */
function timeMetric(lifetimes: Lifetimes, statistic: Statistic): Metric {
  const n = sizeOf(lifetimes)
  const { value, low, high, needed } = estimate(lifetimes, statistic)
  return { value: toMs(value), unit: 'ms', low: toMs(low), high: toMs(high), n, needed }
}

type Estimate = Pick<Metric, 'value' | 'low' | 'high' | 'needed'>

function estimate(lifetimes: Lifetimes, statistic: Statistic): Estimate {
  switch (statistic.kind) {
    case 'quantile': {
      const { value, low, high, needed } = estimateQuantile(lifetimes, statistic.q)
      return { value: finite(value), low: finite(low), high: finite(high), needed }
    }
    case 'min':
      return least(lifetimes)
    case 'max':
      return most(lifetimes)
    case 'mean':
      return mean(lifetimes)
    default:
      return unreachable(statistic)
  }
}

const UNKNOWN: Estimate = { value: null, low: null, high: null, needed: null }

/** Of those that ended; hidden where one was given up sooner, for that one may have ended before all others. */
function least({ ended, censored }: Lifetimes): Estimate {
  const hidden = censored.min !== null && (ended.min === null || censored.min < ended.min)
  return hidden
    ? { ...UNKNOWN, low: censored.min, high: ended.min }
    : { ...UNKNOWN, value: ended.min }
}

/** Of those that ended; hidden where one was watched as long in vain. */
function most({ ended, censored }: Lifetimes): Estimate {
  const hidden = censored.max !== null && (ended.max === null || censored.max >= ended.max)
  return hidden ? { ...UNKNOWN, low: censored.max } : { ...UNKNOWN, value: ended.max }
}

/** Hidden by any time watched in vain: with such times as they were watched it can only be too low. */
function mean({ ended, censored }: Lifetimes): Estimate {
  const n = ended.n + censored.n
  if (n === 0) return UNKNOWN
  const watched = (ended.sum + censored.sum) / n
  return censored.n === 0 ? { ...UNKNOWN, value: watched } : { ...UNKNOWN, low: watched }
}

function toMs(micros: number | null): number | null {
  return micros === null ? null : micros / MICROS_PER_MS
}

function shareMetric(count: number, n: number): Metric {
  const interval = shareInterval(count, n)
  return {
    value: n === 0 ? null : count / n,
    unit: 'share',
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    n,
    needed: null,
  }
}

/** A ratio of counts that are not independent trials: no interval. */
function ratioMetric(count: number, n: number, unit: 'share' | 'count'): Metric {
  return { ...bare(n), value: n === 0 ? null : count / n, unit }
}

function countMetric(count: number, n: number): Metric {
  return { ...bare(n), value: n === 0 ? null : count, unit: 'count' }
}

/** What was surely reached, with its bounds where it is not known exactly. */
function peakMetric(peak: Peak | null): Metric {
  if (peak === null) return countMetric(0, 0)
  const { least: low, most: high } = peak
  return { ...countMetric(low, 1), ...(low < high ? { low, high } : {}) }
}

function bare(n: number): Omit<Metric, 'value' | 'unit'> {
  return { low: null, high: null, n, needed: null }
}
