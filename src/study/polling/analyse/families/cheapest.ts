/** Chooses, among many times at which one could poll, those that cost least together. */
import type { Micros } from '../../../../base/units.ts'
import type { Piece } from './pieces.ts'

/** What is known at a time: who has not ended, and the sum of the ages at which the others did. */
interface Seen {
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
function wait(from: Seen, to: Seen): Micros {
  return to.atMicros * (from.left - to.left) - (to.agesMicros - from.agesMicros)
}

function seenAt(pieces: readonly Piece[], atMicros: Micros): Seen {
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
