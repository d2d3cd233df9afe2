/**
 * Keller's schedule: polls are dense where executions are likely to end, and rare where they are
 * not (J. B. Keller, "Optimum checking schedules for systems subject to random failure", Management
 * Science 21, 1974). With a cost c of a poll and w of a second of delay, the best density of polls
 * at age t is sqrt(w h(t) / 2c), for the hazard h of the execution times. With I the integral of
 * sqrt(h), the price that makes N polls best up to the longest execution is w / c = 2 (N / I)^2: one
 * schedule for each N is all there is to try.
 */
import type { Micros } from '../../../../base/units.ts'
import type { Family } from './family.ts'
import type { Piece } from './pieces.ts'
import { ageAt, endOf, stretchesOf, totalWeight } from './pieces.ts'
import { POLL_NUMBERS, toSchedule } from './schedule.ts'

export const hazard: Family = {
  words: 'hazard schedule',
  learned: true,
  policies: (shape) => {
    const stretches = stretchesOf(shape)
    const total = totalWeight(stretches.flat())
    return POLL_NUMBERS.map((polls) => {
      const weight = total / polls
      return toSchedule(timesOf(stretches, weight), weight, shape)
    })
  },
}

/** `weight`: the square root of 2 c / w, which is what a poll takes of the integral of sqrt(h). */
function timesOf(stretches: readonly Piece[][], weight: number): Micros[] {
  return stretches.flatMap((pieces, i) => {
    const own = totalWeight(pieces)
    const polls = pollsIn(pieces, stretches[i + 1] ?? null, weight)
    return Array.from({ length: polls }, (_, k) => ageAt(pieces, ((k + 1) / polls) * own))
  })
}

/**
 * As many as the density says; the last of them sees all that ended before a gap. One at least at
 * the end of all, and before a gap in which what is not known yet would wait for more than a poll
 * costs: w p g > c S for a share p of all and a gap g, where S are still polled.
 */
function pollsIn(pieces: readonly Piece[], next: readonly Piece[] | null, weight: number): number {
  const polls = Math.round(totalWeight(pieces) / weight)
  if (next === null) return Math.max(1, polls)
  const [before, after] = [pieces[0]!.before, pieces.at(-1)!.after]
  const gapMicros = next[0]!.fromMicros - endOf(pieces)
  const isWorthIt = (before - after) * gapMicros > (before * weight ** 2) / 2
  return Math.max(isWorthIt ? 1 : 0, polls)
}
