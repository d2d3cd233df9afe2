import { expect, test } from 'vitest'
import { FaultMarks } from '../../../../fake-crew/model/faults/faults.ts'

test('a fault goes on being marked behind the first hundred thousand', () => {
  const marks = new FaultMarks()
  const mark = { fault: 'x', operation: 'status', correlation: null, kickoff_id: null } as const
  for (let n = 0; n < 250_000; n++) marks.add({ ...mark, at_ms: n }, n)
  expect(marks.all().at(-1)?.at_ms).toBe(249_999)
  expect(marks.of(249_999)).toHaveLength(1)
  expect(marks.of(0)).toBeUndefined()
  expect(marks.all().length + marks.dropped).toBe(250_000)
})
