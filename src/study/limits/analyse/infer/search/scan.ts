/**
 * Windows of another length: several can explain the same answers, far from each other. Those on
 * the calendar begin where the best explanation has them begin.
 */
import type { Clues, Hypothesis, Parameters } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import { phaseOf, sample } from '../hypotheses/windows.ts'
import { possibleWindows } from './boundaries.ts'

/** Each length is this much longer than the one before it. */
const STEP = 1.004
/** Where the phase is open as well. */
const OPEN_STEP = 1.02
const PHASES = 8
/** Where a look at the boundaries comes before any replay, and how many pass it to be replayed. */
const FINE_STEP = 1.002
const POSSIBLE = 600
const SHORTEST_MS = 900
/** The longest window, as a multiple of the time over which there is evidence. */
const LONGEST = 1.5
const ANCHORS = 2

/** Boundaries leave the length open, and so do the few blocks that tell of a penalty's window. */
export function hasOtherLengths({ kind, has }: Hypothesis): boolean {
  return kind === 'penalty' || has.includes('phaseMs')
}

/** `share`: of the lengths that are usually tried, from 0 to 1. */
export function otherLengths(
  { kind, has }: Hypothesis,
  best: Parameters,
  clues: Clues,
  share: number,
): Parameters[] {
  if (kind === 'fixed-window') return anchored(best, clues, share)
  if (!has.includes('phaseMs')) {
    return lengthsBy(STEP, clues, share).map((windowMs) => parametersOf(best, { windowMs }))
  }
  if (kind === 'penalty') {
    const lengths = lengthsBy(FINE_STEP, clues, 1)
    const possible = possibleWindows(best.limit, lengths, FINE_STEP, clues)
    return sample(clues, possible, share * POSSIBLE).map((window) => parametersOf(best, window))
  }
  const others = anywhere(best, clues, share)
  if (kind !== 'sliding-counter') return others
  // What is left of the window before makes the limit hard to see.
  return others.map((other) =>
    parametersOf(other, { limit: clues.random.pick([best.limit, ...clues.limitsOf(other)]) }),
  )
}

function anchored(best: Parameters, clues: Clues, share: number): Parameters[] {
  const anchors = new Set(
    clues.readmissions.map(({ toMs }) => {
      const turns = Math.round((toMs - best.phaseMs) / best.windowMs)
      return best.phaseMs + turns * best.windowMs
    }),
  )
  const lengths = lengthsBy(STEP, clues, share)
  return [...anchors]
    .slice(-ANCHORS)
    .flatMap((anchorMs) =>
      lengths.map((windowMs) =>
        parametersOf(best, { windowMs, phaseMs: phaseOf(anchorMs, windowMs) }),
      ),
    )
}

/** Where requests are let in again within a window, or when a block ends, that tells no phase. */
function anywhere(best: Parameters, clues: Clues, share: number): Parameters[] {
  return lengthsBy(OPEN_STEP, clues, share).flatMap((windowMs) =>
    Array.from({ length: PHASES }, () =>
      parametersOf(best, { windowMs, phaseMs: clues.random.next() * windowMs }),
    ),
  )
}

function lengthsBy(step: number, { groups }: Clues, share: number): number[] {
  const ratio = share === 1 ? step : step ** (1 / share)
  const longestMs = LONGEST * (groups.at(-1)?.lastMs ?? 0)
  const lengths: number[] = []
  for (let ms = SHORTEST_MS; ms < longestMs; ms *= ratio) lengths.push(ms)
  return lengths
}
