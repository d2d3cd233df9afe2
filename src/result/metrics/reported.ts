/** Which metrics stand in every result: those of each family, and whatever the thresholds name. */
import type { MetricFamily } from '../../scenario/thresholds/metrics/family.ts'
import { METRIC_FAMILIES } from '../../scenario/thresholds/metrics/index.ts'
import { namesIn } from '../../scenario/thresholds/metrics/pattern.ts'
import type { Metric } from '../document.ts'
import { measure } from './measure.ts'
import type { Group, Observations } from '../observations.ts'

/** There are too few requests for inputs for any quantile. */
const SHOWN = {
  statistics: ['p50', 'p90', 'p95', 'p99', 'max', 'mean'],
  operations: ['kickoff', 'status'],
}

const GROUP_METRICS = namesOf('tags')
const RUN_METRICS = namesOf('run')

function namesOf(part: MetricFamily['of']): string[] {
  return METRIC_FAMILIES.filter((family) => family.of === part).flatMap(({ pattern }) =>
    namesIn(pattern, SHOWN),
  )
}

/** Every metric of the standard set, of the checks that ran, and of `named`. */
export function measureAll(
  observations: Observations,
  named: readonly string[],
): Record<string, Metric> {
  const names = new Set([
    ...GROUP_METRICS,
    ...checkMetrics(observations.window),
    ...RUN_METRICS,
    ...named,
  ])
  return Object.fromEntries([...names].map((name) => [name, measure(name, observations)]))
}

/** The metrics that one tag's part of the window has of its own. */
export function measureGroup(observations: Observations, group: Group): Record<string, Metric> {
  return Object.fromEntries(
    [...GROUP_METRICS, ...checkMetrics(group)].map((name) => [
      name,
      measure(name, observations, group),
    ]),
  )
}

function checkMetrics(group: Group): string[] {
  return [...group.checks.keys()].sort().map((name) => `checks.${name}`)
}
