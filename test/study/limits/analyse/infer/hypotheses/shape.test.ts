/**
 * Studies replay models millions of times: objects of several shapes would make them as slow as
 * they once were.
 */
import { expect, test } from 'vitest'
import { emptyGroup } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { parametersOf } from '../../../../../../src/study/limits/analyse/infer/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../../../../../src/study/limits/analyse/infer/hypotheses/list.ts'

const PARAMETERS = parametersOf({ limit: 3, windowMs: 5_000, blockMs: 2_000 })
const FIELDS = [
  'memoryMs',
  'raises',
  'turnMs',
  'asksLeaves',
  'fresh',
  'copy',
  'timeOf',
  'advance',
  'used',
]

test.each(HYPOTHESES)('the model of $name states each field, in the same order', (hypothesis) => {
  expect(Object.keys(hypothesis.model(PARAMETERS, 5))).toEqual(FIELDS)
})

const WITH_STATE = HYPOTHESES.filter((each) => each.model(PARAMETERS, 5).fresh() !== null)

test.each(WITH_STATE)('a copy of a state of $name is independent of it', (hypothesis) => {
  const model = hypothesis.model(PARAMETERS, 5)
  const state = model.fresh()
  const group = { ...emptyGroup(1_000, 1_010), accepted: 2, lastAcceptedMs: 1_010 }
  group.arrivalsMs = [1_000, 1_010]
  group.leavesMs = [1_100, 1_110]
  model.advance(state, group, 0)
  const copy = model.copy(state)
  expect(copy).toEqual(state)
  const before = structuredClone(state)
  const later = { ...group, firstMs: 1_020, lastMs: 1_030, refused: 1, lastRefusedMs: 1_030 }
  model.advance(copy, later, 1)
  expect(state).toEqual(before)
  expect(copy).not.toEqual(state)
})
