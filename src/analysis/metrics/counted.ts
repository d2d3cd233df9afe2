/**
 * What a metric counts or times, in the whole window or in one bin of it: the one place where a
 * name is given its observations.
 */
import { unreachable } from '../../base/assert.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import type { Group, Observations, RequestObservations } from '../observations.ts'
import type { Lifetimes, Sample } from '../statistics/sample.ts'
import { EMPTY_SAMPLE, uncensored } from '../statistics/sample.ts'

/**
 * The measured window, one bin of it, or the part that carries one tag, which has no requests of
 * its own.
 */
export interface Part {
  group: Group
  requests: Pick<Observations['requests'], 'kickoff' | 'status'> | null
}

/** `hits` of `n`; of the `open` ones among `n` it is not known whether they are hits. */
export interface ShareCount {
  hits: number
  n: number
  open: number
}

/**
 * The times of a metric; null for one that has none. `lateness` is that of the whole run: no part
 * has its own.
 */
export function lifetimesOf(
  reference: MetricReference,
  { group, requests }: Part,
  lateness: Sample | null,
): Lifetimes | null {
  switch (reference.kind) {
    case 'execution':
      return group.executions
    case 'completedExecution':
      return uncensored(group.completed)
    case 'detectionDelay':
      return group.detection
    case 'lateness':
      return uncensored(lateness ?? EMPTY_SAMPLE)
    case 'request':
      return requestTimes(reference, group, requests)
    default:
      return null
  }
}

function requestTimes(
  { operation, time }: Extract<MetricReference, { kind: 'request' }>,
  group: Group,
  requests: Part['requests'],
): Lifetimes {
  if (operation === 'kickoff' && time === 'response') return group.kickoffs
  if (operation === 'inputs' || requests === null) return uncensored(EMPTY_SAMPLE)
  const observed: RequestObservations = requests[operation]
  switch (time) {
    case 'service':
      return observed.service
    case 'response':
    case 'attempt':
      return observed.attempt
    case 'refused':
      return uncensored(observed.refused)
    case 'socketWait':
      return uncensored(observed.socketWait)
    default:
      return unreachable(time)
  }
}

/** The counts of a metric that is a share of independent trials; null for any other. */
export function shareCountOf(
  reference: MetricReference,
  { group, requests }: Part,
): ShareCount | null {
  const { outcomes } = group
  switch (reference.kind) {
    case 'unserved':
      return { hits: unserved(group), n: due(group), open: outcomes.aborted + group.open }
    case 'outcome':
      return outcomeCount(reference.outcome, group)
    case 'failedShare':
      return { hits: outcomes.failed, n: outcomes.completed + outcomes.failed, open: 0 }
    case 'check': {
      const check = group.checks.get(reference.name)
      if (check === undefined) return { hits: 0, n: 0, open: 0 }
      return { hits: check.passed, n: check.passed + check.failed, open: 0 }
    }
    case 'requestError': {
      if (reference.operation === 'inputs' || requests === null) return { hits: 0, n: 0, open: 0 }
      const observed = requests[reference.operation]
      return { hits: observed.errors, n: observed.requests - observed.cancelled, open: 0 }
    }
    default:
      return null
  }
}

/**
 * Arrivals whose time came and that were sent: what was dropped or not reached was not measured.
 */
export function due({ arrivals, outcomes, open }: Group): number {
  return arrivals - outcomes.dropped - outcomes.notReached + open
}

/** Of those that were due: neither a result nor a failure that the crew told of. */
export function unserved({ outcomes }: Pick<Group, 'outcomes'>): number {
  const { rejected, unknown, lost, stuck, unreadable } = outcomes
  return rejected + unknown + lost + stuck + unreadable
}

/** Of what was not sent the share is one of all arrivals, and so is that of what was aborted. */
function outcomeCount(outcome: keyof Group['outcomes'], group: Group): ShareCount {
  const { outcomes, arrivals, open } = group
  const hits = outcomes[outcome]
  if (outcome === 'dropped' || outcome === 'notReached' || outcome === 'aborted') {
    return { hits, n: arrivals + open, open: 0 }
  }
  return { hits, n: due(group), open: outcomes.aborted + open }
}
