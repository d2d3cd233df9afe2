/** Pareto's front: strategies that no other beats in polls and in delay at once. */
import type { Figures } from '../replay/trace.ts'

/** Whether another has no more polls and no more delay, judged by the mean of the delay. */
export function isDominated(figures: Figures, all: readonly Figures[]): boolean {
  return all.some((other) => beats(other, figures))
}

function beats(one: Figures, other: Figures): boolean {
  if (one.pollsMean > other.pollsMean || one.delayMean > other.delayMean) return false
  return one.pollsMean < other.pollsMean || one.delayMean < other.delayMean
}
