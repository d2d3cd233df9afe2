/** Sums and means of samples, and how far values lie from their mean. */

export function sumOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum
}

/** The sum of what `of` says of each. */
export function sumBy<Each>(all: ArrayLike<Each>, of: (each: Each) => number): number {
  let sum = 0
  for (let i = 0; i < all.length; i++) sum += of(all[i]!)
  return sum
}

/** NaN of nothing. */
export function meanOf(values: ArrayLike<number>): number {
  return sumOf(values) / values.length
}

/** The standard deviation of a sample; 0 of a single value, and of none. */
export function deviationOf(values: ArrayLike<number>): number {
  const mean = meanOf(values)
  const squares = sumBy(values, (value) => (value - mean) ** 2)
  return Math.sqrt(squares / Math.max(1, values.length - 1))
}
