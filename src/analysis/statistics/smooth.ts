/** How likely values are by their own neighbours, whatever the shape of their distribution. */

/** On the logarithm of the values, of which they hold the range. */
const CELLS = 512
/** Of Silverman's width: narrower ones for shapes with several tops. */
const WIDTHS = [1, 0.5, 0.25, 0.12]
/** Polls do not tell times closer than about a hundredth. */
const LEAST_WIDTH = 0.01
/** Kernels end here, in widths. */
const REACH = 3
/** Lent to all values alike, so that one without neighbours is not impossible. */
const LENT = 1e-6

/**
 * The log-likelihood of each value by a kernel density of the others (leave-one-out, on a grid),
 * with the width that makes it greatest; density is per unit of the values, which are above 0.
 */
export function smoothLikelihood(values: readonly number[]): number {
  const n = values.length
  if (n < 2) return 0
  const logs = Float64Array.from(values, Math.log).sort()
  const sum = logs.reduce((total, log) => total + log, 0)
  const mean = sum / n
  const deviation = Math.sqrt(logs.reduce((total, log) => total + (log - mean) ** 2, 0) / n)
  const silverman = Math.max(LEAST_WIDTH, 1.06 * deviation * n ** -0.2)
  const widths = WIDTHS.map((times) => Math.max(LEAST_WIDTH, times * silverman))
  return Math.max(...widths.map((width) => likelihoodBy(logs, width))) - sum
}

/** Of rising logarithms. */
function likelihoodBy(logs: Float64Array, width: number): number {
  const n = logs.length
  const from = logs[0]! - REACH * width
  const span = logs.at(-1)! + REACH * width - from
  const cells = Math.max(CELLS, Math.ceil((4 * span) / width))
  const cell = span / cells
  const counts = new Float64Array(cells + 1)
  for (const log of logs) counts[Math.round((log - from) / cell)]! += 1
  const reach = Math.ceil((REACH * width) / cell)
  const kernel = Float64Array.from({ length: reach + 1 }, (_, i) => {
    const z = (i * cell) / width
    return Math.exp(-0.5 * z * z) / (width * Math.sqrt(2 * Math.PI))
  })
  let total = 0
  for (let at = 0; at <= cells; at++) {
    if (counts[at] === 0) continue
    let density = -kernel[0]!
    for (let i = Math.max(0, at - reach); i <= Math.min(cells, at + reach); i++) {
      density += counts[i]! * kernel[Math.abs(i - at)]!
    }
    const mixed = ((1 - LENT) * Math.max(0, density)) / (n - 1) + LENT / span
    total += counts[at]! * Math.log(mixed)
  }
  return total
}
