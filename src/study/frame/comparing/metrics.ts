/** Compares every metric of two sides. */
import type { Metric } from '../../../analysis/document.ts'
import { carryOverInflation } from '../../../analysis/statistics/comparing/carry-over.ts'
import { holm } from '../../../analysis/statistics/comparing/holm.ts'
import { studentT } from '../../../analysis/statistics/distributions/student.ts'
import { compareMeans } from '../../../analysis/statistics/comparing/two-means.ts'
import { compareShares } from '../../../analysis/statistics/comparing/two-shares.ts'
import type { Change, Compared, Terms } from './shapes.ts'
import { countsOf, logsOf, sideOf } from './side.ts'

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
): Compared[] {
  const names = new Set([...judged, ...[...base, ...next].flatMap((run) => Object.keys(run))])
  const all = [...names].flatMap((name) => testOf(name, base, next, terms) ?? [])
  const tests = all.filter(({ name, runs }) => runs > 0 || judged.includes(name))
  const decisive = tests.filter(({ name, runs }) => runs > 0 && judged.includes(name))
  const adjusted = holm(decisive.map(({ p }) => p ?? 1))
  const level = terms.level / Math.max(1, decisive.filter(({ p }) => p !== null).length)
  return tests.map((test) => {
    const isJudged = judged.includes(test.name)
    return finished(test, { isJudged, p: adjusted[decisive.indexOf(test)] }, level, terms)
  })
}

/** The result of testing one metric, before adjusting it for the others. */
interface Test extends Pick<Compared, 'name' | 'unit' | 'base' | 'new' | 'change' | 'p'> {
  /** The difference on the scale of the test: logarithms, or shares. */
  effect: number | null
  error: number | null
  degrees: number | null
  /** The number of runs of the side that has fewer. */
  runs: number
  equal: boolean | null
}

function testOf(
  name: string,
  base: SideMetrics,
  next: SideMetrics,
  terms: Terms,
): Test | undefined {
  const sides = [base, next].map((runs) => runs.flatMap((run) => run[name] ?? []))
  const [first = [], second = []] = sides
  const unit = [...first, ...second][0]?.unit
  if (unit === undefined || unit === 'flag') return undefined
  const own = { name, unit, base: sideOf(first), new: sideOf(second) }
  const runs = Math.min(own.base.runs, own.new.runs)
  if (runs === 0) return { ...own, ...UNTESTED, runs }
  const tested = unit === 'share' ? shareTest(first, second, terms) : meanTest(first, second, terms)
  return { ...own, ...tested, runs }
}

type Tested = Pick<Test, 'change' | 'p' | 'effect' | 'error' | 'degrees' | 'equal'>

const UNTESTED: Tested = {
  change: null,
  p: null,
  effect: null,
  error: null,
  degrees: null,
  equal: null,
}

function shareTest(first: readonly Metric[], second: readonly Metric[], terms: Terms): Tested {
  const [base, next] = [countsOf(first), countsOf(second)]
  const found = compareShares(base, next)
  if (found === null) return UNTESTED
  const { value, low, high, p, error, degrees } = found
  const narrow = compareShares(base, next, EQUIVALENCE_CONFIDENCE)!
  const change = { difference: value, low, high }
  const equal = terms.equivalent === null ? null : isWithin(narrow, terms.smallestDifference)
  // One run shows nothing about how runs differ.
  return { change, p: both(first, second) ? p : null, effect: value, error, degrees, equal }
}

function meanTest(first: readonly Metric[], second: readonly Metric[], terms: Terms): Tested {
  const [base, next] = [logsOf(first), logsOf(second)]
  if (base === null || next === null) return UNTESTED
  const inflation = terms.carryOver === true ? carryOverInflation(base, next) : 1
  const found = compareMeans(base, next, { inflation })
  if (found === null) return { ...UNTESTED, change: unproven(base, next, [first, second]) }
  const { value, low, high, p, error, degrees } = found
  const change = { ratio: Math.exp(value), low: Math.exp(low), high: Math.exp(high) }
  const narrow = compareMeans(base, next, { confidence: EQUIVALENCE_CONFIDENCE, inflation })!
  const margin = terms.equivalent === null ? null : Math.log(1 + terms.equivalent)
  return {
    change,
    p,
    effect: value,
    error,
    degrees,
    equal: margin === null ? null : isWithin(narrow, margin),
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

function both(first: readonly Metric[], second: readonly Metric[]): boolean {
  return first.length > 1 && second.length > 1
}

/** The change between two single runs, with the intervals of the runs themselves. */
function unproven(
  [base]: readonly number[],
  [next]: readonly number[],
  sides: readonly (readonly Metric[])[],
): Change | null {
  if (base === undefined || next === undefined) return null
  if (sides.some((runs) => runs.length !== 1)) return null
  const reaches = sides.map(([run]) => ownReach(run!))
  if (reaches.includes(null)) return null
  const reach = Math.hypot(...(reaches as number[]))
  const value = next - base
  return { ratio: Math.exp(value), low: Math.exp(value - reach), high: Math.exp(value + reach) }
}

/** Half of the width of its own 95 % interval, of logarithms. */
function ownReach({ low, high }: Metric): number | null {
  if (typeof low !== 'number' || typeof high !== 'number' || low <= 0) return null
  return Math.log(high / low) / 2
}

/** The result with an adjusted `p`, if there is one. */
function finished(
  test: Test,
  { isJudged: judged, p: adjusted }: { isJudged: boolean; p: number | undefined },
  level: number,
  terms: Terms,
): Compared {
  const { name, unit, base, new: next, change, equal, effect } = test
  const p = test.p === null ? null : (adjusted ?? test.p)
  const least = unit === 'share' ? terms.smallestDifference : Math.log(1 + terms.smallestChange)
  const counts = effect !== null && Math.abs(effect) >= least
  const significant = judged && p !== null && p < terms.level && counts
  return {
    name,
    unit,
    judged,
    base,
    new: next,
    change,
    p,
    significant,
    direction: directionOf(name, effect),
    equal: terms.equivalent === null ? null : equal === true,
    detectable: detectableBy(test, level),
    moreRuns: significant ? null : moreRuns(test, level, least),
  }
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
  const reach = (studentT(degrees, 1 - level) + POWER_80) * error
  return unit === 'share' ? reach : Math.expm1(reach)
}

/** Nobody makes more runs than this; longer runs help then. */
const MOST_RUNS = 1_000
/** With fewer runs, their spread is not known well enough to be reported. */
const FEWEST_RUNS = 3

/**
 * The number of further runs that would prove the change. The error falls with the square root of
 * the number of runs.
 */
function moreRuns({ runs, effect, error, p }: Test, level: number, least: number): number | null {
  if (effect === null || error === null || p === null) {
    return runs > 0 && runs < FEWEST_RUNS ? FEWEST_RUNS - runs : null
  }
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

function directionOf(name: string, effect: number | null): Compared['direction'] {
  if (effect === null || effect === 0) return null
  const worse = worseWhen(name)
  if (worse === null) return 'other'
  return effect > 0 === (worse === 'more') ? 'worse' : 'better'
}
