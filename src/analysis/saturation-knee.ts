/** The ceiling and the knee of a ladder: how much, and from how many connections on it is no more. */
import type { Ceiling, Knee, RungDoubt, SaturationRung } from './saturation-document.ts'
import { isGeneratorBound, isTrusted } from './saturation-rung.ts'

/** Of the ceiling: the knee is the first rung that reaches it. */
const PLATEAU_SHARE = 0.95
/** Of the ceiling: below it, with more connections, the target collapses under load. */
const COLLAPSE_SHARE = 0.8

/**
 * What bounds the ceiling. `flat`: more connections brought no more. `errors`: more brought errors. `generator`: this process was
 * saturated. `rising`: the last rung was the best, its interval above that of the one before; `unclear`: not above it; `single`: there is no
 * other that counts. `doubt`: no rung above the knee can be trusted.
 */
type CeilingBound = 'flat' | 'errors' | 'generator' | 'rising' | 'unclear' | 'single' | 'doubt'

export interface Shape {
  ceiling: Ceiling
  /** Where the plateau begins, if it is one: see `isKneeFound`. */
  knee: Knee
  bound: CeilingBound
  /** The first rung from which errors are too many; null when there is none. */
  errorsFrom: SaturationRung | null
  /**
   * The first rung above the ceiling's from which on all lie below 80 % of it, with intervals apart; null when there is none. Errors are a part of a
   * collapse; any other doubt says that the target may not have been the one that slowed down.
   */
  collapse: SaturationRung | null
}

/** The plateau was seen to be one: more connections brought no more, or errors. */
export function isKneeFound({ bound }: Shape): boolean {
  return bound === 'flat' || bound === 'errors'
}

/** `rungs` in rising order of connections. Null when none can be trusted. */
export function shapeOf(rungs: readonly SaturationRung[]): Shape | null {
  const trusted = rungs.filter((rung) => isTrusted(rung) && rateOf(rung) > 0)
  const [first] = trusted
  if (first === undefined) return null
  const best = trusted.reduce((most, rung) => (rateOf(rung) > rateOf(most) ? rung : most), first)
  const plateau = trusted.filter((rung) => rateOf(rung) >= PLATEAU_SHARE * rateOf(best))
  const kneeRung = plateau[0] ?? best
  const { connections } = kneeRung
  const above = rungs.filter((rung) => rung.connections > connections)
  const errorsFrom = rungs.find(
    (rung) => rung.connections > connections && hasDoubt(rung, 'errors'),
  )
  return {
    ceiling: { throughput: best.throughput, connections: best.connections },
    knee: {
      connections,
      above: rungs.findLast((rung) => rung.connections < connections)?.connections ?? null,
      plateauTo: plateau.at(-1)?.connections ?? connections,
      ideal: idealConnections(trusted, rateOf(best)),
    },
    bound: boundOf(plateau, trusted, above),
    errorsFrom: errorsFrom ?? null,
    collapse: collapseOf(rungs, best),
  }
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

/** Of a ladder whose last rung is the best: is it clearly so? */
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

/** One rung that fell while a wider one carries again is no collapse, but a bad moment. */
function collapseOf(rungs: readonly SaturationRung[], best: SaturationRung): SaturationRung | null {
  const bound = best.throughput.low ?? 0
  const wider = rungs.filter(
    ({ connections, doubts }) =>
      connections > best.connections && doubts.every(({ code }) => code === 'errors'),
  )
  const standing = wider.findLastIndex(
    (rung) =>
      rateOf(rung) >= COLLAPSE_SHARE * rateOf(best) || (rung.throughput.high ?? Infinity) >= bound,
  )
  return wider[standing + 1] ?? null
}

function hasDoubt({ doubts }: SaturationRung, code: RungDoubt['code']): boolean {
  return doubts.some((doubt) => doubt.code === code)
}

function rateOf({ throughput }: SaturationRung): number {
  return throughput.value ?? 0
}
