import { expect, test } from 'vitest'
import type { RequestGroup } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { emptyGroup } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import type {
  Hypothesis,
  Model,
} from '../../../../../../src/study/limits/analyse/infer/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../../../../../src/study/limits/analyse/infer/hypotheses/list.ts'
import { parametersOf } from '../../../../../../src/study/limits/analyse/infer/hypotheses/hypothesis.ts'
import { advance } from '../../../../../../src/study/limits/analyse/infer/search/replay.ts'

const LIMIT = 3
const PROMISE = { limit: LIMIT, timesMs: [], isConcurrent: false }

/** Late by up to 100 ms. A window of 1 s that begins with the first is open to end at the next. */
const LATE_THEN_AT_THE_END = [accepted(0, 100), accepted(1_000), accepted(1_500)]

const WITH_STATE = HYPOTHESES.filter((hypothesis) => {
  const model = modelOf(hypothesis)
  return hypothesis.fitOf === undefined && model.turnMs === null && model.fresh() !== null
})

test.each(WITH_STATE)('$name is as new where headers say that all is left', (hypothesis) => {
  const model = modelOf(hypothesis)
  const state = stateAfter(model, LATE_THEN_AT_THE_END)
  const left = { count: LIMIT, fromMs: 1_500, toMs: 1_500 }
  advance(model, state, { ...accepted(1_500), left }, PROMISE)
  expect(state).toEqual(model.fresh())
})

test('a window that began with a late request is followed in both courses of events', () => {
  const window = HYPOTHESES.find(({ name }) => name === 'fixed window, first hit')!
  const state = stateAfter(modelOf(window), LATE_THEN_AT_THE_END)
  expect(state).toMatchObject({ courses: [{ count: 2 }, { count: 1 }] })
})

function stateAfter(model: Model<unknown>, groups: readonly RequestGroup[]): unknown {
  const state = model.fresh()
  for (const group of groups) advance(model, state, group, PROMISE)
  return state
}

function modelOf(hypothesis: Hypothesis): Model<unknown> {
  const parameters = parametersOf({ limit: LIMIT, windowMs: 1_000, blockMs: 2_000 })
  return hypothesis.model(parameters, 5)
}

function accepted(ms: number, errorMs = 0): RequestGroup {
  return { ...emptyGroup(ms, ms), errorMs, accepted: 1, lastAcceptedMs: ms, arrivalsMs: [ms] }
}
