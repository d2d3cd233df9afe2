/** Thresholds: a metric of the grammar, a comparison and a bound, parsed from text. */
import { unreachable, assert } from '../../base/assert.ts'
import {
  DURATION_HELP,
  MICROS_PER_SECOND,
  parseDuration,
  parseRate,
  parseShare,
  MICROS_PER_UNIT,
} from '../../base/units.ts'
import type { MetricFamily, MetricUnit } from './metrics.ts'
import { familyOf, metricNamed, nearestMetrics, parseMetric } from './metrics.ts'
import type { Threshold } from '../plan.ts'
import { writtenIn, writtenOf } from './bounds.ts'

/**
 * Why a threshold cannot be parsed: what is allowed, and the nearest metric when its name is
 * unknown.
 */
export interface ThresholdProblem {
  problem: string
  nearest?: string
}

interface ThresholdSettings {
  /** Default false. */
  abortEarly?: boolean | undefined
  /** Default `interval`. */
  judge?: Threshold['judge'] | undefined
}

/**
 * Parses `'< 500ms'` for a metric into its own unit; the operators are <, <=, > and >=. Times are
 * those of the author: `atSpeed` converts them for a time-lapse.
 */
export function parseThreshold(
  metric: string,
  text: string,
  { abortEarly = false, judge = 'interval' }: ThresholdSettings = {},
): Threshold | ThresholdProblem {
  const reference = parseMetric(metric)
  if (reference === undefined) return unknownMetric(metric)
  const { unit } = familyOf(reference)
  const [, operator, bound = ''] = /^([<>]=?)\s*(\S.*)$/.exec(text.trim()) ?? []
  const value = operator === undefined ? undefined : parseBound(bound, unit)
  if (operator === undefined || value === undefined) {
    return { problem: `expected a comparison (<, <=, >, >=) and ${BOUND_HELP[unit]}` }
  }
  return {
    metric,
    operator: operator as Threshold['operator'],
    bound: value,
    written: writtenIn(bound),
    abortEarly,
    judge,
    source: 'scenario',
  }
}

/**
 * The threshold in a time-lapse: bounds on the crew's time are divided by `speed`, rates
 * multiplied; all else is unchanged.
 */
export function atSpeed(threshold: Threshold, speed: number): Threshold {
  if (speed === 1) return threshold
  const family = familyOf(metricNamed(threshold.metric))
  const bound = scaledBound(threshold.bound, family, speed)
  if (bound === threshold.bound) return threshold
  return { ...threshold, bound, written: writtenOf(bound, family.unit) }
}

const BOUND_HELP: Record<MetricUnit, string> = {
  micros: DURATION_HELP,
  share: 'a share like "1%" or 0.01',
  count: 'a number of 0 or more',
  money: 'an amount like 0.25',
  perSecond: 'a rate like "2/s" or "40/h"',
  flag: '1 or 0',
}

function unknownMetric(metric: string): ThresholdProblem {
  const [nearest] = nearestMetrics(metric, 1)
  const problem = 'no metric of this name (crewload schema metrics lists them)'
  return nearest === undefined ? { problem } : { problem, nearest }
}

function parseBound(text: string, unit: MetricUnit): number | undefined {
  switch (unit) {
    case 'micros':
      return parseDuration(text)
    case 'share':
      return parseShare(text)
    case 'flag':
      return /^[01]$/.test(text) ? Number(text) : undefined
    case 'count':
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
    case 'money':
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) * MICROS_PER_UNIT : undefined
    case 'perSecond': {
      const rate = parseRate(text)
      return rate === undefined ? undefined : (rate.count * MICROS_PER_SECOND) / rate.perMicros
    }
    default:
      return unreachable(unit)
  }
}

function scaledBound(bound: number, family: MetricFamily, speed: number): number {
  if (family.time === 'real') return bound
  if (family.unit === 'micros') return Math.round(bound / speed)
  return family.unit === 'perSecond' ? bound * speed : bound
}

/** Default promises: the thresholds of every run unless its scenario says otherwise. */
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
  { metric: 'pushes.missed', bound: '<= 50%', replacedBy: ['pushes.missed'] },
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
