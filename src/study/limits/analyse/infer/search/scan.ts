/**
 * Windows on the calendar that begin where the best explanation has them begin, and have another
 * length: several lengths can explain the same boundaries, far from each other.
 */
import type { Clues, Parameters } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import { phaseOf } from '../hypotheses/windows.ts'

/** Each length is this much longer than the one before it. */
const STEP = 1.004
const SHORTEST_MS = 900
/** Of the time over which there is evidence. */
const LONGEST = 1.5
const ANCHORS = 2

export function otherLengths(best: Parameters, { groups, readmissions }: Clues): Parameters[] {
  const longestMs = LONGEST * (groups.at(-1)?.lastMs ?? 0)
  const anchors = new Set(
    readmissions.map(({ toMs }) => {
      const turns = Math.round((toMs - best.phaseMs) / best.windowMs)
      return best.phaseMs + turns * best.windowMs
    }),
  )
  return [...anchors].slice(-ANCHORS).flatMap((anchorMs) => {
    const found: Parameters[] = []
    for (let windowMs = SHORTEST_MS; windowMs < longestMs; windowMs *= STEP) {
      found.push(parametersOf(best, { windowMs, phaseMs: phaseOf(anchorMs, windowMs) }))
    }
    return found
  })
}
