/** Lookups in values that rise, by halving; and what sorting shows. */

/** The place of the first that is at least `wanted`. */
export function firstAtLeast(rising: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rising[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** From a value to the nearest of them; Infinity if there are none. */
export function distanceTo(rising: ArrayLike<number>, value: number): number {
  const place = firstAtLeast(rising, value)
  return Math.min(value - (rising[place - 1] ?? -Infinity), (rising[place] ?? Infinity) - value)
}

/** The median of values in any order, the upper one of two; 0 of none. */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/** The lower one of two; 0 of none. */
export function lowerMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0
}

/** At most so many of them, evenly spread over all, in their order. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  return Array.from({ length: most }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / most)]!)
}
