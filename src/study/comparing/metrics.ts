/** Compares every metric of two sides. */
import type { Metric } from '../../result/document.ts'
import { holm } from '../../result/statistics/comparing/levels.ts'
import { studentT } from '../../result/statistics/distributions.ts'
import { leastRankP } from '../../result/statistics/comparing/two-ranks.ts'
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics.ts'
import { FEWEST_RUNS } from './options.ts'
import type { ShapesCompared, ComparedSide, Terms } from './shapes.ts'
import { measuredOf, sideOf } from './side.ts'
import type { Tested } from './tested.ts'
import { testOf } from './tested.ts'

/** The metrics of each run of a side. */
export type SideMetrics = readonly Readonly<Record<string, Metric>>[]

/**
 * Compares all metrics, the judged ones first, in their order. `p` of the judged ones is adjusted
 * for the number of those that both sides measured. Other metrics are left out if a side did not
 * measure them.
 */
export function compareAll(
  base: SideMetrics,
  next: SideMetrics,
  judged: readonly string[],
  terms: Terms,
): ShapesCompared[] {
  const names = new Set([...judged, ...[...base, ...next].flatMap((run) => Object.keys(run))])
  const all = [...names].flatMap((name) => testIn(name, base, next, terms) ?? [])
  const tests = all.filter(({ name, runs }) => runs > 0 || judged.includes(name))
  const decisive = tests.filter(({ name, runs }) => runs > 0 && judged.includes(name))
  const adjusted = holm(decisive.map(({ p }) => p ?? 1))
  const level = terms.level / Math.max(1, decisive.filter(({ p }) => p !== null).length)
  return tests.map((test) => {
    const isJudged = judged.includes(test.name)
    return finished(test, { isJudged, p: adjusted[decisive.indexOf(test)] }, level, terms)
  })
}

interface Test extends Tested, Pick<ShapesCompared, 'name' | 'unit'> {
  base: Omit<ComparedSide, 'typical'>
  new: Omit<ComparedSide, 'typical'>
  /** The number of runs of the side that has fewer. */
  runs: number
  /** Whether more runs of the new side lack a value than of the base. */
  isMissing: boolean
}

function testIn(
  name: string,
  base: SideMetrics,
  next: SideMetrics,
  terms: Terms,
): Test | undefined {
  const [first, second] = [base, next].map((runs) => runs.flatMap((run) => run[name] ?? []))
  const unit = [...first!, ...second!][0]?.unit ?? unitOf(name)
  if (unit === undefined || unit === 'flag') return undefined
  const [before, after] = [measuredOf(first!), measuredOf(second!)]
  const runs = Math.min(before.length, after.length)
  const sides = { base: sideOf(before), new: sideOf(after) }
  const isMissing = after.length / next.length < before.length / base.length
  return { name, unit, ...sides, runs, isMissing, ...testOf(name, before, after, terms) }
}

/** The unit that a metric has by its name; undefined for an unknown name. */
function unitOf(name: string): ShapesCompared['unit'] | undefined {
  const reference = parseMetric(name)
  if (reference === undefined) return undefined
  const { unit } = familyOf(reference)
  return unit === 'micros' ? 'ms' : unit
}

/** The result with an adjusted `p`, if there is one. */
function finished(
  test: Test,
  { isJudged: judged, p: adjusted }: { isJudged: boolean; p: number | undefined },
  level: number,
  terms: Terms,
): ShapesCompared {
  const { name, unit, change, equal, effect, typical } = test
  const p = test.p === null ? null : (adjusted ?? test.p)
  const least = unit === 'share' ? terms.smallestDifference : Math.log(1 + terms.smallestChange)
  const counts = effect !== null && Math.abs(effect) >= least
  const significant = judged && p !== null && p < terms.level && counts
  const direction = directionOf(name, effect)
  const isWorse = direction === 'worse'
  const undecided = significant && isWorse ? null : undecidedBy(test, isWorse && counts)
  return {
    name,
    unit,
    judged,
    base: { ...test.base, typical: typical[0] },
    new: { ...test.new, typical: typical[1] },
    change,
    p,
    significant,
    direction,
    equal: terms.equivalent === null ? null : equal === true,
    undecided,
    detectable: detectableBy(test, level),
    moreRuns: significant ? null : moreRuns(test, level, { least, undecided }),
  }
}

/** Where all new runs are worse than all of the base, too few runs are no excuse. */
function undecidedBy(
  { undecided, isMissing, separate }: Test,
  isWorse: boolean,
): ShapesCompared['undecided'] {
  if (undecided !== null) return undecided
  if (isMissing) return 'missing'
  return separate && isWorse ? 'too-few' : null
}

/**
 * In four of five cases, a normal variable exceeds its mean minus this many standard deviations.
 */
const POWER_80 = 0.8416

/**
 * The smallest change that the first step of Holm's procedure would find in four of five
 * comparisons.
 */
function detectableBy({ unit, error, degrees, p }: Test, level: number): number | null {
  if (error === null || degrees === null || p === null) return null
  return unit === 'share' ? reachOf(error, degrees, level) : detectableAt(error, degrees, level)
}

/** The change of a time, as a share, that is found at the level in four of five cases. */
export function detectableAt(error: number, degrees: number, level: number): number {
  return Math.expm1(reachOf(error, degrees, level))
}

function reachOf(error: number, degrees: number, level: number): number {
  return (studentT(degrees, 1 - level) + POWER_80) * error
}

/** Nobody makes more runs than this; longer runs help then. */
const MOST_RUNS = 1_000

/**
 * The number of further runs that would prove the change. The error falls with the square root of
 * the number of runs.
 */
function moreRuns(
  { runs, effect, error, p }: Test,
  level: number,
  { least, undecided }: { least: number; undecided: ShapesCompared['undecided'] },
): number | null {
  if (runs > 0 && runs < FEWEST_RUNS && p === null) return FEWEST_RUNS - runs
  if (undecided === 'too-few') {
    return fewestMore((more) => leastRankP(runs + more, runs + more) < level)
  }
  if (effect === null || error === null || p === null) return null
  const wanted = Math.max(Math.abs(effect), least)
  return fewestMore((more) => {
    const reach = studentT(2 * (runs + more) - 2, 1 - level) + POWER_80
    return reach * error * Math.sqrt(runs / (runs + more)) <= wanted
  })
}

/** The smallest number that suffices, if each further run helps; null if 1,000 do not suffice. */
export function fewestMore(suffices: (more: number) => boolean): number | null {
  if (suffices(0)) return 0
  if (!suffices(MOST_RUNS)) return null
  let [tooFew, enough] = [0, MOST_RUNS]
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2)
    if (suffices(middle)) enough = middle
    else tooFew = middle
  }
  return enough
}

const BETTER_HIGH = /^(?:throughput\.|checks\.|outcome\.completed$)/
const NEITHER = /^(?:inFlight\.|connections\.|lateness\.)/

/** Null for a metric that has no worse direction. */
export function worseWhen(name: string): 'more' | 'less' | null {
  if (NEITHER.test(name)) return null
  return BETTER_HIGH.test(name) ? 'less' : 'more'
}

function directionOf(name: string, effect: number | null): ShapesCompared['direction'] {
  if (effect === null || effect === 0) return null
  const worse = worseWhen(name)
  if (worse === null) return 'other'
  return effect > 0 === (worse === 'more') ? 'worse' : 'better'
}
