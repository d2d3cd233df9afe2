/** Finds where the judged metrics of a history changed. */
import { plural } from '../../../base/numbers.ts'
import type { History, HistoryLine } from '../history.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import { verdictText } from '../../frame/envelope.ts'
import type { FactsOf, FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import type { HistoryLevel, TrendChange } from './sentences.ts'
import { FINDINGS, REASONS, trendChangeWords } from './sentences.ts'
import type { HistoryDocument, Trend } from './document.ts'
import { medianOfRuns } from '../side.ts'
import { changePoints, FEWEST_VALUES } from '../../../result/statistics/comparing/change-points.ts'
import { worseWhen } from '../metrics.ts'

/** The fewest gates: three on each side of a change. */
const FEWEST_GATES = 6

export function analyseHistory(
  { gates, ignored }: History,
  { terms, facts, path }: { terms: HistoryDocument['terms']; facts: StudyFacts; path: string },
): HistoryDocument {
  const names = [...new Set(gates.flatMap(({ metrics }) => Object.keys(metrics)))]
  const level = terms.level / Math.max(1, names.length)
  const metrics = names.map((name) => trendOf(name, gates, { ...terms, level }))
  const scenarios = [...new Set(gates.map(({ scenario }) => scenario))]
  const failed = gates.filter(({ decision }) => decision === 'fail').length
  return {
    schema: 'crewload/history/1',
    study: 'history',
    ...facts,
    place: { kind: 'gates', file: path },
    scenario: scenarios.length === 1 ? scenarios[0]! : null,
    seed: null,
    findings: findingsBy(FINDINGS, RULES, { scenarios, ignored, metrics, gates }),
    verdict: verdictOf(metrics, gates.length, failed),
    gates: gates.length,
    failed,
    terms,
    metrics,
  }
}

interface DoubtedHistory extends History {
  scenarios: readonly string[]
  metrics: readonly Trend[]
}

const RULES: readonly FindingRule<typeof FINDINGS, DoubtedHistory>[] = [
  ['scenarios-differ', ({ scenarios }) => (scenarios.length > 1 ? { scenarios } : null)],
  ['lines-ignored', ({ ignored }) => (ignored > 0 ? { lines: ignored } : null)],
  ['never-in-gates', ({ metrics }) => metrics.flatMap((trend) => unsaid(trend, 'never') ?? [])],
  ['no-value-in-gates', ({ metrics }) => metrics.flatMap((trend) => unsaid(trend, null) ?? [])],
  ['not-judged', ({ metrics, gates }) => metrics.flatMap((trend) => left(trend, gates) ?? [])],
]

/** The gates in which a metric has no number, unless a change says it. */
function unsaid({ name, points, changes }: Trend, none: 'never' | null): GapFacts | null {
  const gates = points.filter(({ value }) => value === none).length
  const isSaid = changes.some(
    ({ now, before }) => now === none || (none !== null && before === none),
  )
  return gates === 0 || isSaid ? null : { metric: name, gates, ofGates: points.length }
}

function left({ name }: Trend, all: readonly HistoryLine[]): LeftFacts | null {
  const gates = all.length - 1 - all.findLastIndex(({ metrics }) => name in metrics)
  return gates > 0 ? { metric: name, gates } : null
}

type GapFacts = FactsOf<(typeof FINDINGS)['never-in-gates']>
type LeftFacts = FactsOf<(typeof FINDINGS)['not-judged']>

function verdictOf(
  metrics: readonly Trend[],
  gates: number,
  failed: number,
): HistoryDocument['verdict'] {
  if (gates < FEWEST_GATES) {
    const history = `A history of ${plural(gates, 'gate')}`
    const sentence = `${history} is too short to show changes: ${FEWEST_GATES} are needed.`
    return { outcome: 'too-few', sentence, reasons: [] }
  }
  const changes = metrics
    .flatMap((trend) => trend.changes.slice(-1).map((change) => ({ trend, change })))
    .toSorted((a, b) => Date.parse(b.change.until.at) - Date.parse(a.change.until.at))
  const but = failed === 0 ? '' : `, but ${failed} of them failed`
  if (changes.length === 0) {
    const sentence = `No judged metric changed over ${plural(gates, 'gate')}${but}.`
    return { outcome: 'steady', sentence, reasons: [] }
  }
  const of = (direction: TrendChange['direction']): typeof changes =>
    changes.filter(({ change }) => change.direction === direction)
  const [worse, better] = [of('worse'), of('better')]
  const [told] = [...worse, ...better, ...changes]
  const change = trendChangeWords(factsOf(told!))
  return {
    outcome: worse.length > 0 ? 'worse' : better.length > 0 ? 'better' : 'changed',
    ...verdictText(
      `Over ${plural(gates, 'gate')}, ${change}.`,
      failed === 0 ? '' : `${failed} of the gates failed.`,
    ),
    reasons: worse.slice(1).map((each) => reasonOf(REASONS, 'worse', factsOf(each))),
  }
}

function factsOf({ trend, change }: { trend: Trend; change: TrendChange }) {
  return { metric: trend.name, unit: trend.unit, change }
}

/** Times are compared by their logarithms, as in a gate; `never` is later than any time. */
function trendOf(
  name: string,
  gates: readonly HistoryLine[],
  terms: HistoryDocument['terms'],
): Trend {
  const points = gates.flatMap(({ id, at, commit, decision, metrics }) => {
    const own = metrics[name]
    return own === undefined ? [] : [{ id, at, commit, decision, value: own.value }]
  })
  const { unit } = gates.find(({ metrics }) => name in metrics)!.metrics[name]!
  const trend = { name, unit, points }
  const found = [...levelsIn(trend, terms), ...gapsIn(points)]
  const places = [...new Map(found.map((place) => [place.at, place])).values()]
  places.sort((a, b) => a.at - b.at)
  const ends = [0, ...places.map(({ at }) => at), points.length]
  const changes = places.map((place, i) => {
    const part = { from: ends[i]!, to: ends[i + 2]! }
    return changeAt(place, part, trend)
  })
  return { ...trend, changes }
}

interface TrendPlace {
  /** The index of the first point after the change. */
  at: number
  p: number | null
}

type TrendPoints = Omit<Trend, 'changes'>

/** The places where the level changed, of the points that have a value. */
function levelsIn({ points, unit }: TrendPoints, terms: HistoryDocument['terms']): TrendPlace[] {
  const known = points.flatMap(({ value }, i) => (value === null ? [] : [{ value, i }]))
  const isShare = unit === 'share'
  const values = onScale(
    known.map(({ value }) => (value === 'never' ? Infinity : value)),
    isShare,
  )
  const least = isShare ? terms.smallestDifference : Math.log(1 + terms.smallestChange)
  const found = changePoints(values, { level: terms.level, least })
  return found.map(({ at, p }) => ({ at: known[at]!.i, p: Math.min(1, p) }))
}

/** Logarithms, except for shares; that of 0 is half of the smallest value above it. */
function onScale(values: readonly number[], isShare: boolean): number[] {
  if (isShare) return [...values]
  const smallest = Math.min(...values.filter((value) => value > 0))
  const lowest = Number.isFinite(smallest) ? smallest / 2 : 1
  return values.map((value) => Math.log(Math.max(value, lowest)))
}

/** The places where gates ceased to measure it, and began again; one or two gates are none. */
function gapsIn(points: Trend['points']): TrendPlace[] {
  const places: TrendPlace[] = []
  for (let at = 1; at < points.length; at++) {
    if (points[at]!.value !== null || points[at - 1]!.value === null) continue
    const end = points.findIndex(({ value }, i) => i > at && value !== null)
    const to = end === -1 ? points.length : end
    if (to - at < FEWEST_VALUES) continue
    places.push({ at, p: null })
    if (end !== -1) places.push({ at: end, p: null })
  }
  return places
}

function changeAt(
  { at, p }: TrendPlace,
  { from, to }: { from: number; to: number },
  { name, unit, points }: TrendPoints,
): TrendChange {
  const gateAt = (index: number): TrendChange['until'] => {
    const { id, at: when, commit } = points[index]!
    return { id, at: when, commit }
  }
  const [before, now] = [levelOf(points.slice(from, at)), levelOf(points.slice(at, to))]
  const ends = { after: gateAt(at - 1), until: gateAt(at), gates: to - at }
  return {
    ...ends,
    before,
    now,
    size: sizeOf(before, now, unit),
    p,
    direction: directionOf(name, before, now),
  }
}

/** The median of the values; null if none is known. */
export function levelOf(points: Trend['points']): HistoryLevel {
  return medianOfRuns(points.filter(({ value }) => value !== null))
}

function rankOf(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}

function sizeOf(before: HistoryLevel, now: HistoryLevel, unit: Trend['unit']): number | null {
  if (typeof before !== 'number' || typeof now !== 'number') return null
  if (unit === 'share') return now - before
  return before > 0 ? now / before - 1 : null
}

/** A metric without a value is not known to be good. */
function directionOf(
  name: string,
  before: HistoryLevel,
  now: HistoryLevel,
): TrendChange['direction'] {
  if (now === null) return 'worse'
  const worse = worseWhen(name)
  if (worse === null || before === null) return 'other'
  return rankOf(now) > rankOf(before) === (worse === 'more') ? 'worse' : 'better'
}
