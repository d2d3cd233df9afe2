/** The rows of users' waits and their notes: what terminal and Markdown show. */
import { TIMED_METRICS } from '../../../../result/metrics/distributions.ts'
import type { MetricReference } from '../../../../scenario/thresholds/metrics.ts'
import type { Metric, ResultDocument } from '../../../../result/document.ts'
import { formatCount, formatInterval, formatMs, NOTHING } from '../../../../base/numbers.ts'
import { formatMetric, isTooFew, neverNote } from '../../../../result/metrics/sentences.ts'
import { neededFor } from '../../../../result/statistics/quantiles.ts'
import { groupedBy } from '../../../../base/collections/counts.ts'

export const STATISTICS = ['p50', 'p95', 'p99', 'max'] as const
export type WaitsStatistic = (typeof STATISTICS)[number]

export interface WaitRow {
  label: string
  /** The prefix in the metric grammar. */
  metric: string
  /** Whether the wait is part of the row above, and so indented. */
  part: boolean
  note: string | null
  cells: Record<WaitsStatistic, Metric | null>
}

const WAITS: readonly Omit<WaitRow, 'cells' | 'note'>[] = [
  { label: 'end to end', metric: 'execution', part: false },
  { label: 'waiting for a worker', metric: 'queue', part: true },
  { label: 'waiting for a quota', metric: 'quota', part: true },
  { label: 'slowed by each other', metric: 'slowed', part: true },
  { label: 'own work', metric: 'own', part: true },
  { label: 'running', metric: 'running', part: true },
  { label: 'detection delay', metric: 'detectionDelay', part: true },
  { label: 'kickoff response', metric: 'kickoff.response', part: false },
  { label: 'status response', metric: 'status.response', part: false },
]

/** The distribution of that name in words, with its source where there are several. */
export function waitLabel(name: string, { ledger, polling }: ResultDocument): string {
  if (name === 'detectionDelay') {
    const isTrue = polling.detectionSource === 'ledger'
    return `detection delay, ${isTrue ? 'by the ledger' : 'upper bound by polls'}`
  }
  if (name === 'running' && ledger === null) return 'running, as the crew reports'
  return WAITS.find(({ metric }) => metric === name)?.label ?? OTHER_LABELS[name] ?? name
}

const OTHER_LABELS: Record<string, string> = {
  'execution.completed': 'end to end, completed',
  'kickoff.service': 'kickoff service',
  'status.service': 'status service',
  'kickoff.socketWait': 'kickoff socket wait',
  'status.socketWait': 'status socket wait',
  lateness: 'lateness of the generator',
  'retry.wait': 'waiting before retries',
}

/** Returns one row per wait. Rows without data are omitted, except end to end. */
export function waitRows(document: ResultDocument): WaitRow[] {
  return WAITS.map(({ label, metric, part }) => ({
    label,
    metric,
    part,
    note: waitNote(document, metric),
    cells: waitCells(document, metric),
  })).filter(
    ({ metric, cells }) =>
      metric === 'execution' ||
      (STATISTICS.some((statistic) => (cells[statistic]?.n ?? 0) > 0) &&
        // The ledger says of what it consists.
        !(metric === 'running' && document.distributions['own'] !== undefined)),
  )
}

function waitCells(document: ResultDocument, prefix: string): WaitRow['cells'] {
  return {
    p50: findMetric(document, prefix, 'p50'),
    p95: findMetric(document, prefix, 'p95'),
    p99: findMetric(document, prefix, 'p99'),
    max: findMetric(document, prefix, 'max'),
  }
}

/**
 * The metric with that name; when the metrics lack it, its value in the distribution of that name.
 */
export function findMetric(
  document: Pick<ResultDocument, 'metrics' | 'distributions'>,
  prefix: string,
  statistic: WaitsStatistic,
): Metric | null {
  const metric = document.metrics[`${prefix}.${statistic}`]
  if (metric !== undefined) return metric
  const distribution = document.distributions[prefix]
  if (distribution === undefined) return null
  const { n, max } = distribution
  const rest = { n, never: distribution.never, effective: null }
  if (statistic === 'max') {
    return { value: max, unit: 'ms', low: null, high: null, needed: null, ...rest }
  }
  const q = QUANTILES[statistic]
  const point = distribution.quantiles.find((each) => each.q === q)
  const { value, low, high } = point ?? { value: null, low: null, high: null }
  return { value, unit: 'ms', low, high, needed: neededFor(q), ...rest }
}

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

export function metricText(metric: Metric | null): string {
  return metric === null ? NOTHING : formatMetric(metric)
}

/** The kind of the metrics of a distribution; undefined where none is never. */
function kindOf(distribution: string): MetricReference['kind'] | undefined {
  return Object.entries(TIMED_METRICS).find(([name]) => name === distribution)?.[1].kind
}

const SHARED: ReadonlySet<string> = new Set(['quota', 'slowed', 'own'])

function waitNote(document: ResultDocument, metric: string): string | null {
  const { censored = 0, never = 0, n = 0 } = document.distributions[metric] ?? {}
  const unserved = never === 0 ? null : neverNote({ n, never }, kindOf(metric))
  if (metric === 'execution' || metric === 'kickoff.response') {
    const left = censored === 0 ? null : `${formatCount(censored)} unfinished, counted as censored`
    return [unserved, left].filter((part) => part !== null).join('; ') || null
  }
  if (metric === 'queue') return 'from the ledger'
  if (metric === 'running') {
    return document.distributions['queue'] === undefined ? 'as the crew reports' : null
  }
  if (SHARED.has(metric)) return 'completed executions, from the ledger'
  if (metric !== 'detectionDelay') return null
  const source =
    document.polling.detectionSource === 'ledger'
      ? 'from the ledger'
      : 'an upper bound: between two polls'
  return never === 0
    ? source
    : `${formatCount(never)} of ${formatCount(n)} never learned of an end; ${source}`
}

/** `95 % interval of p95: 195 to 230 s`, as a cell; null when there is none. */
export function intervalOf(row: WaitRow, statistic: WaitsStatistic): string | null {
  const metric = row.cells[statistic]
  return metric === null ? null : formatInterval(metric, metric.unit)
}

/** Which samples are missing stands in a note. */
export function shortCell(metric: Metric | null): string {
  return metric !== null && isTooFew(metric) ? 'too few' : metricText(metric)
}

/** What a reader of the rows must know, one sentence each. */
export function waitNotes(document: ResultDocument): string[] {
  const rows = waitRows(document)
  const values = document.distributions['execution']?.values ?? []
  return [
    ...(values.length === 0
      ? []
      : [`end to end, each: ${values.map((value) => formatMs(value)).join(', ')}`]),
    ...grouped(rows, missingNote),
    ...(rows.some(({ part }) => part)
      ? ['each row has its own quantiles, so the parts do not add up to end to end']
      : []),
    ...grouped(rows, ({ note }) => note),
  ]
}

/** `too few for p95, p99 (12 of 59, 299 needed)`. */
function missingNote({ cells }: WaitRow): string | null {
  const missing = STATISTICS.flatMap((name) => {
    const metric = cells[name]
    return metric !== null && isTooFew(metric) ? [{ name, ...metric }] : []
  })
  const [first] = missing
  if (first === undefined) return null
  const names = missing.map(({ name }) => name).join(', ')
  return `too few for ${names} (${first.n} of ${missing.map(({ needed }) => needed).join(', ')} needed)`
}

/** Groups the rows by their note: `waiting for a worker, detection delay: from the ledger`. */
function grouped(rows: readonly WaitRow[], noteOf: (row: WaitRow) => string | null): string[] {
  return groupedBy(rows, noteOf).flatMap(([note, group]) => {
    if (note === null) return []
    const names = group.map(({ label }) => label).join(', ')
    return group.length === rows.length ? `all: ${note}` : `${names}: ${note}`
  })
}
