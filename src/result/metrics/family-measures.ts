/** Says how each family of metrics is measured; a family without an entry does not compile. */
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import type { Metric } from '../document.ts'
import type { Measurable, Observations } from '../observations.ts'
import type { WindowTally } from '../counting/tallies/window.ts'
import type { PeopleCounts } from '../counting/tallies/people.ts'
import type { PushCounts } from '../counting/tallies/pushes.ts'
import type { CostPart } from '../counting/tallies/usage.ts'
import type { Peak } from '../counting/tallies/flow.ts'
import type { RequestTally } from '../counting/tallies/request-tally.ts'
import type { Lifetimes, Sample } from '../statistics/sample.ts'
import { EMPTY_SAMPLE, uncensored } from '../statistics/sample.ts'
import { MICROS_PER_SECOND, MICROS_PER_UNIT } from '../../base/units.ts'
import { UNSERVED } from '../../scenario/outcomes.ts'
import { basisOf } from './contract.ts'
import type { DocumentedOperation, MeasuredOperation } from '../../crew/answer.ts'

/**
 * The measured window, one bin of it, or the part that carries one tag, which has no requests of
 * its own.
 */
interface Part {
  group: WindowTally
  requests: Pick<Observations['requests'], MeasuredOperation> | null
  /** Missing or null where there are none. */
  pushes?: PushCounts | null
  people?: PeopleCounts | null
}

/** `hits` of `n`; of the `open` ones among `n` it is not known whether they are hits. */
export interface ShareCount {
  hits: number
  n: number
  open: number
}

/**
 * Arrivals whose time came and that were sent: what was dropped or not reached was not measured.
 */
export function due({ arrivals, outcomes, open }: WindowTally): number {
  return arrivals - outcomes.dropped - outcomes.notReached + open
}

/** Counts arrivals that were due and got neither a result nor a failure that the crew reported. */
export function unserved({ outcomes }: Pick<WindowTally, 'outcomes'>): number {
  return UNSERVED.reduce((sum, outcome) => sum + outcomes[outcome], 0)
}

/**
 * Counts arrivals of which nobody knows whether they would have been served: those that were cut
 * off, and those whose deadline passed while a person was asked.
 */
function undetermined({ outcomes, open }: Pick<WindowTally, 'outcomes' | 'open'>): number {
  return outcomes.aborted + outcomes.paused + open
}

/**
 * What was not sent or was aborted is a share of all arrivals; the rest, of those that were due.
 */
function outcomeCount(outcome: keyof WindowTally['outcomes'], group: WindowTally): ShareCount {
  const { outcomes, arrivals, open } = group
  const hits = outcomes[outcome]
  if (outcome === 'dropped' || outcome === 'notReached' || outcome === 'aborted') {
    return { hits, n: arrivals + open, open: 0 }
  }
  return { hits, n: due(group), open: outcomes.aborted + open }
}

/** None where a part has no requests of its own, or where none of that operation are kept. */
function requestTimes(
  operation: DocumentedOperation,
  which: Extract<MetricReference, { kind: 'request' }>['which'],
  requests: Part['requests'],
): Lifetimes {
  if (operation === 'inputs' || requests === null) return uncensored(EMPTY_SAMPLE)
  const { service, attempt, refused, socketWait }: RequestTally = requests[operation]
  const times = {
    service,
    response: attempt,
    attempt,
    refused: uncensored(refused),
    socketWait: uncensored(socketWait),
  }
  return times[which]
}

/**
 * `times` have quantiles, and `share`s of independent trials an interval; both are measured in the
 * whole window or in one bin of it. A `ratio` has none, and is judged by value. A `count` of
 * events, or a yes, is what the sample says of itself.
 */
type Measure<Reference> =
  | TimesMeasure<Reference>
  | ShareMeasure<Reference>
  | NumberMeasure<Reference>

interface TimesMeasure<Reference> {
  as: 'times'
  /** `lateness` is that of the whole run: no part has its own. */
  of(reference: Reference, part: Part, lateness: Sample | null): Lifetimes
}

interface ShareMeasure<Reference> {
  as: 'share'
  of(reference: Reference, part: Part): ShareCount
}

interface NumberMeasure<Reference> {
  as: 'ratio' | 'count'
  /** `group`: the whole window, or the part of it that carries one tag. */
  of(reference: Reference, group: WindowTally, observations: Measurable): Metric
}

type MetricKind = MetricReference['kind']

const MEASURES: { [K in MetricKind]: Measure<Extract<MetricReference, { kind: K }>> } = {
  execution: { as: 'times', of: (_, { group }) => group.executions },
  completedExecution: { as: 'times', of: (_, { group }) => uncensored(group.completed) },
  detectionDelay: { as: 'times', of: (_, { group }) => group.detection },
  failedShare: {
    as: 'share',
    of: (_, { group: { outcomes } }) => {
      return { hits: outcomes.failed, n: outcomes.completed + outcomes.failed, open: 0 }
    },
  },
  unserved: {
    as: 'share',
    of: (_, { group }) => {
      return { hits: unserved(group), n: due(group), open: undetermined(group) }
    },
  },
  outcome: { as: 'share', of: ({ outcome }, { group }) => outcomeCount(outcome, group) },
  check: {
    as: 'share',
    of: ({ name }, { group }) => {
      const { passed, failed } = group.checks.get(name) ?? { passed: 0, failed: 0 }
      return { hits: passed, n: passed + failed, open: 0 }
    },
  },
  kickoffResponse: { as: 'times', of: (_, { group }) => group.kickoffs },
  request: {
    as: 'times',
    of: ({ operation, which }, { requests }) => requestTimes(operation, which, requests),
  },
  requestError: {
    as: 'share',
    of: ({ operation }, { requests }) => {
      if (operation === 'inputs' || requests === null) return { hits: 0, n: 0, open: 0 }
      const observed = requests[operation]
      return { hits: observed.errors, n: observed.requests - observed.cancelled, open: 0 }
    },
  },
  lateness: { as: 'times', of: (_, __, lateness) => uncensored(lateness ?? EMPTY_SAMPLE) },
  handshakeShare: {
    as: 'ratio',
    of: (_, __, { requests: { kickoff, status } }) =>
      ratioMetric(kickoff.fresh + status.fresh, kickoff.sent + status.sent, 'share'),
  },
  retryRatio: {
    as: 'ratio',
    of: (_, __, { requests: { kickoff, status } }) => {
      const retries = kickoff.retries + status.retries
      return ratioMetric(retries, kickoff.requests + status.requests - retries, 'share')
    },
  },
  polls: {
    as: 'ratio',
    of: ({ which }, { polls, wastedPolls, accepted }) =>
      ratioMetric(which === 'wasted' ? wastedPolls : polls, accepted, 'count'),
  },
  wastedShare: {
    as: 'ratio',
    of: (_, { wastedPolls, polls }) => ratioMetric(wastedPolls, polls, 'share'),
  },
  peopleWaited: {
    as: 'times',
    of: (_, { people }) => people?.waits ?? uncensored(EMPTY_SAMPLE),
  },
  peopleAsked: {
    as: 'share',
    of: (_, { group, people }) => {
      return { hits: people?.result.executions ?? 0, n: group.accepted, open: 0 }
    },
  },
  pushDelay: {
    as: 'times',
    of: (_, { pushes }) => pushes?.delay ?? uncensored(EMPTY_SAMPLE),
  },
  pushShare: {
    as: 'share',
    of: ({ which }, { pushes }) => {
      return { hits: pushes?.result[which] ?? 0, n: pushes?.result.ends ?? 0, open: 0 }
    },
  },
  pushRepeats: {
    as: 'ratio',
    of: (_, __, { pushes }) =>
      ratioMetric(pushes?.result.repeated ?? 0, pushes?.result.received ?? 0, 'share'),
  },
  pushRefusals: {
    as: 'count',
    of: (_, __, { pushes }) => {
      const refused = sumOf(pushes?.result.refused ?? {})
      return countMetric(refused, refused + (pushes?.result.received ?? 0))
    },
  },
  tokens: { as: 'times', of: ({ which }, { group }) => amounts(group.usage.tokens[which], group) },
  tokensUnreported: {
    as: 'share',
    of: (_, { group }) => {
      const { executions: n, reported } = group.usage.parts.total
      return { hits: n - reported, n, open: 0 }
    },
  },
  cost: { as: 'times', of: (_, { group }) => amounts(group.usage.cost, group) },
  costSum: { as: 'count', of: ({ which }, group) => costMetric(group, which) },
  throughput: { as: 'ratio', of: ({ which }, group) => throughput(which, group) },
  maxInFlight: { as: 'count', of: (_, __, { inFlight }) => peakMetric(inFlight) },
  contract: {
    as: 'count',
    of: ({ which }, _, observations) =>
      countMetric(violations(observations, which), observations.contract.answers),
  },
  ledgerWrong: {
    as: 'count',
    of: (_, __, { ledgerWrong }) => countMetric(ledgerWrong?.wrong ?? 0, ledgerWrong?.rows ?? 0),
  },
  targetAlive: { as: 'count', of: (_, __, observations) => aliveMetric(observations) },
}

/** The kind of the reference names its measure, which the type of the table proves to fit. */
function measureOf(reference: MetricReference): Measure<MetricReference> {
  return MEASURES[reference.kind]
}

/** Returns the kind of number that a metric is: `Measure` says what follows from it. */
export function measureKindOf(reference: MetricReference): Measure<MetricReference>['as'] {
  return measureOf(reference).as
}

/** The times of a metric; null for one that has none. */
export function lifetimesOf(
  reference: MetricReference,
  part: Part,
  lateness: Sample | null,
): Lifetimes | null {
  const measure = measureOf(reference)
  return measure.as === 'times' ? measure.of(reference, part, lateness) : null
}

/** The counts of a metric that is a share of independent trials; null for any other. */
export function shareCountOf(reference: MetricReference, part: Part): ShareCount | null {
  const measure = measureOf(reference)
  return measure.as === 'share' ? measure.of(reference, part) : null
}

/** A metric that is one number; of any other kind, one that is not known. */
export function numberOf(
  reference: MetricReference,
  group: WindowTally,
  observations: Measurable,
): Metric {
  const measure = measureOf(reference)
  return measure.as === 'ratio' || measure.as === 'count'
    ? measure.of(reference, group, observations)
    : countMetric(0, 0)
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

function violations({ contract }: Measurable, which: 'violations' | 'documented'): number {
  let sum = 0
  for (const [rule, { count }] of contract.rules) {
    if (which === 'violations' || basisOf(rule).basis === 'documented') sum += count
  }
  return sum
}

/** Alive for any instance is alive: one that could not reach it had a trouble of its own. */
function aliveMetric({ probes }: Measurable): Metric {
  const alive = probes.some(({ usable }) => usable) ? 1 : 0
  return { ...bare(probes.length), value: probes.length === 0 ? null : alive, unit: 'flag' }
}

/** Those of which it is not known may be any; nothing is measured where it is known of none. */
function amounts(ended: Sample, { usage, open }: WindowTally): Lifetimes {
  const unknown = ended.n === 0 ? 0 : usage.parts.total.executions + open - ended.n
  return { ...uncensored(ended), unknown }
}

/** Of executions whose cost is not known, or is in part, only a lower bound. */
function costMetric({ usage: { parts }, open }: WindowTally, which: CostPart): Metric {
  const { executions, priced, costMicros, partMicros } = parts[which]
  const n = executions + (which === 'total' ? open : 0)
  const sum = (costMicros + partMicros) / MICROS_PER_UNIT
  const isKnown = priced > 0 || sum > 0
  const known = priced === n ? { value: sum } : isKnown ? { low: sum } : {}
  return { ...bare(n), value: null, unit: 'money', ...(parts.total.executions > 0 && known) }
}

function throughput(of: 'accepted' | 'completed', { throughput: events }: WindowTally): Metric {
  if (events === null) return { ...bare(0), value: null, unit: 'perSecond' }
  const count = events[of]
  const value = (count * MICROS_PER_SECOND) / events.spanMicros
  return { ...bare(Math.round(count)), value, unit: 'perSecond' }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function bare(n: number): Omit<Metric, 'value' | 'unit'> {
  return { low: null, high: null, n, never: 0, needed: null, effective: null }
}
