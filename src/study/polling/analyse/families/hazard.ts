/**
 * Keller's schedule: polls are dense where executions are likely to end, and rare where they are
 * not (J. B. Keller, "Optimum checking schedules for systems subject to random failure", Management
 * Science 21, 1974). With a cost c of a poll and w of a second of delay, the best density of polls
 * at age t is sqrt(w h(t) / 2c), for the hazard h of the execution times. With I the integral of sqrt(h),
 * the price that makes N polls best up to the longest execution is w / c = 2 (N / I)^2: one schedule
 * for each N is all there is to try.
 */
import type { Family } from './family.ts'
import { ageAt, piecesOf, totalWeight } from './pieces.ts'
import { POLL_NUMBERS, toSchedule } from './schedule.ts'

export const hazard: Family = {
  words: 'hazard schedule',
  learned: true,
  policies: (shape) => {
    const pieces = piecesOf(shape)
    const total = totalWeight(pieces)
    return POLL_NUMBERS.map((polls) => {
      const times = Array.from({ length: polls }, (_, i) =>
        ageAt(pieces, ((i + 1) / polls) * total),
      )
      return toSchedule(times, total / polls, shape)
    })
  },
}
