/** Compares curves of runs by bands that contain the whole true curve at once. */
import { studentT } from '../beta.ts'

/**
 * The value of a curve at one place, with the ends of its band. The ends are missing if there are
 * too few runs, or all runs are equal, so that chance cannot be estimated.
 */
export interface BandPoint {
  value: number
  low: number | null
  high: number | null
}

interface BandOptions {
  /** Default 0.95. */
  confidence?: number
  /** Draws from a standard normal distribution; the same draws give the same band. */
  normal: () => number
}

/** With fewer degrees of freedom, runs do not show how their places depend on each other. */
const FEWEST_DEGREES = 8
/** The number of draws of the largest deviation. */
const DRAWS = 2_000
/**
 * The weight, in degrees of freedom, of the assumption that places are independent: with few runs,
 * a large part of each place is drawn by itself.
 */
const PRIOR_DEGREES = 2

/**
 * Returns by how much the mean of the second side's curves exceeds that of the first, place by
 * place, with a band that contains the whole true difference with the given confidence. A curve is
 * the values of one run at the same places; runs are independent, and the values of a run depend on
 * each other. The band is Student's pooled interval of each place, wider by one factor for all: the
 * quantile of the largest deviation over the places, drawn with random multipliers of the runs'
 * residuals (the multiplier bootstrap of Chernozhukov, Chetverikov and Kato, "Gaussian
 * approximations and multiplier bootstrap for maxima of sums of high-dimensional random vectors",
 * 2013), or Bonferroni's where that is smaller or the runs are few. Each side has one run at least.
 */
export function differenceBand(
  first: Curves,
  second: Curves,
  options: BandOptions,
): readonly BandPoint[] {
  const [before, after] = [meanCurve(first), meanCurve(second)]
  const values = after.map((value, place) => value - before[place]!)
  const residuals = [...residualsOf(first, before), ...residualsOf(second, after)]
  const isLonely = Math.min(first.length, second.length) < 2
  const degrees = isLonely ? 0 : residuals.length - 2
  const weight = 1 / first.length + 1 / second.length
  return around(values, { residuals, degrees, weight }, options)
}

/** Returns the mean of the curves of one side, at least one, with such a band. */
export function meanBand(curves: Curves, options: BandOptions): readonly BandPoint[] {
  const values = meanCurve(curves)
  const residuals = residualsOf(curves, values)
  const [degrees, weight] = [curves.length - 1, 1 / curves.length]
  return around(values, { residuals, degrees, weight }, options)
}

/** Values by run, then by place. */
type Curves = readonly (readonly number[])[]

interface Residuals {
  /** The residual of each run at each place. */
  residuals: Curves
  degrees: number
  /** The variance of the mean, as a multiple of that of a run. */
  weight: number
}

function around(
  values: readonly number[],
  { residuals, degrees, weight }: Residuals,
  { confidence = 0.95, normal }: BandOptions,
): BandPoint[] {
  const norms = values.map((_, place) =>
    Math.hypot(...residuals.map((residual) => residual[place]!)),
  )
  // The residuals are scaled to length 1; places without differences are left out.
  const units = residuals.map((residual) =>
    residual.flatMap((own, place) => (norms[place]! > 0 ? [own / norms[place]!] : [])),
  )
  const isKnown = degrees > 0 && units[0]!.length > 0
  const reach = isKnown ? reachOf(units, degrees, { confidence, normal }) : 0
  return values.map((value, place) => {
    if (!isKnown || norms[place] === 0) return { value, low: null, high: null }
    const own = reach * norms[place]! * Math.sqrt(weight / degrees)
    return { value, low: value - own, high: value + own }
  })
}

/** Returns the half-width of the band, in standard errors of each place. */
function reachOf(
  units: Curves,
  degrees: number,
  { confidence, normal }: Required<BandOptions>,
): number {
  const safe = studentT(degrees, 1 - (1 - confidence) / units[0]!.length)
  if (degrees < FEWEST_DEGREES) return safe
  const draws = Array.from({ length: DRAWS }, () => largest(units, degrees, normal))
  draws.sort((a, b) => a - b)
  return Math.min(safe, draws[Math.ceil(confidence * DRAWS) - 1]!)
}

/**
 * Returns the largest |t| over the places in one draw. Places of few runs seem more dependent than
 * they are, so a part of each is drawn by itself.
 */
function largest(units: Curves, degrees: number, normal: () => number): number {
  const multipliers = units.map(() => normal())
  const shared = Math.sqrt(degrees / (degrees + PRIOR_DEGREES))
  const own = Math.sqrt(1 - shared * shared)
  const deviations = units[0]!.map((_, place) => {
    const common = units.reduce((sum, unit, run) => sum + multipliers[run]! * unit[place]!, 0)
    return Math.abs(shared * common + own * normal())
  })
  let squares = 0
  for (let i = 0; i < degrees; i++) squares += normal() ** 2
  return Math.max(...deviations) / Math.sqrt(squares / degrees)
}

/**
 * Returns the mean curve. Equal values are kept as they are, because rounding would give them
 * residuals.
 */
function meanCurve(curves: Curves): number[] {
  return curves[0]!.map((first, place) => {
    const values = curves.map((curve) => curve[place]!)
    return values.every((value) => value === first)
      ? first
      : values.reduce((sum, value) => sum + value, 0) / values.length
  })
}

function residualsOf(curves: Curves, mean: readonly number[]): number[][] {
  return curves.map((curve) => curve.map((value, place) => value - mean[place]!))
}
