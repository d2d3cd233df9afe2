/** Adjusts the results of several tests for their number. */

/**
 * Returns the p values of several tests, in their order, adjusted by Holm's procedure ("A simple
 * sequentially rejective multiple test procedure", 1979): rejecting all that are at most `a` makes
 * one false rejection or more with a probability of at most `a`, however the tests depend on each
 * other.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => ps[a]! - ps[b]!)
  const adjusted = ps.map(() => 1)
  let highest = 0
  for (const [rank, index] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * ps[index]!))
    adjusted[index] = highest
  }
  return adjusted
}
