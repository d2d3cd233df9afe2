/**
 * Finds the knee of a ladder as a range: the fewest connections that may, and that surely do, reach
 * 95 % of the highest throughput.
 */
import type { Quantity } from '../../../result/document.ts'
import { studentT } from '../../../result/statistics/distributions/student.ts'
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import type { SaturationVisit } from '../document.ts'
import { countingVisits } from './rung.ts'

/** A rung reaches another one from this share of its throughput on. */
export const PLATEAU_SHARE = 0.95

export interface KneeRange {
  /** Null only without a rung that counts. */
  from: number | null
  /** Null when no rung surely reaches all others. */
  to: number | null
}

/**
 * Rungs are compared in pairs, by ln(a / b) within each pass, so that a machine that is slower in
 * one pass than in another changes both sides alike. A rung may reach the highest unless another
 * one is surely further above it; it surely reaches it if it surely reaches every other: multiple
 * comparisons with the best (Hsu, "Simultaneous confidence intervals for all distances from the
 * 'best'", Annals of Statistics 9(5), 1981). `connections`: the rungs that count, in rising order.
 */
export function kneeRange(
  visits: readonly SaturationVisit[],
  connections: readonly number[],
): KneeRange {
  const rungs = connections.map((each) => ({
    connections: each,
    passes: passesOf(visits, each),
  }))
  const bound = Math.log(PLATEAU_SHARE)
  const first = (reaches: (ratio: Ends) => boolean): number | null =>
    rungs.find((rung) =>
      rungs.every((other) => other === rung || reaches(logRatio(rung.passes, other.passes))),
    )?.connections ?? null
  return {
    from: first(({ high }) => high >= bound),
    to: first(({ low }) => low >= bound),
  }
}

/** Whether the rung of `connections` surely brings less than that of `other`. */
export function isSurelyBelow(
  visits: readonly SaturationVisit[],
  connections: number,
  other: number,
): boolean {
  return logRatio(passesOf(visits, connections), passesOf(visits, other)).high < 0
}

type Passes = ReadonlyMap<number, Quantity>

/** The throughput of one rung in each pass in which its visit counts. */
function passesOf(visits: readonly SaturationVisit[], connections: number): Passes {
  const own = visits.filter((visit) => visit.connections === connections)
  return new Map(countingVisits(own).map(({ pass, throughput }) => [pass, throughput]))
}

interface Ends {
  low: number
  high: number
}

/** Each end is a claim of its own, with 95 % confidence: both together have 90 %. */
const BOTH_ENDS = 0.9

/**
 * The t-interval over the passes that both rungs have; of a single pass, from the intervals of both
 * visits. Without a common pass nothing is sure.
 */
function logRatio(a: Passes, b: Passes): Ends {
  const common = [...a.keys()].filter((pass) => b.has(pass))
  const ratios = common.map((pass) => Math.log(rateOf(a.get(pass)) / rateOf(b.get(pass))))
  const n = ratios.length
  if (n === 0) return { low: -Infinity, high: Infinity }
  const half =
    n === 1
      ? Math.hypot(...[a, b].map((passes) => relativeHalf(passes.get(common[0]!))))
      : (studentT(n - 1, BOTH_ENDS) * deviationOf(ratios)) / Math.sqrt(n)
  return { low: meanOf(ratios) - half, high: meanOf(ratios) + half }
}

function rateOf(throughput: Quantity | undefined): number {
  return throughput?.value ?? 0
}

/** The upper end shows the whole width: the lower one stops at zero. */
function relativeHalf({ value, high }: Pick<Quantity, 'value' | 'high'> = NO_VALUE): number {
  return value === null || high === null || value === 0 ? Infinity : high / value - 1
}

const NO_VALUE = { value: null, high: null }
