import { expect, test } from 'vitest'
import { emptyColumns } from '../../../src/execution/record/request.ts'
import { OpenExecutions } from '../../../src/result/counting/open-executions.ts'
import { executionRecord } from '../lines.ts'

const started = (index: number) =>
  ({
    type: 'started',
    index,
    instance: 2,
    intendedMicros: 1_000 + index,
    atMicros: 3_000,
  }) as const
const accepted = (index: number) =>
  ({
    type: 'accepted',
    index,
    instance: 2,
    kickoffId: `id-${index}`,
    atMicros: 5_000 + index,
    kickoff: emptyColumns(),
  }) as const

test('what has started and not ended is told whole, in order, whichever line came first', () => {
  const open = new OpenExecutions()
  open.accepted(accepted(9))
  open.started(started(9))
  open.started(started(4))
  const nine = { index: 9, instance: 2, intendedMicros: 1_009 }
  expect(open.list()).toEqual([
    { index: 4, instance: 2, intendedMicros: 1_004, acceptedMicros: null, kickoffId: null },
    { ...nine, acceptedMicros: 5_009, kickoffId: 'id-9' },
  ])
})

test('an end that comes before its lines closes the execution once they are there', () => {
  const open = new OpenExecutions()
  open.ended(executionRecord(3))
  open.accepted(accepted(3))
  expect(open.list()).toEqual([])
  open.started(started(3))
  expect(open.list()).toEqual([])
  open.started(started(3))
  expect(open.list()).toHaveLength(1)
})
