/** Finds the rate at which a quota makes tasks wait as long as they did. */
import type { Comparison } from './misfit.ts'

export interface Found {
  rate: number
  misfit: number
}

type At = (rate: number) => Comparison

/** After so many halvings, the rate is known to half of a per cent. */
const HALVINGS = 9

/** A higher rate makes tasks wait less: halves the ratio of the bounds until the waits agree. */
function rateByWaits(at: At, low: number, high: number): Found {
  let [below, above] = [Math.log(low), Math.log(high)]
  let best: Found = { rate: high, misfit: Infinity }
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (below + above) / 2
    const rate = Math.exp(middle)
    const { misfit, ratio } = at(rate)
    if (misfit < best.misfit) best = { rate, misfit }
    if (ratio > 1) below = middle
    else above = middle
  }
  return best
}

/** People write round numbers: the roundest that explains nearly as much, or more. */
const AS_GOOD = 0.01

export function bestRate(at: At, low: number, high: number): Found {
  const found = rateByWaits(at, low, high)
  const round = [1, 2, 3].map((digits): Found => {
    const rate = Number(found.rate.toPrecision(digits))
    return { rate, misfit: at(rate).misfit }
  })
  return round.find(({ misfit }) => misfit <= found.misfit + AS_GOOD) ?? found
}
