/** What every model of a limiter keeps to, and one that is followed in two courses of events. */
import { expect, test } from 'vitest'
import type { RequestGroup } from '../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { emptyGroup } from '../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import type { Model } from '../../../../../src/study/limits/analyse/infer/hypotheses/hypothesis.ts'
import { parametersOf } from '../../../../../src/study/limits/analyse/infer/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../../../../src/study/limits/analyse/infer/hypotheses/list.ts'
import { advanceModel } from '../../../../../src/study/limits/analyse/infer/search/replay.ts'

const LIMIT = 3
const PROMISE = { limit: LIMIT, timesMs: [], isConcurrent: false }
const PARAMETERS = parametersOf({ limit: LIMIT, windowMs: 1_000, blockMs: 2_000 })

function accepted(ms: number, errorMs = 0): RequestGroup {
  const one = { accepted: 1, lastAcceptedMs: ms, arrivalsMs: [ms], leavesMs: [ms + 100] }
  return { ...emptyGroup(ms, ms), errorMs, ...one }
}

/** Late by up to 100 ms. A window of 1 s that begins with the first is open to end at the next. */
const LATE_THEN_AT_THE_END = [accepted(0, 100), accepted(1_000), accepted(1_500)]

function stateAfter(model: Model<object>, groups: readonly RequestGroup[]): object {
  const state = model.fresh()
  for (const group of groups) advanceModel(model, state, group, PROMISE)
  return state
}

const MODELS = HYPOTHESES.map((each) => ({ name: each.name, model: each.model(PARAMETERS, 5) }))
const WITH_STATE = MODELS.filter(({ model }) => Object.keys(model.fresh()).length > 0)

// Studies replay models millions of times: objects of several shapes would make them slow.
test('all models state the same fields in the same order', () => {
  expect(new Set(MODELS.map(({ model }) => Object.keys(model).join())).size).toBe(1)
})

test.each(WITH_STATE)('a copy of a state of $name is independent of it', ({ model }) => {
  const state = stateAfter(model, [accepted(1_000)])
  const copy = model.copy(state)
  expect(copy).toEqual(state)
  const before = structuredClone(state)
  model.advance(copy, { ...accepted(1_030), refused: 1, lastRefusedMs: 1_030 }, 1)
  expect(state).toEqual(before)
  expect(copy).not.toEqual(state)
})

test.each(WITH_STATE.filter(({ model }) => model.turnMs === null))(
  '$name is as new where headers say that all is left',
  ({ model }) => {
    const state = stateAfter(model, LATE_THEN_AT_THE_END)
    const left = { count: LIMIT, fromMs: 1_500, toMs: 1_500 }
    advanceModel(model, state, { ...accepted(1_500), left }, PROMISE)
    expect(state).toEqual(model.fresh())
  },
)

test('a window that began with a late request is followed in both courses of events', () => {
  const { model } = MODELS.find(({ name }) => name === 'fixed window, first hit')!
  const state = stateAfter(model, LATE_THEN_AT_THE_END)
  expect(state).toMatchObject({ courses: [{ count: 2 }, { count: 1 }] })
})
