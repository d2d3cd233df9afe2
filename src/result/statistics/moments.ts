/** The mean of a sample, and how far its values lie from it. */

/** NaN of nothing. */
export function meanOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum / values.length
}

/** The standard deviation of a sample; 0 of a single value, and of none. */
export function deviationOf(values: ArrayLike<number>): number {
  const mean = meanOf(values)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) ** 2
  return Math.sqrt(squares / Math.max(1, values.length - 1))
}
