/** Requests that were sent together, and what the answers to them show that come in turn. */
import type { LimitEvidence, Observed } from '../interface.ts'

/** Which requests were sent together: they share it. */
export function burstOf({ burstMs, sentMs }: Observed): number {
  return burstMs ?? sentMs
}

/** All bursts, those of one request included, in the order in which they were sent. */
export function burstsIn(evidence: LimitEvidence): readonly (readonly Observed[])[] {
  const bursts = new Map<number, Observed[]>()
  for (const observed of evidence) {
    const burst = bursts.get(burstOf(observed)) ?? []
    bursts.set(burstOf(observed), burst)
    burst.push(observed)
  }
  return [...bursts.values()]
}

export function isAccepted({ answer }: Observed): boolean {
  return answer === 'accepted'
}

/** Fewer answers are near a line by chance. */
export const LEAST_IN_TURN = 4
/** The answers of a burst come in turn where they stray by less than this share of a turn. */
const STRAY = 0.25

/**
 * By how much each answer came later than the others that were held back in turn: one way's jitter,
 * from 0. Empty where the burst was not answered in turn, or has fewer than four answers.
 */
export function strayIn(burst: readonly Observed[]): number[] {
  const received = burst
    .filter(isAccepted)
    .map(({ receivedMs }) => receivedMs)
    .sort((a, b) => a - b)
  if (received.length < LEAST_IN_TURN) return []
  const turnMs = slopeOf(received)
  const away = received.map((ms, i) => ms - i * turnMs)
  const earliest = Math.min(...away)
  const late = away.map((ms) => ms - earliest)
  const sorted = late.toSorted((a, b) => a - b)
  const middleMs = sorted[sorted.length >> 1]!
  const strayMs = late.reduce((sum, ms) => sum + Math.abs(ms - middleMs), 0) / late.length
  return strayMs < STRAY * turnMs ? late : []
}

/** Least squares of each value over its number. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const squares = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
  return values.reduce((sum, value, i) => sum + (i - middle) * value, 0) / squares
}
