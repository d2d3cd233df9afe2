/** Makes the document of what changed from the runs of one side to those of the other. */
import { distinctCrews } from '../../../execution/record/crew-place.ts'
import type { ComparedSides, StoredResult } from '../comparable.ts'
import { apart, doubts, obstacles, unlikeness } from '../comparable.ts'
import { changesBetween, metricsOf } from '../compare.ts'
import type { Terms, ShapesCompared } from '../shapes.ts'
import { failedBase, reachChangeVerdict } from '../verdict.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { FactsOf } from '../../../result/sentence-tables.ts'
import { findingsBy } from '../../../result/sentence-tables.ts'
import type { ComparisonDocument } from './document.ts'
import { FINDINGS } from './sentences.ts'
import type { Metric } from '../../../result/document.ts'
import { findMetric } from '../../../report/run/sections/waits/rows.ts'
import { compareAll } from '../metrics.ts'
import type { BandPoint } from '../../../result/statistics/comparing/bands.ts'

export function analyseComparison(
  sides: ComparedSides,
  { judged, terms, facts }: { judged: readonly string[]; terms: Terms; facts: StudyFacts },
): ComparisonDocument {
  const { base, new: next } = sides
  const changes = changesBetween(sides, judged, terms)
  const { metrics } = changes
  const { run } = next[0]!.result
  const verdict = reachChangeVerdict({
    metrics,
    obstacles: obstacles(sides),
    terms,
    runs: [base.length, next.length],
    unlike: unlikeness(sides),
    caveat: failedBase(changes),
  })
  const isProven = verdict.outcome === 'regression' || verdict.outcome === 'improvement'
  return {
    schema: 'crewload/comparison/1',
    study: 'comparison',
    ...facts,
    place: run.place,
    scenario: run.scenario,
    seed: null,
    findings: [
      ...doubts(sides),
      ...findingsBy(
        FINDINGS,
        [
          ['sides-apart', () => (isProven ? apart(sides) : null)],
          ['longer-at-load', () => longerAtLoad(sides, terms)],
        ],
        null,
      ),
    ],
    verdict,
    ...changes,
  }
}

/** Loads that differ by less are one load. */
const HIGHER = 1.2

/** Null unless both sides are runs of one crew, and the whole interval is longer. */
export function longerAtLoad(
  { base, new: next }: ComparedSides,
  terms: Terms,
): LongerAtLoad | null {
  const runs = [...base, ...next]
  if (distinctCrews(runs.map(({ result: { run } }) => run.place)).length > 1) return null
  const load = loadRatio(compareAll(metricsOf(base), metricsOf(next), [LOAD], terms))
  if (load === null || (load < HIGHER && load > 1 / HIGHER)) return null
  const work = ratioOf(compareAll(workOf(base), workOf(next), [WORK], terms))
  if (work === null) return null
  const longer = load > 1 ? work : inverse(work)
  const { value, low, high } = longer
  if (low === null || high === null || low <= 1) return null
  const known = runs.filter(({ result }) => result.distributions['queue'] !== undefined).length
  const ledgers = known === runs.length ? 'all' : known === 0 ? 'none' : 'some'
  return { load: Math.max(load, 1 / load), longer: value, low, high, ledgers }
}

type LongerAtLoad = FactsOf<(typeof FINDINGS)['longer-at-load']>

const LOAD = 'throughput.accepted'
const WORK = 'running.p50'

function workOf(side: readonly StoredResult[]): Record<string, Metric>[] {
  return side.map(({ result }) => {
    const metric = findMetric(result, 'running', 'p50')
    return metric === null ? {} : { [WORK]: metric }
  })
}

function loadRatio([compared]: readonly ShapesCompared[]): number | null {
  const [before, after] = [compared!.base.typical, compared!.new.typical]
  return typeof before === 'number' && typeof after === 'number' ? over(after, before) : null
}

/** Of the first; for single runs, within the ends of their own intervals. */
function ratioOf([compared]: readonly ShapesCompared[]): BandPoint | null {
  const { change, base, new: next } = compared!
  if (change === null || !('ratio' in change)) return null
  const { ratio: value, low, high } = change
  if (Math.max(base.runs, next.runs) > 1) return { value, low, high }
  const [least, most] = [over(next.low, base.high), over(next.high, base.low)]
  return { value, low: least, high: most }
}

function over(one: number | null, other: number | null): number | null {
  return one === null || other === null || other === 0 ? null : one / other
}

function inverse({ value, low, high }: BandPoint): BandPoint {
  return { value: 1 / value, low: over(1, high), high: over(1, low) }
}
