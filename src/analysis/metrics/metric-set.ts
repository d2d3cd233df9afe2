/** Which metrics stand in every result: a set for each family, and whatever the thresholds name. */
import { OUTCOMES } from '../../execution/record/record.ts'
import type { Metric } from '../document.ts'
import { measure } from './metric-value.ts'
import type { Group, Observations } from '../observations.ts'

const STATISTICS = ['p50', 'p90', 'p95', 'p99', 'max', 'mean']
const REQUEST_TIMES = ['service', 'response', 'attempt', 'refused', 'socketWait']
const OPERATIONS_MEASURED = ['kickoff', 'status']

const EXECUTION_TIMES = ['execution', 'execution.completed', 'detectionDelay']

const GROUP_METRICS = [
  ...withStatistics(EXECUTION_TIMES),
  'execution.failed',
  'outcome.unserved',
  ...OUTCOMES.map((outcome) => `outcome.${outcome}`),
  'polls.perExecution',
  'polls.wasted',
  'polls.wastedShare',
  'throughput.accepted',
  'throughput.completed',
]

const RUN_METRICS = [
  ...withStatistics(
    OPERATIONS_MEASURED.flatMap((operation) => REQUEST_TIMES.map((time) => `${operation}.${time}`)),
  ),
  ...OPERATIONS_MEASURED.map((operation) => `${operation}.error`),
  ...withStatistics(['lateness']),
  'contract.violations',
  'contract.documented',
  'connections.handshakeShare',
  'retries.ratio',
  'inFlight.max',
  'ledger.wrong',
  'target.alive',
]

function withStatistics(families: readonly string[]): string[] {
  return families.flatMap((family) => STATISTICS.map((statistic) => `${family}.${statistic}`))
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
