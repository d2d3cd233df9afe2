/** What changed from the runs of one side to those of the other. */
import { middle } from '../../../analysis/statistics/quantiles.ts'
import type { Sides, StoredResult } from './comparable.ts'
import type { SideMetrics } from './metrics.ts'
import { compareAll } from './metrics.ts'
import type { Changes, ComparedRun, Terms } from './shapes.ts'
import { rankShifts } from './ranks.ts'

/** `judged` names the metrics that `terms.level` covers together. */
export function changesBetween(sides: Sides, judged: readonly string[], terms: Terms): Changes {
  const { base, new: next } = sides
  return {
    base: base.map(told),
    new: next.map(told),
    terms,
    metrics: compareAll(metricsOf(base), metricsOf(next), judged, terms),
    tags: byTag(sides, judged, terms),
    ranks: rankShifts(metricsOf(base), metricsOf(next), judged),
    curve: curveOf(sides),
  }
}

export function metricsOf(side: readonly StoredResult[]): SideMetrics {
  return side.map(({ result }) => result.metrics)
}

function told({ folder, result }: StoredResult): ComparedRun {
  const { id, scenario, engine, target, profile, startedAt, seed } = result.run
  const { arrivals, verdict } = result
  const own = { id, scenario, engine, target, profile, startedAt, seed, arrivals }
  return { folder, ...own, outcome: verdict.outcome }
}

/** The verdict does not rest on them: their number would cost all tests their power. */
function byTag(
  { base, new: next }: Sides,
  judged: readonly string[],
  terms: Terms,
): Changes['tags'] {
  const common = [...tagsOf(base)].filter((tag) => tagsOf(next).has(tag))
  return Object.fromEntries(
    common.map((tag) => {
      const all = compareAll(taggedOf(base, tag), taggedOf(next, tag), [], terms)
      return [tag, judged.flatMap((name) => all.find((each) => each.name === name) ?? [])]
    }),
  )
}

function tagsOf(side: readonly StoredResult[]): ReadonlySet<string> {
  return new Set(side.flatMap(({ result }) => Object.keys(result.tags)))
}

function taggedOf(side: readonly StoredResult[], tag: string): SideMetrics {
  return side.map(({ result }) => result.tags[tag] ?? {})
}

/** The quantiles that every run knows, and how the median of the runs moved. */
function curveOf({ base, new: next }: Sides): Changes['curve'] {
  const known = base[0]?.result.distributions['execution']?.quantiles ?? []
  return known.flatMap(({ q }) => {
    const [baseMs, newMs] = [medianAt(base, q), medianAt(next, q)]
    return baseMs === null || newMs === null ? [] : [{ q, baseMs, newMs }]
  })
}

/** The median of the runs' values at q; null where one of them has none. */
function medianAt(side: readonly StoredResult[], q: number): number | null {
  const values = side.flatMap(({ result }) => {
    const found = result.distributions['execution']?.quantiles.find((each) => each.q === q)
    return found === undefined ? [] : [found.value]
  })
  return values.length < side.length ? null : middle(values.toSorted((a, b) => a - b))
}
