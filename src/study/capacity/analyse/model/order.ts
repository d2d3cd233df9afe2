/** Finds the value at one rank without sorting all others. */

/**
 * Returns the value that `values.sort()[rank]` would be, and rearranges the values; `rank` counts
 * from 0. The algorithm is Hoare's ("Algorithm 65: Find", 1961), with the median of three as the
 * pivot.
 */
export function atRank(values: Float64Array, rank: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = middleOf(values[low]!, values[(low + high) >> 1]!, values[high]!)
    let [left, right] = [low, high]
    while (left <= right) {
      while (values[left]! < pivot) left++
      while (values[right]! > pivot) right--
      if (left > right) break
      const moved = values[left]!
      values[left++] = values[right]!
      values[right--] = moved
    }
    // The values between the two indexes are equal to the pivot.
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else return pivot
  }
  return values[rank]!
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
