/**
 * The grammar of metric names: what a threshold can bound and `result.json` holds; published by
 * `crewload schema metrics`.
 */
import { distance } from 'fastest-levenshtein'
import type { Operation } from '../../crew/answer.ts'
import { OPERATIONS } from '../../crew/answer.ts'
import type { MetricReference, RequestTime, Statistic } from './metric-families.ts'
import { OUTCOME_NAMES, REQUEST_TIMES } from './metric-families.ts'

export type { MetricFamily, MetricReference, MetricUnit, Statistic } from './metric-families.ts'
export { familyOf, METRIC_FAMILIES, OUTCOME_NAMES } from './metric-families.ts'

/** Reads a name of the grammar; undefined for any other. */
export function parseMetric(name: string): MetricReference | undefined {
  const [head = '', ...rest] = name.split('.')
  const tail = rest.join('.')
  switch (head) {
    case 'inputs':
    case 'kickoff':
    case 'status':
      return parseRequest(head, tail)
    case 'lateness':
    case 'detectionDelay':
      return withStatistic(tail, (statistic) => ({ kind: head, statistic }))
    case 'execution':
      return parseExecution(tail)
    case 'outcome':
      return parseOutcome(tail)
    case 'checks':
      return tail === '' ? undefined : { kind: 'check', name: tail }
    default:
      return SINGLE_METRICS.get(name)
  }
}

/** Up to `count` known names, closest first, for a name that `parseMetric` does not know. */
export function nearestMetrics(name: string, count = 3): string[] {
  return COMMON_METRICS.map((metric) => ({ metric, far: distance(name, metric) }))
    .filter(({ far }) => far <= Math.max(4, Math.floor(name.length / 2)))
    .sort((a, b) => a.far - b.far)
    .slice(0, count)
    .map(({ metric }) => metric)
}

const SINGLE_METRICS: ReadonlyMap<string, MetricReference> = new Map([
  ['contract.violations', { kind: 'contract', basis: 'any' }],
  ['contract.documented', { kind: 'contract', basis: 'documented' }],
  ['polls.perExecution', { kind: 'polls', which: 'all' }],
  ['polls.wasted', { kind: 'polls', which: 'wasted' }],
  ['polls.wastedShare', { kind: 'wastedShare' }],
  ['connections.handshakeShare', { kind: 'handshakeShare' }],
  ['throughput.accepted', { kind: 'throughput', of: 'accepted' }],
  ['throughput.completed', { kind: 'throughput', of: 'completed' }],
  ['retries.ratio', { kind: 'retryRatio' }],
  ['inFlight.max', { kind: 'maxInFlight' }],
  ['ledger.wrong', { kind: 'ledgerWrong' }],
  ['target.alive', { kind: 'targetAlive' }],
])

function parseRequest(operation: Operation, tail: string): MetricReference | undefined {
  if (tail === 'error') return { kind: 'requestError', operation }
  const [time = '', ...rest] = tail.split('.')
  if (!isRequestTime(time)) return undefined
  return withStatistic(rest.join('.'), (statistic) => ({
    kind: 'request',
    operation,
    time,
    statistic,
  }))
}

function isRequestTime(text: string): text is RequestTime {
  return (REQUEST_TIMES as readonly string[]).includes(text)
}

function parseExecution(tail: string): MetricReference | undefined {
  if (tail === 'failed') return { kind: 'failedShare' }
  const completed = 'completed.'
  return tail.startsWith(completed)
    ? withStatistic(tail.slice(completed.length), (statistic) => ({
        kind: 'completedExecution',
        statistic,
      }))
    : withStatistic(tail, (statistic) => ({ kind: 'execution', statistic }))
}

function parseOutcome(tail: string): MetricReference | undefined {
  if (tail === 'unserved') return { kind: 'unserved' }
  const outcome = OUTCOME_NAMES.find((name) => name === tail)
  return outcome === undefined ? undefined : { kind: 'outcome', outcome }
}

function withStatistic(
  text: string,
  refer: (statistic: Statistic) => MetricReference,
): MetricReference | undefined {
  const statistic = parseStatistic(text)
  return statistic === undefined ? undefined : refer(statistic)
}

function parseStatistic(text: string): Statistic | undefined {
  if (text === 'min' || text === 'max' || text === 'mean') return { kind: text }
  const percent = /^p(\d{1,2}(?:\.\d{1,6})?)$/.exec(text)?.[1]
  if (percent === undefined || Number(percent) === 0) return undefined
  return { kind: 'quantile', q: quantileOf(percent) }
}

/** `99.9` to 0.999, by moving the decimal point: 99.9 / 100 would be 0.9990000000000001. */
function quantileOf(percent: string): number {
  return Number(`${percent}e-2`)
}

const COMMON_STATISTICS = ['p50', 'p90', 'p95', 'p99', 'p99.9', 'min', 'max', 'mean']

const COMMON_METRICS: readonly string[] = [
  ...OPERATIONS.map((operation) => `${operation}.error`),
  ...OUTCOME_NAMES.map((outcome) => `outcome.${outcome}`),
  'outcome.unserved',
  'execution.failed',
  ...SINGLE_METRICS.keys(),
  ...[
    ...OPERATIONS.flatMap((operation) => REQUEST_TIMES.map((time) => `${operation}.${time}`)),
    'lateness',
    'execution',
    'execution.completed',
    'detectionDelay',
  ].flatMap((family) => COMMON_STATISTICS.map((statistic) => `${family}.${statistic}`)),
]
