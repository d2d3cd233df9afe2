/** Finds where one judged metric of a history changed. */
import { middle } from '../../../../result/statistics/quantiles.ts'
import {
  changePoints,
  FEWEST_VALUES,
} from '../../../../result/statistics/comparing/change-points.ts'
import type { HistoryLine } from '../../history.ts'
import { worseWhen } from '../../metrics.ts'
import type { HistoryDocument, HistoryLevel, Trend, TrendChange } from '../document.ts'

/** Times are compared by their logarithms, as in a gate; `never` is later than any time. */
export function trendOf(
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
