/**
 * Computes what a ladder shows: the maximum throughput, what bounds it, and the number of
 * connections from which on it no longer grows.
 */
import type { Quantity } from '../../../result/document.ts'
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import type { Ceiling, Knee, SaturationRung, SaturationVisit, VisitDoubt } from '../document.ts'
import type { CeilingBound } from '../sentences.ts'
import { countingVisits, intervalOfAnother, isGeneratorBound, isTrusted } from './visit.ts'
import { studentT } from '../../../result/statistics/beta.ts'

/**
 * With more connections, a rung below this share of the ceiling shows that the target collapses
 * under load.
 */
const COLLAPSE_SHARE = 0.8

export interface Shape {
  ceiling: Ceiling
  /** Null when the ladder shows nothing about it. */
  knee: Knee | null
  bound: CeilingBound
  /** The rungs whose mean is the ceiling, in rising order. */
  plateau: readonly SaturationRung[]
  /** The most connections of a rung that counts. */
  widest: number
  /** The first rung from which on there are too many errors; null when there is none. */
  errorsFrom: SaturationRung | null
  /**
   * The first rung above the ceiling's from which on all are below 80 % of it, and surely less;
   * null when there is none. Errors are part of a collapse; with any other doubt the
   * target may not have been what slowed down.
   */
  collapse: SaturationRung | null
}

/** `rungs`: those of `visits`, in rising order of connections. Null when none can be trusted. */
export function ladderShapeOf(
  rungs: readonly SaturationRung[],
  visits: readonly SaturationVisit[],
): Shape | null {
  const trusted = rungs.filter((rung) => isTrusted(rung) && rateOf(rung) > 0)
  const widest = trusted.at(-1)?.connections
  if (widest === undefined) return null
  const plateau = plateauOf(trusted)
  const first = plateau[0]?.connections ?? widest
  const ceiling = ceilingOf(plateau, visits)
  const range = kneeRange(
    visits,
    trusted.map(({ connections }) => connections),
  )
  const wider = rungs.filter(({ connections }) => connections > widest)
  const bound = boundOf(range, plateau, trusted, wider)
  return {
    ceiling,
    knee: kneeOf(range, bound, idealConnections(trusted, rateOf(ceiling))),
    bound,
    plateau,
    widest,
    errorsFrom: rungs.find((rung) => rung.connections > first && hasDoubt(rung, 'errors')) ?? null,
    collapse: collapseOf(rungs, ceiling, visits),
  }
}

function kneeOf({ from, to }: KneeRange, bound: CeilingBound, ideal: number | null): Knee | null {
  if (from === null) return null
  if (bound === 'flat' || bound === 'errors') return { from, to, ideal }
  return bound === 'unclear' || bound === 'noisy' ? { from, to: null, ideal } : null
}

/**
 * The rungs that reach 95 % of their own mean. The best of several rungs with the same throughput
 * is the luckiest one: taken as the ceiling, it would be too high by the scatter of the rungs.
 */
function plateauOf(trusted: readonly SaturationRung[]): readonly SaturationRung[] {
  let bound = PLATEAU_SHARE * Math.max(...trusted.map(rateOf))
  let plateau: readonly SaturationRung[] = []
  for (;;) {
    const reaching = trusted.filter((rung) => rateOf(rung) >= bound)
    if (reaching.length === plateau.length) return plateau
    plateau = reaching
    bound = PLATEAU_SHARE * meanRate(plateau)
  }
}

/** Whether the rung is one of those whose mean is `ceiling`. */
export function isOfPlateau(rung: SaturationRung, ceiling: Ceiling): boolean {
  return isTrusted(rung) && rateOf(rung) >= PLATEAU_SHARE * (ceiling.throughput.value ?? Infinity)
}

/**
 * The mean of the rungs, and where that of another pass would be; of a single pass, with an
 * interval from the rungs' own intervals and from their scatter.
 */
function ceilingOf(
  plateau: readonly SaturationRung[],
  visits: readonly SaturationVisit[],
): Ceiling {
  const counting = plateau.flatMap(({ connections }) =>
    countingVisits(visits.filter((visit) => visit.connections === connections)),
  )
  const passes = [...new Set(counting.map(({ pass }) => pass))].map((pass) =>
    counting.filter((visit) => visit.pass === pass),
  )
  // A pass without one of the rungs differs from the others for that reason alone.
  const whole = passes.filter((pass) => pass.length === plateau.length)
  const means = (whole.length > 1 ? whole : passes).map(meanRate)
  const { value, low, high } = means.length > 1 ? intervalOfAnother(means) : withinOnePass(plateau)
  return {
    throughput: {
      value,
      unit: 'perSecond',
      low: low === null ? null : Math.max(0, low),
      high,
      n: plateau.reduce((sum, { throughput }) => sum + throughput.n, 0),
      needed: null,
    },
    connections: plateau.at(-1)?.connections ?? 0,
  }
}

function withinOnePass(
  plateau: readonly SaturationRung[],
): Pick<Quantity, 'value' | 'low' | 'high'> {
  const value = meanRate(plateau)
  const rates = plateau.map(rateOf)
  const widths = plateau.map(({ throughput: { value: own, high } }) =>
    own === null || high === null ? Infinity : high - own,
  )
  const within = Math.hypot(...widths) / plateau.length
  const half = Math.max(within, (Math.max(...rates) - Math.min(...rates)) / 2)
  if (half === Infinity) return { value, low: null, high: null }
  return { value, low: value - half, high: value + half }
}

function meanRate(all: readonly Rated[]): number {
  return meanOf(all.map(rateOf))
}

/** `wider`: the rungs above the last of `trusted`. */
function boundOf(
  { from, to }: KneeRange,
  plateau: readonly SaturationRung[],
  trusted: readonly SaturationRung[],
  wider: readonly SaturationRung[],
): CeilingBound {
  if (plateau.some(isGeneratorBound)) return 'generator'
  if (trusted.length + wider.length === 1) return 'single'
  const last = trusted.at(-1)
  if (to !== null && to !== last?.connections) return 'flat'
  const isLastBest = Math.max(...trusted.map(rateOf)) === (last && rateOf(last))
  const failed = wider.some((rung) => hasDoubt(rung, 'errors'))
  if (to === null && (failed || !isLastBest)) return 'noisy'
  if (wider.length > 0) return failed ? 'errors' : 'doubt'
  return from === to ? 'rising' : 'unclear'
}

function idealConnections(trusted: readonly SaturationRung[], ceiling: number): number | null {
  const single = trusted.find(({ connections }) => connections === 1)
  const meanMs = single?.latency.meanMs ?? null
  return meanMs === null ? null : (ceiling * meanMs) / 1_000
}

/**
 * A single rung with low throughput, when a wider one has it again, is not a collapse but a
 * temporary disturbance.
 */
function collapseOf(
  rungs: readonly SaturationRung[],
  ceiling: Ceiling,
  visits: readonly SaturationVisit[],
): SaturationRung | null {
  const wider = rungs.filter(
    ({ connections, doubts }) =>
      connections > ceiling.connections && doubts.every(({ code }) => code === 'errors'),
  )
  const standing = wider.findLastIndex(
    (rung) =>
      rateOf(rung) >= COLLAPSE_SHARE * rateOf(ceiling) ||
      !isSurelyBelow(visits, rung.connections, ceiling.connections),
  )
  return wider[standing + 1] ?? null
}

function hasDoubt({ doubts }: SaturationRung, code: VisitDoubt['code']): boolean {
  return doubts.some((doubt) => doubt.code === code)
}

type Rated = Pick<SaturationRung, 'throughput'>

function rateOf({ throughput }: Rated): number {
  return throughput.value ?? 0
}

/**
 * Finds the knee of a ladder as a range: the fewest connections that may, and that surely do, reach
 * 95 % of the highest throughput.
 *
 * A rung reaches another one from this share of its throughput on.
 */
const PLATEAU_SHARE = 0.95

interface KneeRange {
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
function kneeRange(visits: readonly SaturationVisit[], connections: readonly number[]): KneeRange {
  const rungs = connections.map((each) => ({
    connections: each,
    passes: passesOf(visits, each),
  }))
  const bound = Math.log(PLATEAU_SHARE)
  const first = (reaches: (ratio: ThroughputEnds) => boolean): number | null =>
    rungs.find((rung) =>
      rungs.every((other) => other === rung || reaches(logRatio(rung.passes, other.passes))),
    )?.connections ?? null
  return {
    from: first(({ high }) => high >= bound),
    to: first(({ low }) => low >= bound),
  }
}

/** Whether the rung of `connections` surely brings less than that of `other`. */
function isSurelyBelow(
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

interface ThroughputEnds {
  low: number
  high: number
}

/** Each end is a claim of its own, with 95 % confidence: both together have 90 %. */
const BOTH_ENDS = 0.9

/**
 * The t-interval over the passes that both rungs have; of a single pass, from the intervals of both
 * visits. Without a common pass nothing is sure.
 */
function logRatio(a: Passes, b: Passes): ThroughputEnds {
  const common = [...a.keys()].filter((pass) => b.has(pass))
  const ratios = common.map((pass) =>
    Math.log(throughputOf(a.get(pass)) / throughputOf(b.get(pass))),
  )
  const n = ratios.length
  if (n === 0) return { low: -Infinity, high: Infinity }
  const half =
    n === 1
      ? Math.hypot(...[a, b].map((passes) => relativeHalf(passes.get(common[0]!))))
      : (studentT(n - 1, BOTH_ENDS) * deviationOf(ratios)) / Math.sqrt(n)
  return { low: meanOf(ratios) - half, high: meanOf(ratios) + half }
}

function throughputOf(throughput: Quantity | undefined): number {
  return throughput?.value ?? 0
}

/** The upper end shows the whole width: the lower one stops at zero. */
function relativeHalf({ value, high }: Pick<Quantity, 'value' | 'high'> = NO_VALUE): number {
  return value === null || high === null || value === 0 ? Infinity : high / value - 1
}

const NO_VALUE = { value: null, high: null }
