/**
 * The binomial distribution: how often an event of a given probability happens in n independent
 * trials.
 */

/** Logarithm of P(X = k) for X binomial with `n` trials of probability `p`, 0 < p < 1. */
export function logBinomial(k: number, n: number, p: number): number {
  const ways = logFactorial(n) - logFactorial(k) - logFactorial(n - k)
  return ways + k * Math.log(p) + (n - k) * Math.log1p(-p)
}

/**
 * P(X >= k) for X binomial with `n` trials of probability `p`, 0 < p < 1: summed from `k` away from
 * the mean, where terms only decrease.
 */
export function atLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1
  if (k > n) return 0
  return k > n * p ? sumUp(k, n, p) : 1 - sumDown(k - 1, n, p)
}

/** Terms below this part of the sum no longer change it. */
const NEGLIGIBLE = 1e-17

function sumUp(from: number, n: number, p: number): number {
  const odds = p / (1 - p)
  let term = Math.exp(logBinomial(from, n, p))
  let sum = term
  for (let k = from; k < n && term > sum * NEGLIGIBLE; k++) {
    term *= ((n - k) * odds) / (k + 1)
    sum += term
  }
  return sum
}

function sumDown(from: number, n: number, p: number): number {
  const odds = p / (1 - p)
  let term = Math.exp(logBinomial(from, n, p))
  let sum = term
  for (let k = from; k > 0 && term > sum * NEGLIGIBLE; k--) {
    term *= k / ((n - k + 1) * odds)
    sum += term
  }
  return sum
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
