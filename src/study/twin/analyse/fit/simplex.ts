/**
 * Finds the minimum of a function of two numbers near a point, by the simplex of Nelder and Mead
 * ("A simplex method for function minimization", 1965).
 */

type SimplexPair = readonly [number, number]

interface Corner {
  at: SimplexPair
  value: number
}

const MOST_STEPS = 120
const FIRST = 0.2
/** Smaller differences of a log-likelihood are negligible. */
const PRECISION = 1e-4

export function leastNear(start: SimplexPair, value: (at: SimplexPair) => number): SimplexPair {
  const corner = (at: SimplexPair): Corner => ({ at, value: value(at) })
  const [x, y] = start
  let corners = [corner(start), corner([x + FIRST, y]), corner([x, y + FIRST])]
  for (let step = 0; step < MOST_STEPS; step++) {
    corners = corners.toSorted((a, b) => a.value - b.value)
    const [best, middle, worst] = corners as [Corner, Corner, Corner]
    if (worst.value - best.value < PRECISION) break
    const centre = between(best.at, middle.at, 0.5)
    const reflected = corner(between(worst.at, centre, 2))
    corners = [best, middle, replacement(worst, { centre, reflected, best, middle, corner })]
    if (corners[2]!.value >= worst.value) {
      corners = [
        best,
        corner(between(middle.at, best.at, 0.5)),
        corner(between(worst.at, best.at, 0.5)),
      ]
    }
  }
  return corners.reduce((least, each) => (each.value < least.value ? each : least)).at
}

interface SimplexStep {
  centre: SimplexPair
  reflected: Corner
  best: Corner
  middle: Corner
  corner: (at: SimplexPair) => Corner
}

/**
 * Returns the corner that replaces the worst one: the reflection, a point beyond it if that is
 * better still, or a point nearer to the centre if the reflection is no improvement.
 */
function replacement(
  worst: Corner,
  { centre, reflected, best, middle, corner }: SimplexStep,
): Corner {
  if (reflected.value < best.value) {
    const farther = corner(between(worst.at, centre, 3))
    return farther.value < reflected.value ? farther : reflected
  }
  if (reflected.value < middle.value) return reflected
  const nearer = reflected.value < worst.value ? reflected.at : worst.at
  return corner(between(nearer, centre, 0.5))
}

/** The point `from`, moved towards `to` by `times` their distance. */
function between([x, y]: SimplexPair, [toX, toY]: SimplexPair, times: number): SimplexPair {
  return [x + times * (toX - x), y + times * (toY - y)]
}
