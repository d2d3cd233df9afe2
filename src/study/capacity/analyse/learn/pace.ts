/**
 * Learns how much faster an execution is while workers are free, by a straight line through service
 * times over the share of busy workers.
 */
import { meanOf } from '../../../../result/statistics/moments.ts'
import type { Learned } from './learn.ts'
import { besideOf } from './learn.ts'

/**
 * Returns the time of an execution relative to its time in a full crew, by the share of workers
 * that are busy, 0 to 1, its own included: 1 for a full crew.
 */
export type Pace = (busyShare: number) => number

/** Null if service times do not surely change with the number of busy workers. */
export function paceOf({ loads, slotsSeen }: Learned): Pace | null {
  const points = loads.flatMap((load) => besideOf(load, slotsSeen))
  if (points.length < FEWEST) return null
  const shareMean = meanOf(points.map(({ share }) => share))
  const mean = meanOf(points.map(({ micros }) => micros))
  let [squares, products] = [0, 0]
  for (const { share, micros } of points) {
    squares += (share - shareMean) ** 2
    products += (share - shareMean) * (micros - mean)
  }
  const slope = products / squares
  const rest = points.reduce(
    (sum, { share, micros }) => sum + (micros - mean - slope * (share - shareMean)) ** 2,
    0,
  )
  const error = Math.sqrt(rest / (points.length - 2) / squares)
  if (!(squares > 0 && Math.abs(slope) > SURELY * error)) return null
  const full = mean + slope * (1 - shareMean)
  return (share) => Math.max(LEAST, (mean + slope * (Math.min(1, share) - shareMean)) / full)
}

/** The fewest executions through which a line is drawn. */
const FEWEST = 30
/** A slope of this many standard errors is not due to chance. */
const SURELY = 4
/** The least value of the line; below it, the line is not extrapolated. */
const LEAST = 0.1
