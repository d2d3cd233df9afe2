/** Estimates the distribution of values above 0 from a sample, whatever its shape. */

/** The cells of the grid, which spans the range of the logarithms of the values. */
const CELLS = 400
/** The cells per kernel width; shares between two cells are interpolated linearly. */
const CELLS_A_WIDTH = 4
/** The distance from its centre at which a kernel ends, in widths. */
const REACH = 4

/**
 * A kernel estimate (Silverman, "Density Estimation", 1986, section 2.4) over the logarithms, by
 * its cumulated shares on a grid; `width` is the standard deviation of the kernels.
 */
export class Smooth {
  readonly #width: number
  readonly #from: number
  readonly #cell: number
  /** The number of values below the border of each cell. */
  readonly #below: Float64Array
  readonly size: number

  constructor(logs: Float64Array, width: number) {
    this.#width = width
    this.size = logs.length
    const least = logs.reduce((a, b) => Math.min(a, b), Infinity)
    const most = logs.reduce((a, b) => Math.max(a, b), -Infinity)
    this.#from = least - REACH * width
    const span = most + REACH * width - this.#from
    const cells = Math.max(CELLS, Math.ceil((CELLS_A_WIDTH * span) / width))
    this.#cell = span / cells
    const counts = new Float64Array(cells + 1)
    for (const log of logs) counts[Math.round((log - this.#from) / this.#cell)]! += 1
    this.#below = cumulated(spreadOut(counts, width / this.#cell))
  }

  /**
   * Returns how many of the values lie below e to the power of `log`, each spread by its kernel.
   */
  below(log: number): number {
    const at = (log - this.#from) / this.#cell + 0.5
    if (at <= 0) return 0
    if (at >= this.#below.length - 1) return this.size
    const cell = Math.floor(at)
    const [here, next] = [this.#below[cell]!, this.#below[cell + 1]!]
    return here + (at - cell) * (next - here)
  }

  /** The share of the kernel of one value that lies between two logarithms. */
  ownBetween(log: number, from: number, to: number): number {
    return normalBelow((to - log) / this.#width) - normalBelow((from - log) / this.#width)
  }

  /** The logarithm below which `count` values lie, searched between two logarithms. */
  logAt(count: number, from: number, to: number): number {
    let [low, high] = [from, to]
    for (let halved = 0; halved < HALVINGS; halved++) {
      const middle = (low + high) / 2
      if (this.below(middle) < count) low = middle
      else high = middle
    }
    return (low + high) / 2
  }
}

const HALVINGS = 14

/** Spreads each count over its neighbours; `width` is in cells. */
function spreadOut(counts: Float64Array, width: number): Float64Array {
  const reach = Math.ceil(REACH * width)
  const kernel = Float64Array.from({ length: reach + 1 }, (_, i) =>
    Math.exp(-0.5 * (i / width) ** 2),
  )
  const whole = 2 * kernel.reduce((sum, each) => sum + each, 0) - 1
  const spread = new Float64Array(counts.length)
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue
    const last = Math.min(counts.length - 1, at + reach)
    for (let i = Math.max(0, at - reach); i <= last; i++) {
      spread[i]! += (count * kernel[Math.abs(i - at)]!) / whole
    }
  }
  return spread
}

function cumulated(counts: Float64Array): Float64Array {
  const below = new Float64Array(counts.length + 1)
  for (const [i, count] of counts.entries()) below[i + 1] = below[i]! + count
  return below
}

/**
 * The normal distribution function, within 1.5e-7 (Abramowitz and Stegun, "Handbook of Mathematical
 * Functions", 7.1.26).
 */
function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.327_591_1 * x)
  const terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592]
  const polynomial = terms.reduce((sum, term) => (sum + term) * t, 0)
  const beyond = (polynomial * Math.exp(-x * x)) / 2
  return z < 0 ? beyond : 1 - beyond
}
