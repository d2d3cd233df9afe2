/** Default promises: the thresholds of every run unless its scenario says otherwise. */
import { assert } from '../../base/assert.ts'
import type { Threshold } from '../plan.ts'
import { parseThreshold } from './thresholds.ts'

interface Promised {
  metric: string
  bound: string
  /** A threshold on any of these is more specific than the default, and replaces it. */
  replacedBy: readonly string[]
}

const PROMISES: readonly Promised[] = [
  {
    metric: 'outcome.unserved',
    bound: '<= 5%',
    replacedBy: ['outcome.unserved', 'outcome.completed'],
  },
  { metric: 'execution.failed', bound: '<= 10%', replacedBy: ['execution.failed'] },
  { metric: 'ledger.wrong', bound: '<= 0', replacedBy: ['ledger.wrong'] },
  { metric: 'target.alive', bound: '>= 1', replacedBy: ['target.alive'] },
]

/** The metrics for which `false` turns a default promise off. */
export const PROMISED_METRICS: readonly string[] = PROMISES.map(({ metric }) => metric)

/**
 * The promises that neither `named`, the metrics of the scenario's own thresholds, nor `turnedOff`
 * replaces.
 */
export function promisesBeside(
  named: readonly string[],
  turnedOff: readonly string[],
): readonly Threshold[] {
  return PROMISES.filter(
    ({ metric, replacedBy }) =>
      !turnedOff.includes(metric) && !replacedBy.some((each) => named.includes(each)),
  ).map(promiseOf)
}

function promiseOf({ metric, bound }: Promised): Threshold {
  const read = parseThreshold(metric, bound)
  assert(!('problem' in read), `the default promise on ${metric} can be read`)
  return { ...read, source: 'default' }
}
