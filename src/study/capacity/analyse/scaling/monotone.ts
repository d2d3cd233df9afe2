/** The rising steps that fit a series best. */

export interface Weighted {
  value: number
  weight: number
}

/**
 * Least squares among all series that never fall, by pooling neighbours that do (Barlow et al.,
 * "Statistical Inference under Order Restrictions", 1972). Neighbours with equal values are one.
 */
export function risingFit(series: readonly Weighted[]): Weighted[] {
  const blocks: Weighted[] = []
  for (const point of series) {
    blocks.push({ ...point })
    for (let last = blocks.length - 1; last > 0; last--) {
      const [before, block] = [blocks[last - 1]!, blocks[last]!]
      if (before.value < block.value) break
      const weight = before.weight + block.weight
      const value = (before.value * before.weight + block.value * block.weight) / weight
      blocks.splice(last - 1, 2, { value, weight })
    }
  }
  return blocks
}
