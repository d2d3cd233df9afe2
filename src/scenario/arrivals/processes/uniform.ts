/** `'uniform'`: evenly spaced arrivals without randomness. */
import type { PointProcess } from './process.ts'

export interface UniformArrivals {
  kind: 'uniform'
}

/**
 * Point i is i itself: the first arrival is at the very start, and the i-th when the integral of
 * the rate reaches i.
 * ```
 * |---|---|---|---|---|-->
 * 0   1   2   3   4   5
 * ```
 */
export const uniform: PointProcess<UniformArrivals, 'uniform'> = {
  points: () => {
    let point = 0
    return () => point++
  },
  countBefore: Math.ceil,
}
