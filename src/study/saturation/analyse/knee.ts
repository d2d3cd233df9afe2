/**
 * Computes the ceiling and the knee of a ladder: the maximum throughput, and the number of
 * connections from which on it no longer grows.
 */
import type { Ceiling, Knee, RungDoubt, SaturationRung } from '../document.ts'
import { isGeneratorBound, isTrusted } from './rung.ts'

/** The knee is the first rung that reaches this share of the ceiling. */
const PLATEAU_SHARE = 0.95
/**
 * With more connections, a rung below this share of the ceiling shows that the target collapses
 * under load.
 */
const COLLAPSE_SHARE = 0.8

/**
 * What bounds the ceiling. `flat`: more connections did not increase it. `errors`: more connections
 * caused errors. `generator`: this process was saturated. `rising`: the last rung was the best, and
 * its interval above that of the previous one; `unclear`: not above it; `single`: no other rung
 * counts. `doubt`: no rung above the knee can be trusted.
 */
type CeilingBound = 'flat' | 'errors' | 'generator' | 'rising' | 'unclear' | 'single' | 'doubt'

export interface Shape {
  ceiling: Ceiling
  /** The rung at which the plateau begins, if there is one: see `isKneeFound`. */
  knee: Knee
  bound: CeilingBound
  /** The first rung from which on there are too many errors; null when there is none. */
  errorsFrom: SaturationRung | null
  /**
   * The first rung above the ceiling's from which on all are below 80 % of it, with disjoint
   * intervals; null when there is none. Errors are part of a collapse; with any other doubt the
   * target may not have been what slowed down.
   */
  collapse: SaturationRung | null
}

/** Whether the plateau is certain: more connections brought no increase, or errors. */
export function isKneeFound({ bound }: Shape): boolean {
  return bound === 'flat' || bound === 'errors'
}

/** `rungs` are in rising order of connections. Null when none can be trusted. */
export function shapeOf(rungs: readonly SaturationRung[]): Shape | null {
  const trusted = rungs.filter((rung) => isTrusted(rung) && rateOf(rung) > 0)
  const [first] = trusted
  if (first === undefined) return null
  const plateau = plateauOf(trusted)
  const { connections } = plateau[0] ?? first
  const ceiling = ceilingOf(plateau)
  const above = rungs.filter((rung) => rung.connections > connections)
  const errorsFrom = rungs.find(
    (rung) => rung.connections > connections && hasDoubt(rung, 'errors'),
  )
  return {
    ceiling,
    knee: {
      connections,
      above: rungs.findLast((rung) => rung.connections < connections)?.connections ?? null,
      plateauTo: ceiling.connections,
      ideal: idealConnections(trusted, rateOf(ceiling)),
    },
    bound: boundOf(plateau, trusted, above),
    errorsFrom: errorsFrom ?? null,
    collapse: collapseOf(rungs, ceiling),
  }
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

/** The mean of the rungs, with an interval from their own intervals and from their scatter. */
function ceilingOf(plateau: readonly SaturationRung[]): Ceiling {
  const value = meanRate(plateau)
  const rates = plateau.map(rateOf)
  const widths = plateau.map(({ throughput: { value: own, high } }) =>
    own === null || high === null ? Infinity : high - own,
  )
  const within = Math.hypot(...widths) / plateau.length
  const half = Math.max(within, (Math.max(...rates) - Math.min(...rates)) / 2)
  return {
    throughput: {
      value,
      unit: 'perSecond',
      low: half === Infinity ? null : Math.max(0, value - half),
      high: half === Infinity ? null : value + half,
      n: plateau.reduce((sum, { throughput }) => sum + throughput.n, 0),
      needed: null,
    },
    connections: plateau.at(-1)?.connections ?? 0,
  }
}

function meanRate(rungs: readonly SaturationRung[]): number {
  return rungs.reduce((sum, rung) => sum + rateOf(rung), 0) / rungs.length
}

function boundOf(
  plateau: readonly SaturationRung[],
  trusted: readonly SaturationRung[],
  above: readonly SaturationRung[],
): CeilingBound {
  if (plateau.some(isGeneratorBound)) return 'generator'
  if (above.length === 0) return slopeOf(trusted)
  const [knee] = plateau
  if (trusted.some((rung) => knee !== undefined && rung.connections > knee.connections)) {
    return 'flat'
  }
  return above.some((rung) => hasDoubt(rung, 'errors')) ? 'errors' : 'doubt'
}

/** For a ladder whose last rung is the best: whether it is clearly the best. */
function slopeOf(trusted: readonly SaturationRung[]): 'rising' | 'unclear' | 'single' {
  const [before, last] = trusted.slice(-2)
  if (last === undefined) return 'single'
  const apart = (last.throughput.low ?? 0) > (before?.throughput.high ?? Infinity)
  return apart ? 'rising' : 'unclear'
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
function collapseOf(rungs: readonly SaturationRung[], ceiling: Ceiling): SaturationRung | null {
  const bound = ceiling.throughput.low ?? 0
  const wider = rungs.filter(
    ({ connections, doubts }) =>
      connections > ceiling.connections && doubts.every(({ code }) => code === 'errors'),
  )
  const standing = wider.findLastIndex(
    (rung) =>
      rateOf(rung) >= COLLAPSE_SHARE * rateOf(ceiling) ||
      (rung.throughput.high ?? Infinity) >= bound,
  )
  return wider[standing + 1] ?? null
}

function hasDoubt({ doubts }: SaturationRung, code: RungDoubt['code']): boolean {
  return doubts.some((doubt) => doubt.code === code)
}

function rateOf({ throughput }: Pick<SaturationRung, 'throughput'>): number {
  return throughput.value ?? 0
}
