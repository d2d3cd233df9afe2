/** What the evidence leaves open about the parameters of the explanations that are left. */
import type { Weighed } from './belief.ts'
import type { Parameters } from './hypotheses/hypothesis.ts'
import type { ParameterEstimate } from './interface.ts'
import type { Particle, Pool } from './search/pool.ts'

/**
 * Particles this much less likely than the best are still believed: half the 95th percentile of
 * chi-square with three to four degrees of freedom (Wilks, 1938).
 */
const BELIEVED = 4
/** Explanations with less than this share of the best one's probability need no more looking at. */
const LEAST_SHARE = 0.03
/** And with less than this they are ruled out. */
const RULED_OUT = 0.01
/** The same, by a window on the calendar: its phase can be fitted to windows from a first hit. */
const RULED_OUT_BY_PHASE = 1e-5
/** A length of time is known well enough when its interval is this wide, of its value. */
const WIDTH = 0.08

/**
 * Over all explanations of one kind, best first, that are not ruled out. The value is the middle of
 * the interval, or where that is wide, the middle of what the best leaves.
 */
export function rangeOf(
  explanations: readonly Weighed[],
  parameter: keyof Parameters,
): ParameterEstimate {
  return rangeOver(explanations, notRuledOut(explanations), parameter)
}

function rangeOver(
  explanations: readonly Weighed[],
  left: readonly Weighed[],
  parameter: keyof Parameters,
): ParameterEstimate {
  const first = explanations[0]!
  const { best } = first
  const values = left
    .filter(({ pool }) => pool.hypothesis.has.includes(parameter))
    .flatMap(({ pool, best: own }) => believedIn(pool, own).map((each) => each[parameter]))
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (parameter === 'limit') return { value: best.parameters.limit, low, high }
  if (high - low <= (WIDTH * (low + high)) / 2) return { value: (low + high) / 2, low, high }
  const own = believedIn(first.pool, best).map((each) => each[parameter])
  return { value: (Math.min(...own) + Math.max(...own)) / 2, low, high }
}

/** `explanations`: of one kind, best first. */
export function notRuledOut(explanations: readonly Weighed[]): readonly Weighed[] {
  const { kind, aligned } = explanations[0]!.pool.hypothesis
  const isByPhase = kind === 'fixed-window' && aligned === 'calendar'
  return withShare(explanations, isByPhase ? RULED_OUT_BY_PHASE : RULED_OUT)
}

function withShare(explanations: readonly Weighed[], share: number): readonly Weighed[] {
  const least = share * explanations[0]!.probability
  return explanations.filter(({ probability }) => probability >= least)
}

/** Those that explain the answers about as well as the best of the pool. */
export function believedIn({ particles }: Pool, best: Particle): Parameters[] {
  return particles
    .filter(({ fit }) => fit >= best.fit - BELIEVED)
    .map(({ parameters }) => parameters)
}

/** `explanations`: of one kind, best first. */
export function isPrecise(explanations: readonly Weighed[]): boolean {
  const { has } = explanations[0]!.pool.hypothesis
  const left = withShare(explanations, LEAST_SHARE)
  return has.every((parameter) => {
    if (parameter === 'phaseMs') return true
    const { value, low, high } = rangeOver(explanations, left, parameter)
    return parameter === 'limit' ? low === high : high - low <= WIDTH * value
  })
}
