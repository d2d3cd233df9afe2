/** `'uniform'`: evenly spaced arrivals; nothing is random. */
import type { PointProcess } from './process.ts'

export interface UniformArrivals {
  kind: 'uniform'
}

/**
 * Point i is i itself, so that the first arrival falls on the very start and the i-th where the
 * integral of the rate reaches i.
 *
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
