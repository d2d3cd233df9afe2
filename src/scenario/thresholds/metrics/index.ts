/**
 * The grammar of metric names: what a threshold can bound and `result.json` contains; published by
 * `crewload schema metrics`.
 */
import { distance } from 'fastest-levenshtein'
import { EXECUTION_METRICS } from './executions.ts'
import type { MetricFamily, NameIn, ReferenceTo } from './family.ts'
import { namesIn, readerOf } from './pattern.ts'
import { POLLING_METRICS } from './polling.ts'
import { REQUEST_METRICS } from './requests.ts'
import { TARGET_METRICS } from './target.ts'

export type { MetricFamily, MetricUnit, Statistic } from './family.ts'

const LISTED = [
  ...EXECUTION_METRICS,
  ...REQUEST_METRICS,
  ...POLLING_METRICS,
  ...TARGET_METRICS,
] as const

type Listed = (typeof LISTED)[number]

/** A name that several patterns match belongs to the first of their families. */
export const METRIC_FAMILIES: readonly (MetricFamily & { kind: Listed['kind'] })[] = LISTED

/** A metric that a threshold can bound; `crewload schema metrics` prints the grammar. */
export type MetricName = NameIn<Listed['pattern']>

/** The parsed form of a metric name. */
export type MetricReference = ReferenceTo<Listed>

const READERS = LISTED.map(({ kind, pattern }) => ({ kind, read: readerOf(pattern) }))

/** Parses a name of the grammar; undefined for any other. */
export function parseMetric(name: string): MetricReference | undefined {
  for (const { kind, read } of READERS) {
    const fields = read(name)
    // The types of the fields are derived from the same pattern.
    if (fields !== undefined) return { kind, ...fields } as MetricReference
  }
  return undefined
}

const FAMILY_BY_KIND = Object.fromEntries(LISTED.map((family) => [family.kind, family])) as Record<
  MetricReference['kind'],
  MetricFamily
>

/** The family of a reference: its unit, meaning and clock. */
export function familyOf({ kind }: Pick<MetricReference, 'kind'>): MetricFamily {
  return FAMILY_BY_KIND[kind]
}

/** Up to `count` known names, closest first, for a name that `parseMetric` does not know. */
export function nearestMetrics(name: string, count = 3): string[] {
  return COMMON_METRICS.map((metric) => ({ metric, far: farFrom(name, metric) }))
    .filter(({ far }) => far <= Math.max(4, Math.floor(name.length / 2)))
    .sort((a, b) => a.far - b.far)
    .slice(0, count)
    .map(({ metric }) => metric)
}

/** A shortened word is as near as its other letters: `exec.p95` is `execution.p95`. */
function farFrom(name: string, metric: string): number {
  const [words, full] = [name.split('.'), metric.split('.')]
  const isShort =
    words.length === full.length && words.every((word, i) => full[i]?.startsWith(word))
  return isShort ? 1 : distance(name, metric)
}

const COMMON_METRICS = [...new Set(LISTED.flatMap(({ pattern }) => namesIn(pattern)))]
