/** `'poisson'`: memoryless arrivals, as from many independent users. */
import type { PointProcess } from './process.ts'

export interface PoissonArrivals {
  kind: 'poisson'
}

/**
 * Point i is the sum of i + 1 exponential gaps with mean 1. The number of points in an interval of
 * length m follows a Poisson distribution with mean m and variance m, so the ratio of the two (the
 * index of dispersion) is 1.
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
