/** Compares every metric of two sides. */
import type { Metric } from '../../result/document.ts'
import type { BandPoint } from '../../result/statistics/comparing/bands.ts'
import { holm } from '../../result/statistics/comparing/levels.ts'
import { studentT } from '../../result/statistics/beta.ts'
import {
  areSeparate,
  compareRanks,
  leastRankP,
} from '../../result/statistics/comparing/two-ranks.ts'
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics.ts'
import { FEWEST_RUNS } from './options.ts'
import type { Change, ComparedSide, ShapesCompared, Terms } from './shapes.ts'
import {
  countsOf,
  measuredOf,
  medianOfRuns,
  neverCountsOf,
  shareOverRuns,
  sideOf,
  valuesOf,
} from './side.ts'
import {
  carryOverInflation,
  compareMeans,
  withoutOutlier,
} from '../../result/statistics/comparing/two-means.ts'
import { compareShares } from '../../result/statistics/comparing/two-shares.ts'
import { meanOf } from '../../result/statistics/moments.ts'

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

/** Null for a metric that has no worse direction. */
export function worseWhen(name: string): 'more' | 'less' | null {
  const reference = parseMetric(name)
  switch (reference?.kind) {
    case 'maxInFlight':
    case 'handshakeShare':
    case 'lateness':
      return null
    case 'throughput':
    case 'check':
      return 'less'
    case 'outcome':
      return reference.outcome === 'completed' ? 'less' : 'more'
    default:
      return 'more'
  }
}

function directionOf(name: string, effect: number | null): ShapesCompared['direction'] {
  if (effect === null || effect === 0) return null
  const worse = worseWhen(name)
  if (worse === null) return 'other'
  return effect > 0 === (worse === 'more') ? 'worse' : 'better'
}

type TestReached = number | 'never' | null

/** The result of testing one metric, before adjusting it for the others. */
interface Tested {
  /** The values to which `change` refers, so that the three agree. */
  typical: readonly [base: TestReached, next: TestReached]
  change: Change | null
  p: number | null
  /** The difference on the scale of the test: logarithms, or shares; infinite from or to never. */
  effect: number | null
  error: number | null
  degrees: number | null
  /** Whether all runs of one side are above all of the other. */
  separate: boolean
  equal: boolean | null
  /** Why so few runs, or such values, cannot decide. */
  undecided: ShapesCompared['undecided']
}

type Runs = readonly Metric[]

/** Every run of both sides has a value; `never` is one. */
function testOf(name: string, base: Runs, next: Runs, terms: Terms): Tested {
  const units = new Set([...base, ...next].map(({ unit }) => unit))
  if (units.size > 1) return untested(base, next, 'units')
  if (Math.min(base.length, next.length) === 0) return untested(base, next, 'unmeasured')
  const separate = areSeparate(valuesOf(base), valuesOf(next))
  const tested = { ...chosen(name, base, next, terms), separate }
  if (Math.min(base.length, next.length) < 2) return { ...tested, p: null, undecided: 'one-run' }
  // Runs that resemble the one before are not exchangeable, and separate more easily.
  if (!separate || tested.p === null || terms.carryOver === true) return tested
  return { ...tested, p: Math.min(tested.p, leastRankP(base.length, next.length)) }
}

type Chosen = Omit<Tested, 'separate'>

function chosen(name: string, base: Runs, next: Runs, terms: Terms): Chosen {
  const never = [base, next].filter((runs) => medianOfRuns(runs) === 'never').length
  if (never === 2) return untested(base, next, 'never')
  if (never === 1) return neverTest(name, base, next)
  return base[0]!.unit === 'share' ? shareTest(base, next, terms) : meanTest(base, next, terms)
}

function untested(base: Runs, next: Runs, undecided: ShapesCompared['undecided']): Tested {
  const typical = [medianOfRuns(base), medianOfRuns(next)] as const
  const unknown = { change: null, p: null, effect: null, error: null, degrees: null }
  return { typical, ...unknown, separate: false, equal: null, undecided }
}

function shareTest(base: Runs, next: Runs, terms: Terms): Chosen {
  const found = compareShares(countsOf(base), countsOf(next))
  if (found === null) return untested(base, next, 'unmeasured')
  const { value, low, high, p, error, degrees } = found
  const narrow = compareShares(countsOf(base), countsOf(next), EQUIVALENCE_CONFIDENCE)!
  return {
    typical: [shareOverRuns(base), shareOverRuns(next)],
    change: { difference: value, low, high },
    p,
    effect: value,
    error,
    degrees,
    equal: terms.equivalent === null ? null : isWithin(narrow, terms.smallestDifference),
    undecided: null,
  }
}

/**
 * If most runs of one side alone never came to it, the change has no size. It is proven by how many
 * executions of each side it never came to, which one run alone cannot decide: see `compareShares`.
 */
function neverTest(name: string, base: Runs, next: Runs): Chosen {
  const found = compareShares(neverCountsOf(name, base), neverCountsOf(name, next))
  const effect = medianOfRuns(next) === 'never' ? Infinity : -Infinity
  const agrees = found !== null && Math.sign(found.value) === Math.sign(effect)
  const tested = untested(base, next, 'never')
  return { ...tested, p: agrees ? found.p : 1, effect }
}

/**
 * By Student's test of the logarithms. A run that never came to it counts as the longest of all,
 * which is the least that is certain.
 */
function meanTest(base: Runs, next: Runs, terms: Terms): Chosen {
  const sides = logsOf(base, next)
  const inflation = sides !== null && terms.carryOver === true ? carryOverInflation(...sides) : 1
  const found = sides === null ? null : compareMeans(...sides, { inflation })
  if (sides === null || found === null) return rankTest(base, next, terms)
  const narrow = compareMeans(...sides, { confidence: EQUIVALENCE_CONFIDENCE, inflation })!
  const margin = terms.equivalent === null ? null : Math.log(1 + terms.equivalent)
  return {
    typical: [Math.exp(meanOf(sides[0])), Math.exp(meanOf(sides[1]))],
    change: ratioOf(found),
    p: found.p,
    effect: found.value,
    error: found.error,
    degrees: found.degrees,
    equal: margin === null ? null : isWithin(narrow, margin),
    undecided: moreNever(base, next) ? 'never' : null,
  }
}

/**
 * Natural logarithms, with the only outlier moved towards the others; null if a value has none.
 */
function logsOf(base: Runs, next: Runs): ReturnType<typeof withoutOutlier> | null {
  const [before, after] = reached(base, next).map((side) => side.map(Math.log))
  return [...before!, ...after!].every(Number.isFinite) ? withoutOutlier(before!, after!) : null
}

function moreNever(base: Runs, next: Runs): boolean {
  const [before, after] = [base, next].map(
    (runs) => runs.filter(({ value }) => value === 'never').length / runs.length,
  )
  return after! > before!
}

/**
 * Without any spread, or with values that have no logarithm, only ranks tell; few runs cannot prove
 * anything by them.
 */
function rankTest(base: Runs, next: Runs, terms: Terms): Chosen {
  const [before, after] = reached(base, next)
  const isEqual = new Set([...valuesOf(base), ...valuesOf(next)]).size === 1
  const effect = isEqual ? 0 : effectOf(medianOfRuns(base), medianOfRuns(next))
  const tested = { ...untested(base, next, null), effect }
  if (isEqual) {
    const equal = terms.equivalent === null ? null : before.length >= FEWEST_RUNS
    return { ...tested, change: { ratio: 1, low: null, high: null }, p: 1, equal }
  }
  if (before.length === 1 && after.length === 1) {
    const own = ownDifference(base[0]!, next[0]!)
    return { ...tested, change: own.low === null ? null : ratioOf(own), effect: null }
  }
  if (leastRankP(before.length, after.length) >= terms.level)
    return { ...tested, undecided: 'too-few' }
  const shift = compareRanks(before.map(Math.log), after.map(Math.log))
  const { value = null, low = null, high = null } = shift ?? {}
  const change = value === null ? null : ratioOf({ value, low, high })
  return { ...tested, change, p: rankP(base, next) }
}

/** More than 20 runs per side are so many that their means tell it. */
function rankP(base: Runs, next: Runs): number {
  const found = compareRanks(valuesOf(base), valuesOf(next)) ?? compareMeans(...reached(base, next))
  return found?.p ?? leastRankP(base.length, next.length)
}

/** Values with `never` as the longest of all finite ones, which is the least that is certain. */
function reached(base: Runs, next: Runs): [base: number[], next: number[]] {
  const values = [valuesOf(base), valuesOf(next)] as const
  const longest = Math.max(...values.flat().filter(Number.isFinite))
  const [before, after] = values.map((side) => side.map((value) => Math.min(value, longest)))
  return [before!, after!]
}

/** The logarithm of the ratio; infinite from or to 0, of which there is no share. */
function effectOf(from: TestReached, to: TestReached): number {
  const [before, after] = [Number(from), Number(to)]
  if (before > 0 && after > 0) return Math.log(after / before)
  return before === after ? 0 : (after - before) * Infinity
}

/** Of a difference of logarithms. */
export function ratioOf({ value, low, high }: BandPoint): {
  ratio: number
  low: number | null
  high: number | null
} {
  return {
    ratio: Math.exp(value),
    low: low === null ? null : Math.exp(low),
    high: high === null ? null : Math.exp(high),
  }
}

/**
 * Two one-sided tests of 5 % are equivalent to a 90 % interval that lies within the margin
 * (Schuirmann 1987).
 */
const EQUIVALENCE_CONFIDENCE = 0.9

function isWithin({ low, high }: { low: number; high: number }, margin: number): boolean {
  return low >= -margin && high <= margin
}

type MeasuredValue = Pick<Metric, 'value' | 'low' | 'high'>

/** Of the logarithms of two single runs, with the intervals of the runs themselves. */
export function ownDifference(base: MeasuredValue, next: MeasuredValue): BandPoint {
  const value = Math.log(Number(next.value) / Number(base.value))
  const [first, second] = [ownReach(base), ownReach(next)]
  if (first === null || second === null) return { value, low: null, high: null }
  const reach = Math.hypot(first, second)
  return { value, low: value - reach, high: value + reach }
}

/** Half of the width of its own 95 % interval, of logarithms. */
function ownReach({ low, high }: MeasuredValue): number | null {
  if (typeof low !== 'number' || typeof high !== 'number' || low <= 0) return null
  return Math.log(high / low) / 2
}
