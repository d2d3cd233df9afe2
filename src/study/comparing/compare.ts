/** Finds what changed from the runs of one side to those of the other. */
import type { ComparedSides, StoredResult } from './comparable.ts'
import type { SideMetrics } from './metrics.ts'
import { compareAll, ownDifference, ratioOf } from './metrics.ts'
import type { Changes, ComparedRun, Terms } from './shapes.ts'
import type { DistributionResult } from '../../result/document.ts'
import type { BandPoint } from '../../result/statistics/comparing/bands.ts'
import { differenceBand, meanBand } from '../../result/statistics/comparing/bands.ts'
import { createRandom } from '../../base/random.ts'

/** `judged` names the metrics that `terms.level` covers together. */
export function changesBetween(
  sides: ComparedSides,
  judged: readonly string[],
  terms: Terms,
): Changes {
  const { base, new: next } = sides
  return {
    base: base.map(comparedRun),
    new: next.map(comparedRun),
    terms,
    metrics: compareAll(metricsOf(base), metricsOf(next), judged, terms),
    tags: byTag(sides, judged, terms),
    ...distributionsOf(sides),
  }
}

export function metricsOf(side: readonly StoredResult[]): SideMetrics {
  return side.map(({ result }) => result.metrics)
}

function comparedRun({ folder, result }: StoredResult): ComparedRun {
  const { id, scenario, engine, place, startedAt, seed } = result.run
  const { arrivals, verdict } = result
  const own = { id, scenario, engine, place, startedAt, seed, arrivals }
  return { folder, ...own, outcome: verdict.outcome }
}

/**
 * Compares the metrics of each tag value. The verdict does not use them, because so many would cost
 * all tests their power.
 */
function byTag(
  { base, new: next }: ComparedSides,
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

type CurveQuantile = DistributionResult['quantiles'][number]
type CurveSide = readonly StoredResult[]

const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const MEDIAN = 0.5
/** The seed of the bands, so that the same runs have the same bands. */
const SEED = 1

/**
 * Compares the whole distribution of the time end to end on both sides, with the run as the unit.
 *
 * Returns typical curves from the median on, and the shift of the deciles; empty without both
 * sides.
 */
function distributionsOf(sides: ComparedSides): Pick<Changes, 'curves' | 'shift'> {
  if (sides.base.length === 0 || sides.new.length === 0) return { curves: [], shift: [] }
  const known = knownToAll([...sides.base, ...sides.new])
  const upper = known.filter((q) => q >= MEDIAN)
  const [base, next] = [typicalCurve(sides.base, upper), typicalCurve(sides.new, upper)]
  return {
    curves: upper.map((q, i) => ({ q, base: base[i]!, new: next[i]! })),
    shift: shiftOf(sides, known),
  }
}

/**
 * The quantiles that all runs know and that are above 0, because times are compared by their
 * logarithms.
 */
function knownToAll(runs: CurveSide): number[] {
  const [first = [], ...others] = runs.map((run) =>
    quantilesOf(run)
      .filter(({ value }) => value > 0)
      .map(({ q }) => q),
  )
  return first.filter((q) => others.every((each) => each.includes(q)))
}

function typicalCurve(side: CurveSide, qs: readonly number[]): Changes['curves'][number]['base'][] {
  if (qs.length === 0) return []
  const [only] = side
  if (side.length === 1) {
    return quantilesAt(only!, qs).map(({ value, low, high }) => ({
      ms: value,
      low,
      high: typeof high === 'number' ? high : null,
    }))
  }
  const random = createRandom(SEED).fork('curve')
  return meanBand(logsAt(side, qs), { normal: () => random.normal() }).map((point) => {
    const { ratio: ms, low, high } = ratioOf(point)
    return { ms, low, high }
  })
}

function shiftOf({ base, new: next }: ComparedSides, known: readonly number[]): Changes['shift'] {
  const qs = DECILES.filter((q) => known.includes(q))
  if (qs.length === 0) return []
  const random = createRandom(SEED).fork('shift')
  const isLonely = base.length === 1 && next.length === 1
  const found = isLonely
    ? ownShift(base[0]!, next[0]!, qs)
    : differenceBand(logsAt(base, qs), logsAt(next, qs), { normal: () => random.normal() })
  return found.map((point, i) => Object.assign({ q: qs[i]! }, ratioOf(point)))
}

/** The shift of each decile between two single runs, with the intervals of the runs themselves. */
function ownShift(base: StoredResult, next: StoredResult, qs: readonly number[]): BandPoint[] {
  const [before, after] = [quantilesAt(base, qs), quantilesAt(next, qs)]
  return after.map((own, i) => {
    return ownDifference(before[i]!, own)
  })
}

function logsAt(side: CurveSide, qs: readonly number[]): number[][] {
  return side.map((run) => quantilesAt(run, qs).map(({ value }) => Math.log(value)))
}

function quantilesAt(run: StoredResult, qs: readonly number[]): CurveQuantile[] {
  return qs.map((wanted) => quantilesOf(run).find(({ q }) => q === wanted)!)
}

function quantilesOf({ result }: StoredResult): readonly CurveQuantile[] {
  return result.distributions['execution']?.quantiles ?? []
}
