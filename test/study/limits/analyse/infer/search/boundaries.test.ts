/** Windows for which all that is known holds. */
import { expect, test } from 'vitest'
import { createRandom } from '../../../../../../src/base/random.ts'
import type { RequestGroup } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { emptyGroup } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { possibleWindows } from '../../../../../../src/study/limits/analyse/infer/search/moves.ts'

const SIGMA_MS = 1

function group(firstMs: number, lastMs: number, accepted: number, refused: number): RequestGroup {
  const refusedMs = refused === 0 ? -Infinity : lastMs
  const times = { firstRefusedMs: refusedMs, lastRefusedMs: refusedMs }
  return { ...emptyGroup(firstMs, lastMs), accepted, refused, ...times }
}

function windowsOf(groups: readonly RequestGroup[], lengthsMs: readonly number[]): number[] {
  const clues = { groups, sigmaMs: SIGMA_MS, random: createRandom(1) }
  const rest = { readmissions: [], turn: null, promise: null, limitsOf: () => [] }
  return possibleWindows(3, lengthsMs, 1.002, { ...clues, ...rest }).map((each) => each.windowMs)
}

test('a refusal at the end of a block does not follow what was let in beside it', () => {
  // The block begins at 1.5 s and ends between the refusal and the acceptance at about 6.5 s.
  const groups = [group(1_000, 1_000, 3, 0), group(1_500, 1_500, 0, 1), group(6_400, 6_600, 1, 1)]
  // A window of 5 s that begins at 0 has all three of the first, and the last in the next one.
  expect(windowsOf(groups, [5_000])).not.toEqual([])
})

test('no window is possible that would begin anew where nothing was let in', () => {
  const groups = [group(1_000, 1_000, 3, 0), group(9_000, 9_000, 0, 1)]
  expect(windowsOf(groups, [5_000])).toEqual([])
  expect(windowsOf(groups, [20_000])).not.toEqual([])
})
