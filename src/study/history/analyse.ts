/** Finds where the judged metrics of a history changed. */
import { formatReach, plural } from '../../analysis/metrics/format.ts'
import type { ChangePoint } from '../../analysis/statistics/repeated/change-points.ts'
import { changePoints } from '../../analysis/statistics/repeated/change-points.ts'
import type { History, HistoryLine } from '../frame/comparing/history.ts'
import { worseWhen } from '../frame/comparing/metrics.ts'
import { rounded } from '../frame/comparing/verdict.ts'
import type { StudyFacts } from '../frame/envelope.ts'
import type { HistoryDocument, Trend, TrendChange } from './document.ts'

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
  return {
    schema: 'crewload/history/1',
    study: 'history',
    ...facts,
    target: path,
    profile: null,
    scenario: scenarios.length === 1 ? scenarios[0]! : null,
    seed: null,
    findings: doubts(scenarios, ignored).map((message) => ({ severity: 'warning', message })),
    verdict: verdictOf(metrics, gates.length),
    gates: gates.length,
    terms,
    metrics,
  }
}

function doubts(scenarios: readonly string[], ignored: number): string[] {
  return [
    ...(scenarios.length > 1
      ? [`the gates are of different scenarios: ${scenarios.join(', ')}; give each its own file`]
      : []),
    ...(ignored > 0 ? [`${plural(ignored, 'line')} of the file could not be read as a gate`] : []),
  ]
}

/** Times are compared by their logarithms, as in a gate. */
function trendOf(
  name: string,
  gates: readonly HistoryLine[],
  terms: HistoryDocument['terms'],
): Trend {
  const unit = gates.find(({ metrics }) => name in metrics)!.metrics[name]!.unit
  const isShare = unit === 'share'
  const points = gates.flatMap(({ id, at, commit, decision, metrics }) => {
    const value = metrics[name]?.value ?? null
    return value === null || (!isShare && value <= 0) ? [] : [{ id, at, commit, decision, value }]
  })
  const values = points.map(({ value }) => (isShare ? value : Math.log(value)))
  const least = isShare ? terms.smallestDifference : Math.log(1 + terms.smallestChange)
  const found = changePoints(values, { level: terms.level, least })
  const changes = found.map((change, i): TrendChange => {
    const [before, now] = [change.before, change.after].map((mean) =>
      isShare ? mean : Math.exp(mean),
    )
    const gateAt = ({ at }: Pick<ChangePoint, 'at'>, back: number): TrendChange['until'] => {
      const { id, at: when, commit } = points[at - back]!
      return { id, at: when, commit }
    }
    return {
      after: gateAt(change, 1),
      until: gateAt(change, 0),
      gates: (found[i + 1]?.at ?? points.length) - change.at,
      before: before!,
      now: now!,
      size: isShare ? now! - before! : now! / before! - 1,
      p: Math.min(1, change.p),
      direction: directionOf(name, now! > before!),
    }
  })
  return { name, unit, points, changes }
}

function directionOf(name: string, rose: boolean): TrendChange['direction'] {
  const worse = worseWhen(name)
  if (worse === null) return 'other'
  return rose === (worse === 'more') ? 'worse' : 'better'
}

function verdictOf(metrics: readonly Trend[], gates: number): HistoryDocument['verdict'] {
  if (gates < FEWEST_GATES) {
    const history = `A history of ${plural(gates, 'gate')}`
    const sentence = `${history} is too short to show changes: ${FEWEST_GATES} are needed.`
    return { outcome: 'too-few', sentence, reasons: [] }
  }
  const [last, ...others] = metrics
    .flatMap((trend) => trend.changes.slice(-1).map((change) => ({ trend, change })))
    .toSorted((a, b) => Date.parse(b.change.until.at) - Date.parse(a.change.until.at))
  if (last === undefined) {
    const sentence = `No judged metric changed over ${plural(gates, 'gate')}.`
    return { outcome: 'steady', sentence, reasons: [] }
  }
  const worse = [last, ...others].filter(({ change }) => change.direction === 'worse')
  const [told = last] = worse
  return {
    outcome: worse.length > 0 ? 'worse' : 'better',
    sentence: `Over ${plural(gates, 'gate')}, ${changeWords(told.trend, told.change)}.`,
    reasons: worse.slice(1).map(({ trend, change }) => ({
      code: 'worse',
      message: changeWords(trend, change),
      remedy: '',
    })),
  }
}

function changeWords({ name, unit }: Trend, change: TrendChange): string {
  const { before, now, after, until, gates } = change
  const ends = `from ${formatReach(before, unit)} to ${formatReach(now, unit)}`
  return (
    `${name} ${sizeWords(unit, change)}, ${ends}, between ${gateWords(after)} and ` +
    `${gateWords(until)}, and has stayed there for ${plural(gates, 'gate')}`
  )
}

/** Formats the size of a change: `rose by 8.1 %`. */
export function sizeWords(unit: Trend['unit'], { size }: TrendChange): string {
  const way = size < 0 ? 'fell' : 'rose'
  return (
    `${way} by ${rounded(Math.abs(100 * size))} ` + (unit === 'share' ? 'percentage points' : '%')
  )
}

const COMMIT_DIGITS = 10

/** Names a gate by its commit, or else by its time. */
export function gateWords({ commit, at }: TrendChange['until']): string {
  return commit === null ? at.slice(0, 16).replace('T', ' ') : commit.slice(0, COMMIT_DIGITS)
}
