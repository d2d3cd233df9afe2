/**
 * The grammar of metric names: what a threshold can bound and `result.json` contains; published by
 * `crewload schema metrics`.
 */
import { assert } from '../../base/assert.ts'
import { OUTCOMES } from '../outcomes.ts'
import { DOCUMENTED_OPERATIONS } from '../../crew/answer.ts'
import type { Statistic, MetricFamily, NameIn, ReferenceTo } from './families.ts'
import { distance } from 'fastest-levenshtein'
import {
  EXECUTION_METRICS,
  PEOPLE_METRICS,
  POLLING_METRICS,
  PUSH_METRICS,
  REQUEST_METRICS,
  TARGET_METRICS,
  USAGE_METRICS,
} from './families.ts'
export type { MetricFamily, MetricUnit, Statistic } from './families.ts'

/** The fields of a reference, without its kind. */
type PatternFields = Record<string, unknown>

interface Slot {
  field: string
  /** Matches the word alone, without a capturing group. */
  word: string
  /** Returns undefined for text that matches but is not such a word. */
  read: (text: string) => unknown
  /** The words shown for it in a list of names. */
  shown: readonly string[]
}

/** The words shown for an open slot in lists of names. */
export interface ShownWords {
  statistics: readonly string[]
  operations: readonly string[]
}

const ALL: ShownWords = {
  statistics: ['p50', 'p90', 'p95', 'p99', 'p99.9', 'min', 'max', 'mean'],
  operations: DOCUMENTED_OPERATIONS,
}

/** Returns a function that parses a name of the pattern; undefined for any other name. */
function readerOf(pattern: string): (name: string) => PatternFields | undefined {
  const { texts, slots } = partsOf(pattern, ALL)
  const groups = slots.map(({ word }) => `(${word})`)
  const source = texts.map((text, at) => literal(text) + (groups[at] ?? '')).join('')
  const whole = new RegExp(`^${source}$`, 's')
  return (name) => {
    const match = whole.exec(name)
    if (match === null) return undefined
    const fields = slots.map(({ field, read }, at) => [field, read(match[at + 1] ?? '')] as const)
    return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields)
  }
}

/** The names of a pattern; none when a slot accepts any text. */
export function namesIn(pattern: string, shown: ShownWords = ALL): string[] {
  const { texts, slots } = partsOf(pattern, shown)
  const [first = '', ...rest] = texts
  return rest.reduce<string[]>(
    (names, text, at) =>
      names.flatMap((name) => (slots[at]?.shown ?? []).map((word) => name + word + text)),
    [first],
  )
}

/** Splits `a.<b>.c` into the texts `a.`, `.c` and the slot between them. */
function partsOf(pattern: string, shown: ShownWords): { texts: string[]; slots: Slot[] } {
  const parts = pattern.split(/<([^<>]+)>/)
  return {
    texts: parts.filter((_, at) => at % 2 === 0),
    slots: parts.filter((_, at) => at % 2 === 1).map((slot) => slotOf(slot, shown)),
  }
}

function slotOf(slot: string, { statistics, operations }: ShownWords): Slot {
  switch (slot) {
    case 'operation':
      return words(slot, DOCUMENTED_OPERATIONS, operations)
    case 'outcome':
      return words(slot, OUTCOMES)
    case 'statistic':
      return { field: slot, word: '[a-z0-9.]+', read: parseStatistic, shown: statistics }
    case 'name':
      return { field: slot, word: '.+', read: (text) => text, shown: [] }
    default:
      return words('which', slot.split('|'))
  }
}

function words(field: string, all: readonly string[], shown = all): Slot {
  return { field, word: all.map(literal).join('|'), read: (text) => text, shown }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

function parseStatistic(text: string): Statistic | undefined {
  if (text === 'min' || text === 'max' || text === 'mean') return { kind: text }
  const percent = /^p(\d{1,2}(?:\.\d{1,6})?)$/.exec(text)?.[1]
  if (percent === undefined || Number(percent) === 0) return undefined
  return { kind: 'quantile', q: quantileOf(percent) }
}

/** `99.9` becomes 0.999 by moving the decimal point: 99.9 / 100 would be 0.9990000000000001. */
function quantileOf(percent: string): number {
  return Number(`${percent}e-2`)
}

const LISTED = [
  ...EXECUTION_METRICS,
  ...REQUEST_METRICS,
  ...POLLING_METRICS,
  ...PEOPLE_METRICS,
  ...PUSH_METRICS,
  ...USAGE_METRICS,
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

/** The metric of a name that is known to be one, such as that of a checked threshold. */
export function metricNamed(name: string): MetricReference {
  const reference = parseMetric(name)
  assert(reference !== undefined, `no metric is named ${name}`)
  return reference
}

/** The family of a name that a document holds; undefined if it is no metric. */
export function familyNamed(name: string): MetricFamily | undefined {
  const reference = parseMetric(name)
  return reference === undefined ? undefined : familyOf(reference)
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
