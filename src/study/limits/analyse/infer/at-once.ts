/**
 * Whether a limit of how many requests are in flight at once explains the answers, if each request
 * counts from when it was sent until its answer comes. What a target takes for every answer, also
 * for a refusal, cannot be told from the way to it: such a limit looks like none that is known.
 */
import type { Evidence, Observed } from './interface.ts'

/** For this share of its trip, at either end, a request may not be at the target. */
const EDGE = 0.15
/** This share of the refused must have met as many: ways differ, and a few may not have. */
const EXPLAINED = 0.9

/**
 * The limit, in requests; null where there is none. As many as were let in were in flight together,
 * and the refused met as many.
 */
export function mostAtOnce(evidence: Evidence): number | null {
  const accepted = evidence.filter(({ answer }) => answer === 'accepted')
  const refused = evidence.filter(({ answer }) => answer === 'refused')
  const sent = sorted(accepted.map(({ sentMs }) => sentMs))
  const received = sorted(accepted.map(({ receivedMs }) => receivedMs))
  const met = refused.map(
    (one) => countUpTo(sent, one.sentMs + edgeMs(one)) - countUpTo(received, one.sentMs),
  )
  const limit = togetherIn(accepted)
  const explained = met.filter((count) => count >= limit).length
  // One that met none at all was refused by something else.
  const isPossible = limit > 0 && !met.includes(0) && explained >= EXPLAINED * met.length
  return isPossible && met.length > 0 ? limit : null
}

/** The most that were in flight together, surely. */
function togetherIn(accepted: Evidence): number {
  const begins = sorted(accepted.map((one) => one.sentMs + edgeMs(one)))
  const ends = sorted(accepted.map((one) => one.receivedMs - edgeMs(one)))
  return begins.reduce((most, ms, i) => Math.max(most, i + 1 - countUpTo(ends, ms)), 0)
}

function edgeMs({ sentMs, receivedMs }: Observed): number {
  return EDGE * (receivedMs - sentMs)
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

/** How many of the sorted values are no larger. */
function countUpTo(values: readonly number[], value: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}
