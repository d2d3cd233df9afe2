/**
 * `{ gamma: { cv: 2 } }`: arrivals in bursts, or more regular than random ones, by the coefficient
 * of variation of the gaps.
 */
import { assert } from '../../../base/assert.ts'
import { gamma as drawGamma } from '../../../base/distribution.ts'
import type { PointProcess } from './process.ts'

export interface GammaArrivals {
  kind: 'gamma'
  cv: number
}

/** The option as an author writes it. */
export interface GammaOption {
  gamma: {
    /**
     * Coefficient of variation of the gaps, 0.01 to 100: above 1 for bursts, below 1 for
     * regularity.
     */
    cv: number
  }
}

/**
 * Gaps follow a gamma distribution with mean 1 and standard deviation `cv` (above 0): shape k = 1 /
 * cv^2, scale 1 / k. With cv 1 this is the Poisson process; above 1 arrivals come in bursts with
 * long pauses, below 1 they approach even spacing. Counts over long intervals have an index of
 * dispersion of cv^2.
 * ```
 * cv 0.2  -|----|---|----|---|----|-->
 * cv 3    -||||-|-------------|||---->
 * ```
 * The first gap is drawn from the equilibrium distribution (a uniform share of a length-biased gap,
 * which is gamma with shape k + 1): from the start on, an interval then contains on average as many
 * points as it is long. Beginning with a whole gap would add (cv^2 - 1) / 2 arrivals to every run
 * (Cox, "Renewal Theory", 1962, chapters 2 and 4).
 */
export const gamma: PointProcess<GammaArrivals, GammaOption> = {
  points: ({ cv }, random) => {
    assert(cv > 0, `a gamma process needs a cv above 0, not ${cv}`)
    const shape = 1 / cv ** 2
    let point = 0
    let first = true
    return () => {
      const gap = first ? random.next() * drawGamma(shape + 1, random) : drawGamma(shape, random)
      first = false
      point += gap / shape
      return point
    }
  },
}
