/** The gamma function, and the gamma and normal distribution functions, accurate in both tails. */

/** P(X <= value) and P(X > value). */
export interface GammaShares {
  lower: number
  upper: number
}

/** log Gamma(z), z > 0: Stirling's series after a shift; relative error under 1e-12. */
export function logGamma(z: number): number {
  let shift = 0
  let at = z
  for (; at < SERIES_FROM; at++) shift += Math.log(at)
  const square = at * at
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / at
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - shift
}

const SERIES_FROM = 12
const MOST_TERMS = 10_000
const PRECISION = 1e-14
const TINY = 1e-300

/**
 * P(a, x), the regularised lower incomplete gamma function, and Q = 1 - P, each accurate in its own
 * tail: the series of DLMF 8.11.4 below a + 1, the continued fraction of DLMF 8.9.2 above.
 */
export function incompleteGamma(a: number, x: number): GammaShares {
  if (x <= 0) return { lower: 0, upper: 1 }
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    const lower = Math.min(1, front * seriesSum(a, x))
    return { lower, upper: 1 - lower }
  }
  const upper = Math.min(1, front * fraction(a, x))
  return { lower: 1 - upper, upper }
}

function seriesSum(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let n = 1; n < MOST_TERMS && term > PRECISION * sum; n++) {
    term *= x / (a + n)
    sum += term
  }
  return sum
}

/** Lentz's algorithm as modified by Thompson and Barnett (1986). */
function fraction(a: number, x: number): number {
  let b = x + 1 - a
  let c = 1 / TINY
  let d = 1 / b
  let value = d
  for (let i = 1; i < MOST_TERMS; i++) {
    const step = -i * (i - a)
    b += 2
    d = 1 / orTiny(step * d + b)
    c = orTiny(b + step / c)
    value *= c * d
    if (Math.abs(c * d - 1) < PRECISION) break
  }
  return value
}

/** Replaces a denominator of 0 (Lentz's algorithm as modified by Thompson and Barnett, 1986). */
export function orTiny(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

/** The normal distribution function, and its complement, each accurate in its own tail. */
export function normalShares(z: number): GammaShares {
  const { lower, upper } = incompleteGamma(0.5, (z * z) / 2)
  const near = (1 + lower) / 2
  return z > 0 ? { lower: near, upper: upper / 2 } : { lower: upper / 2, upper: near }
}
