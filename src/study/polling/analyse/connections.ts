/** Whether an interval keeps its connection, by what the recorded polls met at such gaps. */
import type { Micros } from '../../../base/units.ts'
import type { PollGap } from './replay/recording.ts'

/** Polls whose gap differs by no more than this factor tell of each other. */
const NEAR = 1.25
/** Fewer tell nothing. */
const FEWEST = 10

/**
 * Share of polls after such a gap that opened a connection; null where too few were observed. What
 * lies beyond the longest gap at which nearly all did open one, does so too: idle connections are
 * not kept longer.
 */
export function freshShareAt(gaps: readonly PollGap[], gapMicros: Micros): number | null {
  const near = gaps.filter(
    (each) => each.gapMicros >= gapMicros / NEAR && each.gapMicros <= gapMicros * NEAR,
  )
  if (near.length >= FEWEST) return shareOf(near)
  const shorter = gaps.filter((each) => each.gapMicros < gapMicros)
  const longest = shorter.toSorted((a, b) => b.gapMicros - a.gapMicros).slice(0, FEWEST)
  if (longest.length === FEWEST && shareOf(longest) > 0.9) return 1
  const longer = gaps.filter((each) => each.gapMicros > gapMicros)
  const shortest = longer.toSorted((a, b) => a.gapMicros - b.gapMicros).slice(0, FEWEST)
  return shortest.length === FEWEST && shareOf(shortest) === 0 ? 0 : null
}

function shareOf(gaps: readonly PollGap[]): number {
  return gaps.filter(({ fresh }) => fresh).length / gaps.length
}

/** What opening a connection adds to a poll, in the median; null where it was not observed. */
export function handshakeMicros(gaps: readonly PollGap[]): Micros | null {
  const took = (fresh: boolean): number[] =>
    gaps.filter((each) => each.fresh === fresh).map(({ tookMicros }) => tookMicros)
  const [opened, kept] = [took(true), took(false)]
  if (opened.length < FEWEST || kept.length < FEWEST) return null
  return Math.max(0, medianOf(opened) - medianOf(kept))
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
