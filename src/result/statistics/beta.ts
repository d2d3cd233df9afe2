/**
 * The beta distribution: its distribution function, which is also the tail of the binomial, and its
 * quantiles.
 */
import { assert } from '../../base/assert.ts'
import { orTiny } from './gamma.ts'

/** Logarithm of P(X = k) for X binomial with `n` trials of probability `p`, 0 < p < 1. */
export function logBinomial(k: number, n: number, p: number): number {
  const ways = logFactorial(n) - logFactorial(k) - logFactorial(n - k)
  return ways + k * Math.log(p) + (n - k) * Math.log1p(-p)
}

/** P(X >= k) for X binomial with `n` trials of probability `p`, 0 < p < 1. */
export function atLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1
  return k > n ? 0 : betaShare(p, k, n - k + 1)
}

/** Stirling's series to the fifth power, exact sums below 32: relative error under 1e-14. */
function logFactorial(n: number): number {
  if (n < 32) {
    let log = 0
    for (let i = 2; i <= n; i++) log += Math.log(i)
    return log
  }
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5)
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series
}

/**
 * The t that a share `confidence` of the distribution lies within, on both sides of 0; at least one
 * degree of freedom.
 */
export function studentT(degrees: number, confidence = 0.95): number {
  const key = `${degrees} ${confidence}`
  const found = known.get(key) ?? computedT(degrees, confidence)
  if (known.size === MOST_KNOWN) known.clear()
  known.set(key, found)
  return found
}

/** One run asks for the same few values thousands of times. */
const known = new Map<string, number>()
const MOST_KNOWN = 1_000

function computedT(degrees: number, confidence: number): number {
  const share = betaQuantile(confidence, 0.5, degrees / 2)
  return Math.sqrt((degrees * share) / (1 - share))
}

/**
 * I_x(a, b), the regularised incomplete beta function, 0 <= x <= 1 and a, b > 0, which need not be
 * whole. For whole k and n, I_p(k, n - k + 1) = P(X >= k) for X binomial with `n` trials of chance
 * `p`. By the continued fraction of DLMF 8.17.22 on the side of the mean where it converges;
 * relative error under 1e-11 for a + b up to 1e7.
 */
export function betaShare(x: number, a: number, b: number): number {
  assert(a > 0 && b > 0, 'the beta distribution has two parameters above 0')
  if (x <= 0) return 0
  if (x >= 1) return 1
  return x <= a / (a + b) ? lowerTail(x, 1 - x, a, b) : 1 - lowerTail(1 - x, x, b, a)
}

/**
 * The x with I_x(a, b) = p, 0 <= p <= 1: by Newton's method, with bisection where it would leave
 * its bounds.
 */
export function betaQuantile(p: number, a: number, b: number): number {
  assert(a > 0 && b > 0, 'the beta distribution has two parameters above 0')
  if (p <= 0) return 0
  if (p >= 1) return 1
  let [low, high] = [0, 1]
  let x = a / (a + b)
  for (let step = 0; step < MOST_STEPS && high - low > PRECISION * high; step++) {
    const excess = betaShare(x, a, b) - p
    if (excess === 0) return x
    if (excess > 0) high = x
    else low = x
    const next = x - (excess * x * (1 - x)) / front(x, 1 - x, a, b)
    if (Math.abs(next - x) <= PRECISION * x) return x
    x = next > low && next < high ? next : (low + high) / 2
  }
  return x
}

/** Relative, near the last bits. */
const PRECISION = 1e-14

/** Bisection alone needs 52 steps for the last bit of 1, and more for a small x. */
const MOST_STEPS = 1_100

/** The fraction takes about as many terms as the square root of a + b. */
const MOST_TERMS = 100_000

/** I_x(a, b) for x at or below the mean; `y` is 1 - x. */
function lowerTail(x: number, y: number, a: number, b: number): number {
  let c = 1
  let d = orTiny(1 - ((a + b) * x) / (a + 1))
  d = 1 / d
  let fraction = d
  for (let m = 1; m <= MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / orTiny(1 + even * d)
    c = orTiny(1 + even / c)
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / orTiny(1 + odd * d)
    c = orTiny(1 + odd / c)
    fraction *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return (front(x, y, a, b) * fraction) / a
}

/**
 * x^a y^b / B(a, b), y = 1 - x, computed from its distance to the mean, so that no large logarithms
 * cancel (Loader, "Fast and accurate computation of binomial probabilities", 2000).
 */
function front(x: number, y: number, a: number, b: number): number {
  const n = a + b
  const deviance = a * logRatio(x, a / n) + b * logRatio(y, b / n)
  const correction = stirlingError(n) - stirlingError(a) - stirlingError(b)
  return Math.sqrt((a / n) * (b / (2 * Math.PI))) * Math.exp(deviance + correction)
}

/** log(x / mean), exact where the two are close. */
function logRatio(x: number, mean: number): number {
  const distance = (x - mean) / mean
  return Math.abs(distance) < 0.5 ? Math.log1p(distance) : Math.log(x / mean)
}

/** From here on, four terms of the series leave an error under 1e-14. */
const SERIES_FROM = 16

/** log of Gamma(z) minus Stirling's formula for it, (z - 1/2) log z - z + log(2 pi) / 2, z > 0. */
function stirlingError(z: number): number {
  let error = 0
  let at = z
  for (; at < SERIES_FROM; at++) error += (at + 0.5) * Math.log1p(1 / at) - 1
  const square = at * at
  return error + (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / at
}
