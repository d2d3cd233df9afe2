/** Finds where the judged metrics of a history changed. */
import { formatReach, plural } from '../../../base/numbers.ts'
import type { History, HistoryLine } from '../history.ts'
import { percentOf } from '../verdict.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import { verdictText } from '../../frame/envelope.ts'
import type { FindingRule } from '../../frame/findings.ts'
import { findingsBy, reasonOf } from '../../frame/findings.ts'
import type { HistoryDocument, Trend, TrendChange, HistoryLevel } from './document.ts'
import { FINDINGS, REASONS } from './document.ts'
import { middle } from '../../../result/statistics/quantiles.ts'
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
    target: path,
    profile: null,
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
  ['scenarios-differ', differentScenarios],
  ['lines-ignored', ignoredLines],
  ['gaps', ({ metrics, gates }) => metrics.flatMap((trend) => gapWords(trend, gates))],
]

function differentScenarios({ scenarios }: DoubtedHistory): string | null {
  return scenarios.length > 1
    ? `the gates are of different scenarios (${scenarios.join(', ')})`
    : null
}

function ignoredLines({ ignored }: DoubtedHistory): string | null {
  return ignored > 0 ? `${plural(ignored, 'line')} of the file could not be read as a gate` : null
}

/** Says in which gates a metric has no number, unless a change says it. */
function gapWords({ name, points, changes }: Trend, gates: readonly HistoryLine[]): string[] {
  const of = `of ${plural(points.length, 'gate')}`
  const never = points.filter(({ value }) => value === 'never').length
  const missing = points.filter(({ value }) => value === null).length
  const later = gates.length - 1 - gates.findLastIndex(({ metrics }) => name in metrics)
  return [
    ...(never > 0 && changes.every(({ now, before }) => now !== 'never' && before !== 'never')
      ? [`${name} is never in ${never} ${of}`]
      : []),
    ...(missing > 0 && changes.every(({ now }) => now !== null)
      ? [`${name} has no value in ${missing} ${of}`]
      : []),
    ...(later > 0 ? [`${name} was not judged by the last ${plural(later, 'gate')}`] : []),
  ]
}

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
  const change = changeWords(told!.trend, told!.change)
  return {
    outcome: worse.length > 0 ? 'worse' : better.length > 0 ? 'better' : 'changed',
    ...verdictText(
      `Over ${plural(gates, 'gate')}, ${change}.`,
      failed === 0 ? '' : `${failed} of the gates failed.`,
    ),
    reasons: worse
      .slice(1)
      .map(({ trend, change }) => reasonOf(REASONS, 'worse', changeWords(trend, change))),
  }
}

function changeWords({ name, unit }: Trend, change: TrendChange): string {
  const { before, now, after, until, gates } = change
  const between = `between ${gateWords(after)} and ${gateWords(until)}`
  if (now === null) {
    const last = before === null ? '' : `, after ${formatReach(before, unit)}`
    return `${name} has had no value for ${plural(gates, 'gate')}${last}, since ${gateWords(until)}`
  }
  const ends = before === null ? `: ${formatReach(now, unit)}` : endWords(unit, before, now)
  return (
    `${name} ${sizeWords(unit, change)}${ends}, ${between}, and has stayed there for ` +
    plural(gates, 'gate')
  )
}

function endWords(unit: Trend['unit'], before: number | 'never', now: number | 'never'): string {
  return `, from ${formatReach(before, unit)} to ${formatReach(now, unit)}`
}

/** Formats the size of a change: `rose by 8.1 %`, `rose`, `lost its value`. */
export function sizeWords(unit: Trend['unit'], { size, before, now }: TrendChange): string {
  if (now === null) return 'lost its value'
  if (before === null) return 'has a value again'
  if (size === null)
    return now === 'never' || (before !== 'never' && now > before) ? 'rose' : 'fell'
  return `${size < 0 ? 'fell' : 'rose'} by ${percentOf(unit, Math.abs(size))}`
}

const COMMIT_DIGITS = 10

/** Names a gate by its commit, or else by its time. */
export function gateWords({ commit, at }: TrendChange['until']): string {
  return commit === null ? at.slice(0, 16).replace('T', ' ') : commit.slice(0, COMMIT_DIGITS)
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
  const known = points.flatMap(({ value }) => (value === null ? [] : [rankOf(value)]))
  if (known.length === 0) return null
  const median = middle(known.toSorted((a, b) => a - b))
  return Number.isFinite(median) ? median : 'never'
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
