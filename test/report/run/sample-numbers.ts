/** The numbers of a sample document, counted from its simulated executions. */
import type {
  BreakdownBar,
  DistributionResult,
  GeneratorCheck,
  Metric,
  SampleExecution,
  ThresholdResult,
} from '../../../src/result/document.ts'
import { OUTCOMES } from '../../../src/execution/record/record.ts'
import type { Outcome, RequestColumns } from '../../../src/execution/record/record.ts'
import { sampleOf } from './sample-executions.ts'
import type { Simulated } from './sample-executions.ts'

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export function outcomesOf(runs: readonly Simulated[]): Record<Outcome, number> {
  const count = (outcome: Outcome): number =>
    runs.filter(({ record }) => record.outcome === outcome).length
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Record<
    Outcome,
    number
  >
}

export function errorCount(runs: readonly Simulated[]): number {
  return sum(runs.map(({ record }) => record.polls.answer.filter((code) => code === 503).length))
}

export function distributionsOf(runs: readonly Simulated[]): Record<string, DistributionResult> {
  const records = runs.map(({ record }) => record)
  return {
    execution: distribution(
      'End to end',
      records.map((record) => record.endedMicros - record.intendedMicros),
    ),
    detectionDelay: distribution(
      'Detection delay',
      runs.map(({ record, trueEndMicros }) => record.endedMicros - trueEndMicros),
    ),
    queue: distribution(
      'Waiting for a worker',
      runs.map(({ queueMicros }) => queueMicros),
    ),
    'kickoff.response': requests(
      'Kickoff response',
      records.map((record) => record.kickoff),
      true,
    ),
    'kickoff.service': requests(
      'Kickoff service',
      records.map((record) => record.kickoff),
      false,
    ),
    'status.response': requests(
      'Status response',
      records.map((record) => record.polls),
      true,
    ),
    'status.service': requests(
      'Status service',
      records.map((record) => record.polls),
      false,
    ),
    lateness: distribution(
      'Lateness',
      records.flatMap((record) => record.kickoff.lateMicros.concat(record.polls.lateMicros)),
    ),
  }
}

function requests(
  title: string,
  columns: readonly RequestColumns[],
  response: boolean,
): DistributionResult {
  const late = (column: RequestColumns, at: number): number =>
    response ? (column.lateMicros[at] ?? 0) + (column.waitMicros[at] ?? 0) : 0
  return distribution(
    title,
    columns.flatMap((column) =>
      column.serviceMicros.map((micros, at) => micros + late(column, at)),
    ),
  )
}

const LEVELS = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999] as const

function distribution(title: string, micros: readonly number[]): DistributionResult {
  const sorted = micros.map((value) => value / 1_000).sort((a, b) => a - b)
  const n = sorted.length
  return {
    title,
    n,
    censored: 0,
    never: 0,
    min: sorted[0] ?? null,
    mean: n === 0 ? null : sum(sorted) / n,
    max: sorted.at(-1) ?? null,
    quantiles: LEVELS.filter((q) => n > 0 && 1 - q >= 1 / n).map((q) => {
      const { value, low, high } = quantile(sorted, q)
      return { q, value: value ?? 0, low, high }
    }),
    ...(n < 20 && { values: sorted }),
    buckets: bucketsOf(sorted),
    clamped: 0,
  }
}

function bucketsOf(sorted: readonly number[]): DistributionResult['buckets'] {
  const edges = Array.from({ length: 70 }, (_, step) => 0.01 * 1.35 ** step)
  return edges
    .slice(1)
    .map((to, at) => ({ from: edges[at] ?? 0, to }))
    .map(({ from, to }) => ({
      from,
      to,
      count: sorted.filter((value) => value >= from && value < to).length,
    }))
    .filter(({ count }) => count > 0)
}

/** By order statistics, the interval by the normal approximation of their ranks. */
export function quantile(
  sorted: readonly number[],
  q: number,
): { value: number | null; low: number | null; high: number | null } {
  const n = sorted.length
  const half = 1.96 * Math.sqrt(n * q * (1 - q))
  return {
    value: sorted[Math.ceil(n * q) - 1] ?? null,
    low: sorted[Math.floor(n * q - half) - 1] ?? null,
    high: sorted[Math.ceil(n * q + half)] ?? null,
  }
}

const NEEDED: Record<string, number> = { p50: 6, p95: 59, p99: 299 }

export function metricsOf(
  distributions: Record<string, DistributionResult>,
  outcomes: Record<Outcome, number>,
  runs: readonly Simulated[],
): Record<string, Metric> {
  const metrics: Record<string, Metric> = {}
  for (const [name, found] of Object.entries(distributions)) {
    for (const [statistic, needed] of Object.entries(NEEDED)) {
      const point = found.quantiles.find(({ q }) => q === Number(`${statistic.slice(1)}e-2`))
      const enough = point !== undefined && found.n >= needed
      metrics[`${name}.${statistic}`] = {
        value: enough ? point.value : null,
        unit: 'ms',
        low: enough ? point.low : null,
        high: enough ? point.high : null,
        n: found.n,
        never: 0,
        needed,
        effective: found.n,
      }
    }
    metrics[`${name}.max`] = plainMetric(found.max, 'ms', found.n)
  }
  const ended = outcomes.completed + outcomes.failed
  metrics['execution.failed'] = shareMetric(outcomes.failed, ended)
  metrics['outcome.failed'] = shareMetric(outcomes.failed, runs.length)
  metrics['outcome.completed'] = shareMetric(outcomes.completed, runs.length)
  metrics['polls.perExecution'] = plainMetric(
    ended === 0 ? null : sum(runs.map(({ record }) => record.polls.answer.length)) / ended,
    'count',
    ended,
  )
  return metrics
}

function plainMetric(value: number | null, unit: Metric['unit'], n: number): Metric {
  return { value, unit, low: null, high: null, n, never: 0, needed: null, effective: null }
}

/** Wilson's interval. */
function shareMetric(count: number, n: number): Metric {
  if (n === 0) return plainMetric(null, 'share', 0)
  const [p, z] = [count / n, 1.96]
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n)
  const half = (z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n)
  return {
    value: p,
    unit: 'share',
    low: Math.max(0, middle - half),
    high: middle + half,
    n,
    never: 0,
    needed: null,
    effective: n,
  }
}

export function thresholdsOf(metrics: Record<string, Metric>): ThresholdResult[] {
  const bounds: [metric: string, text: string, bound: number][] = [
    ['kickoff.response.p95', '< 500ms', 500],
    ['detectionDelay.p95', '< 20s', 20_000],
    ['execution.failed', '< 10%', 0.1],
  ]
  return bounds.map(([metric, text, bound]) => ({
    metric,
    text,
    operator: '<',
    bound,
    status: metrics[metric]?.value == null ? 'undecided' : 'met',
    judged: 'interval',
    source: 'scenario',
    more: null,
    measured: metrics[metric] ?? plainMetric(null, 'ms', 0),
    doubt: null,
    hint: null,
  }))
}

const CHECKS: readonly [
  GeneratorCheck['name'],
  measured: string,
  bound: string,
  meaning: string,
][] = [
  ['lateness', '1.4 ms', '5 ms', 'p99 of intended to sent: the delay that crewload itself added'],
  ['utilisation', '0.04', '0.7', 'event-loop use held for five seconds'],
  ['little', '0.02 %', '5 %', '|L - lambda W| / L: the live counter against the records'],
  ['records', '0 missing', '0 missing', 'every arrival has its record'],
  ['journal', '0 errors', '0 errors', 'every line was written'],
  ['clock', '0 steps', '0 steps', 'the wall clock did not jump'],
]

/** All of them well, but for the one named. */
export function generatorChecks(
  state: 'ok' | 'skipped' = 'ok',
  failed: { name: string; measured: string } | null = null,
): GeneratorCheck[] {
  return CHECKS.map(([name, measured, bound, meaning]) => {
    const ok = failed?.name !== name
    return {
      name,
      measured: ok
        ? state === 'ok'
          ? measured
          : 'not known on this host'
        : (failed?.measured ?? ''),
      bound,
      meaning,
      ok,
      skipped: state === 'skipped',
    }
  })
}

export function breakdownOf(runs: readonly Simulated[]): BreakdownBar[] {
  const sorted = [...runs].sort(
    (a, b) =>
      a.record.endedMicros -
      a.record.intendedMicros -
      (b.record.endedMicros - b.record.intendedMicros),
  )
  return [0.5, 0.95].flatMap((q) => {
    const run = sorted[Math.ceil(q * sorted.length) - 1]
    return run === undefined ? [] : [breakdownBar(`p${q * 100}`, run)]
  })
}

function breakdownBar(at: string, run: Simulated): BreakdownBar {
  const { record, ledger } = run
  const tasks = ledger.tasks.map(({ task_id: name, execution_time: seconds }) => ({
    name,
    ms: seconds * 1_000,
    source: 'ledger' as const,
  }))
  const kickoffMs = ((record.acceptedMicros ?? 0) - record.intendedMicros) / 1_000
  const detection = (record.endedMicros - run.trueEndMicros) / 1_000
  return {
    at,
    totalMs: (record.endedMicros - record.intendedMicros) / 1_000,
    parts: [
      { name: 'kickoff', ms: kickoffMs, source: 'measured' },
      { name: 'queue', ms: run.queueMicros / 1_000, source: 'ledger' },
      ...tasks,
      { name: 'detection', ms: detection, source: 'ledger' },
    ],
  }
}

export function samplesOf(runs: readonly Simulated[]): SampleExecution[] {
  const slowest = runs.toSorted(
    (a, b) =>
      b.record.endedMicros -
      b.record.intendedMicros -
      (a.record.endedMicros - a.record.intendedMicros),
  )
  const failed = runs.filter(({ record }) => record.outcome === 'failed')
  const some = runs.filter((_, index) => index % 97 === 5)
  return [
    ...slowest.slice(0, 3).map((run) => sampleOf(run, 'slowest')),
    ...failed.slice(0, 3).map((run) => sampleOf(run, 'failed')),
    ...some.slice(0, 3).map((run) => sampleOf(run, 'random')),
  ]
}
