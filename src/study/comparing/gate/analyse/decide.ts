/** Decides at a look, from the runs of both sides. */
import type { Metric } from '../../../../result/document.ts'
import { studentT } from '../../../../result/statistics/beta.ts'
import {
  carryOverInflation,
  compareMeans,
} from '../../../../result/statistics/comparing/two-means.ts'
import { compareRanks } from '../../../../result/statistics/comparing/two-ranks.ts'
import { compareShares } from '../../../../result/statistics/comparing/two-shares.ts'
import type { SideMetrics } from '../../metrics.ts'
import { compareAll, fewestMore, worseWhen } from '../../metrics.ts'
import { FEWEST_RUNS } from '../../options.ts'
import type { ShapesCompared, Terms } from '../../shapes.ts'
import { countsOf, measuredOf, valuesOf } from '../../side.ts'
import type { Bound, GateTerms } from '../sentences.ts'

export interface Decided {
  /** Null if neither is sure. */
  decision: 'pass' | 'fail' | null
  metrics: ShapesCompared[]
  bounds: Bound[]
}

/**
 * `fail`: a judged metric is worse by the smallest change that counts or more, and that is proven
 * at `level` over all of them (Holm). `pass`: of every judged metric, a regression of the margin or
 * more is excluded, each at `level`, one-sided, and none of the smallest change that counts was
 * seen. Whatever is wrong then passes with a probability of at most `level`, because its own metric
 * must err.
 */
export function decide(
  base: SideMetrics,
  next: SideMetrics,
  judged: readonly string[],
  { level, terms }: { level: number; terms: GateTerms },
): Decided {
  const metrics = compareAll(base, next, judged, termsAt(level, terms))
  const own = judged.map((name) => metrics.find((each) => each.name === name && each.judged))
  const bounds = judged.map((name, i) => {
    const sides = [base, next].map((runs) => measuredOf(runs.flatMap((run) => run[name] ?? [])))
    return boundOf(name, own[i], sides, { level, terms })
  })
  return { decision: decisionOf(metrics, bounds), metrics, bounds }
}

/** The terms of a comparison at one look. */
export function termsAt(level: number, terms: GateTerms): Terms {
  const { smallestChange, smallestDifference, carryOver } = terms
  const own = { smallestChange, smallestDifference, level, equivalent: null }
  return carryOver === true ? { ...own, carryOver } : own
}

function decisionOf(
  metrics: readonly ShapesCompared[],
  bounds: readonly Bound[],
): Decided['decision'] {
  if (metrics.some(({ significant, direction }) => significant && direction === 'worse')) {
    return 'fail'
  }
  return bounds.every(({ excluded }) => excluded) ? 'pass' : null
}

interface At {
  level: number
  terms: GateTerms
}

/** The estimate of how much worse a metric became, on the scale of its test. */
interface Worsening {
  /** The change; positive values are worse. */
  value: number
  /** The upper bound of its interval: larger changes are excluded. */
  high: number
  /** Null without any spread. */
  error: number | null
}

function boundOf(
  name: string,
  compared: ShapesCompared | undefined,
  [base = [], next = []]: readonly (readonly Metric[])[],
  { level, terms }: At,
): Bound {
  if (compared === undefined || isUnmeasured(compared))
    return { name, unit: null, worst: null, excluded: false, moreRuns: null }
  const { unit } = compared
  const isShare = unit === 'share'
  if (isUnchanged(base, next)) return { name, unit, worst: 0, excluded: true, moreRuns: null }
  const found = isShare
    ? shareWorsening(name, base, next, level)
    : timeWorsening(name, base, next, { level, terms })
  if (found === null)
    return { name, unit, worst: null, excluded: false, moreRuns: compared.moreRuns }
  const margin = isShare ? terms.marginDifference : Math.log(1 + terms.margin)
  const least = isShare ? terms.smallestDifference : Math.log(1 + terms.smallestChange)
  const isKnown = compared.undecided !== 'missing' && compared.undecided !== 'never'
  const excluded = isKnown && found.high < margin && found.value < least
  const runs = Math.min(compared.base.runs, compared.new.runs)
  const toExclude = moreToExclude(found, runs, level, margin)
  // If the observed change is the true one, the gate ends by whichever of the two comes first.
  const toProve = found.value >= least ? compared.moreRuns : null
  const moreRuns = leastOf(toExclude, toProve)
  return {
    name,
    unit,
    worst: isShare ? found.high : Math.expm1(found.high),
    excluded,
    moreRuns: excluded ? null : moreRuns,
  }
}

function isUnmeasured({ undecided }: ShapesCompared): boolean {
  return undecided === 'unmeasured' || undecided === 'units'
}

/** Whether every run of both sides measured the same value, like a count that is always 0. */
function isUnchanged(base: readonly Metric[], next: readonly Metric[]): boolean {
  const values = new Set([...base, ...next].map(({ value }) => value))
  return (
    values.size === 1 &&
    typeof [...values][0] === 'number' &&
    Math.min(base.length, next.length) >= FEWEST_RUNS &&
    base[0]?.unit !== 'share'
  )
}

function shareWorsening(
  name: string,
  base: readonly Metric[],
  next: readonly Metric[],
  level: number,
): Worsening | null {
  const found = compareShares(countsOf(base), countsOf(next), 1 - 2 * level)
  return found === null ? null : towardsWorse(name, found)
}

function timeWorsening(
  name: string,
  base: readonly Metric[],
  next: readonly Metric[],
  { level, terms }: At,
): Worsening | null {
  const [before, after] = [base, next].map((runs) => valuesOf(runs).map(Math.log))
  // Nothing bounds a change to `never`, or from or to 0.
  if (![...before!, ...after!].every(Number.isFinite)) return null
  const confidence = 1 - 2 * level
  const inflation = terms.carryOver === true ? carryOverInflation(before!, after!) : 1
  const found = compareMeans(before!, after!, { confidence, inflation })
  if (found !== null) return towardsWorse(name, found)
  const shift = compareRanks(before!, after!, confidence)
  if (shift === null) return null
  const { value, low, high } = shift
  return value === null || low === null || high === null
    ? null
    : towardsWorse(name, { value, low, high, error: null })
}

function towardsWorse(
  name: string,
  { value, low, high, error }: Worsening & { low: number },
): Worsening {
  return worseWhen(name) === 'less' ? { value: -value, high: -low, error } : { value, high, error }
}

function leastOf(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : Math.max(1, Math.min(...known))
}

/**
 * The number of further runs with which the margin would be excluded, if the observed change is the
 * true one: the error falls with the square root of the runs.
 */
function moreToExclude(
  { value, error }: Worsening,
  runs: number,
  level: number,
  margin: number,
): number | null {
  if (error === null) return null
  return fewestMore((more) => {
    const reach = studentT(2 * (runs + more) - 2, 1 - 2 * level)
    return Math.max(0, value) + reach * error * Math.sqrt(runs / (runs + more)) < margin
  })
}
