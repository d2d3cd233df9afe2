/** Confirmation polls: who gets one, and what it can find. */
import { expect, test } from 'vitest'
import {
  confirm,
  confirmationRequest,
  createExecution,
  createShared,
} from '../../src/execution/machine.ts'
import { ACCEPTED, answerTo, COMPLETED, FAILED, live, planWith, RUNNING } from './support.ts'

test('an ended execution is asked for its status again', () => {
  const { execution } = live([ACCEPTED, COMPLETED])
  expect(confirmationRequest(execution)).toMatchObject({
    operation: 'status',
    path: '/status/id-1',
  })
})

test('one that has no final state is not', () => {
  const waiting = createExecution(createShared(planWith(), 'run'), ARRIVAL)
  expect(confirmationRequest(waiting)).toBeNull()
  expect(confirmationRequest(live([ACCEPTED, RUNNING]).execution)).toBeNull()
})

test('the share is kept, and the same executions are chosen every time', () => {
  const plan = planWith({ confirmShare: 0.25 })
  const chosen = () => {
    const shared = createShared(plan, 'run')
    return Array.from({ length: 400 }, (_, index) => {
      const execution = createExecution(shared, { ...ARRIVAL, index })
      execution.stage = 'ended'
      execution.record.outcome = 'completed'
      execution.request = REQUEST
      return confirmationRequest(execution) !== null
    })
  }
  const count = chosen().filter(Boolean).length
  expect(count).toBeGreaterThan(70)
  expect(count).toBeLessThan(130)
  expect(chosen()).toEqual(chosen())
})

test('the same answer again breaks nothing', () => {
  const { execution } = live([ACCEPTED, COMPLETED])
  expect(confirm(execution, answerTo(COMPLETED, 0))).toEqual([])
})

test('a final state that is not final is told once', () => {
  const { execution, record } = live([ACCEPTED, COMPLETED])
  expect(confirm(execution, answerTo(FAILED, 0))).toEqual([
    { rule: 'terminal-state-is-final', example: 'completed, then failed' },
  ])
  expect(confirm(execution, answerTo(RUNNING, 0))).toEqual([])
  expect(record).toMatchObject({ outcome: 'completed', violations: [] })
})

test('a result that changed is told', () => {
  const { execution } = live([ACCEPTED, COMPLETED])
  const other = { body: { ...(COMPLETED.body as object), result: { output: 'else', tasks: [] } } }
  expect(confirm(execution, answerTo(other, 0)).map(({ rule }) => rule)).toEqual([
    'result-is-stable',
  ])
})

test('no answer contradicts nothing', () => {
  const { execution } = live([ACCEPTED, COMPLETED])
  expect(confirm(execution, answerTo({ failure: 'timeout' }, 0))).toEqual([])
})

const ARRIVAL = { index: 0, instance: 0, intendedMicros: 0, warmUp: false }
const REQUEST = {
  operation: 'status',
  execution: 0,
  method: 'GET',
  path: '/status/x',
  body: null,
  correlation: 'run/0',
} as const
