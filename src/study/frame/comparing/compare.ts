/** Finds what changed from the runs of one side to those of the other. */
import type { Sides, StoredResult } from './comparable.ts'
import { distributionsOf } from './curves.ts'
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
    ...distributionsOf(sides),
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

/**
 * Compares the metrics of each tag value. The verdict does not use them, because so many would cost
 * all tests their power.
 */
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
