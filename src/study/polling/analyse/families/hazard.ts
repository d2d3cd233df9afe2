/**
 * Keller's schedule: polls are dense where executions are likely to end, and rare where they are
 * not (J. B. Keller, "Optimum checking schedules for systems subject to random failure", Management
 * Science 21, 1974). With a cost c of a poll and w of a second of delay, the best density of polls
 * at age t is sqrt(w h(t) / 2c), for the hazard h of the execution times. With I the integral of
 * sqrt(h), the price that makes N polls best up to the longest execution is w / c = 2 (N / I)^2:
 * one schedule for each N is all there is to try.
 */
import type { Micros } from '../../../../base/units.ts'
import type { PollingFamily } from './shape.ts'
import type { Piece } from './pieces.ts'
import { ageAt, endOf, stretchesOf, totalWeight } from './pieces.ts'
import { POLL_NUMBERS, toSchedule } from './schedule.ts'

export const hazard: PollingFamily = {
  words: 'hazard schedule',
  learned: true,
  policies: (shape) => {
    const stretches = stretchesOf(shape)
    const pieces = stretches.flat()
    const total = totalWeight(pieces)
    return POLL_NUMBERS.map((polls) => {
      const weight = total / polls
      const times = cheapest(candidateTimes(stretches, weight), pieces, weight ** 2 / 2)
      return toSchedule(times, weight, shape)
    })
  },
}

/**
 * As many in each stretch as the density says, one at least, and the ends of crowds. The density
 * holds for many polls; where they are few, `cheapest` takes those of them that are worth a poll.
 * `weight`: the square root of 2 c / w, which is what a poll takes of the integral of sqrt(h).
 */
function candidateTimes(stretches: readonly Piece[][], weight: number): Micros[] {
  const times = stretches.flatMap((pieces) => {
    const own = totalWeight(pieces)
    const polls = Math.max(1, Math.round(own / weight))
    const dense = Array.from({ length: polls }, (_, k) => ageAt(pieces, ((k + 1) / polls) * own))
    return [...dense, ...crowdEnds(pieces)]
  })
  return [...new Set(times)].sort((a, b) => a - b)
}

/** After a crowd, ends come so many times more rarely. */
const CROWDED = 4

/**
 * Where ends become rare, for most have come: a poll then sees them, and need not wait for the
 * rest.
 */
function crowdEnds(pieces: readonly Piece[]): Micros[] {
  return pieces
    .filter((piece, i) => {
      const next = pieces[i + 1]
      return next === undefined || densityOf(piece) > CROWDED * densityOf(next)
    })
    .map((piece) => endOf([piece]))
}

function densityOf({ before, after, lengthMicros }: Piece): number {
  return (before - after) / lengthMicros
}

/** What is known at a time: who has not ended, and the sum of the ages at which the others did. */
interface PollSeen {
  atMicros: Micros
  left: number
  agesMicros: Micros
}

/**
 * The last of the times, and those before it that make the cost least: `pollPriceMicros` for each
 * poll of an execution that has not ended yet, and the time that each end waits for the next poll.
 * By dynamic programming over the polls that may come before each time. `times` rise, from 0 on.
 */
export function cheapest(
  times: readonly Micros[],
  pieces: readonly Piece[],
  pollPriceMicros: Micros,
): Micros[] {
  const seen = [0, ...times].map((at) => seenAt(pieces, at))
  const costs = [0]
  const before = [0]
  for (let to = 1; to < seen.length; to++) {
    let least = Infinity
    for (let from = 0; from < to; from++) {
      const cost = costs[from]! + seen[from]!.left * pollPriceMicros + wait(seen[from]!, seen[to]!)
      if (cost < least) [least, before[to]] = [cost, from]
    }
    costs.push(least)
  }
  const taken: Micros[] = []
  for (let at = seen.length - 1; at > 0; at = before[at]!) taken.push(seen[at]!.atMicros)
  return taken.toReversed()
}

/** The wait of what ends between two polls, until the later one. */
function wait(from: PollSeen, to: PollSeen): Micros {
  return to.atMicros * (from.left - to.left) - (to.agesMicros - from.agesMicros)
}

function seenAt(pieces: readonly Piece[], atMicros: Micros): PollSeen {
  let left = pieces[0]?.before ?? 1
  let agesMicros = 0
  for (const { fromMicros, lengthMicros, before, after } of pieces) {
    const part = Math.min(1, (atMicros - fromMicros) / lengthMicros)
    if (part <= 0) break
    const ended = part * (before - after)
    left = before - ended
    agesMicros += ended * (fromMicros + (part * lengthMicros) / 2)
  }
  return { atMicros, left, agesMicros }
}
