/** `'poisson'`: memoryless arrivals, as of many users, none of whom knows of the others. */
import type { PointProcess } from './process.ts'

export interface PoissonArrivals {
  kind: 'poisson'
}

/**
 * Point i is the sum of i + 1 exponential gaps with mean 1. The number of points in a stretch of
 * length m is Poisson: mean m, variance m, so that the ratio of the two (the index of dispersion)
 * is 1.
 *
 * ```
 * --|-----||---|--------|-|-->
 * ```
 */
export const poisson: PointProcess<PoissonArrivals, 'poisson'> = {
  points: (_, random) => {
    let point = 0
    return () => (point += random.exponential())
  },
}
