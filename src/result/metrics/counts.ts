/** Counts the parts of a run: arrivals that were due, outcomes, times of requests. */
import { unreachable } from '../../base/assert.ts'
import type { Operation, MeasuredOperation } from '../../crew/answer.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics/index.ts'
import type { Group, Observations, RequestObservations } from '../observations.ts'
import type { Lifetimes } from '../statistics/sample.ts'
import { EMPTY_SAMPLE, uncensored } from '../statistics/sample.ts'

/**
 * The measured window, one bin of it, or the part that carries one tag, which has no requests of
 * its own.
 */
export interface Part {
  group: Group
  requests: Pick<Observations['requests'], MeasuredOperation> | null
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
export function due({ arrivals, outcomes, open }: Group): number {
  return arrivals - outcomes.dropped - outcomes.notReached + open
}

/** Counts arrivals that were due and got neither a result nor a failure that the crew reported. */
export function unserved({ outcomes }: Pick<Group, 'outcomes'>): number {
  const { rejected, unknown, lost, stuck, unreadable } = outcomes
  return rejected + unknown + lost + stuck + unreadable
}

/**
 * Counts arrivals of which nobody knows whether they would have been served: those that were cut
 * off, and those whose deadline passed while a person was asked.
 */
export function undetermined({ outcomes, open }: Pick<Group, 'outcomes' | 'open'>): number {
  return outcomes.aborted + outcomes.paused + open
}

/**
 * What was not sent or was aborted is a share of all arrivals; the rest, of those that were due.
 */
export function outcomeCount(outcome: keyof Group['outcomes'], group: Group): ShareCount {
  const { outcomes, arrivals, open } = group
  const hits = outcomes[outcome]
  if (outcome === 'dropped' || outcome === 'notReached' || outcome === 'aborted') {
    return { hits, n: arrivals + open, open: 0 }
  }
  return { hits, n: due(group), open: outcomes.aborted + open }
}

/** None where a part has no requests of its own, or where none of that operation are kept. */
export function requestTimes(
  operation: Operation,
  which: Extract<MetricReference, { kind: 'request' }>['which'],
  requests: Part['requests'],
): Lifetimes {
  if (operation === 'inputs' || requests === null) return uncensored(EMPTY_SAMPLE)
  const observed: RequestObservations = requests[operation]
  switch (which) {
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
      return unreachable(which)
  }
}
