/** Numbers that a target tells of its tasks bound no loop and no list. */
import { expect, test } from 'vitest'
import { RunReader } from '../../../../src/study/frame/executions/reader.ts'
import { seenIn } from '../../../../src/study/twin/analyse/seen.ts'
import { executionRecord, runLine } from '../../../result/lines.ts'

test.each([1e9, 1e15, 1e308])('of %d tasks, the twin believes a thousand', (told) => {
  const reader = new RunReader()
  reader.saw(runLine())
  const record = executionRecord(0)
  const atMicros = record.acceptedMicros! + 10
  record.reported = { executionTimeSeconds: null, tasks: [] }
  record.changes = [{ atMicros, task: 'a', completed: told, total: told }]
  reader.saw({ type: 'ended', record })
  const { executions, taskNames } = seenIn(reader, null)
  expect(executions).toHaveLength(1)
  expect(taskNames.length).toBeLessThanOrEqual(1_000)
  expect(executions[0]!.tasks.length).toBeLessThanOrEqual(1_001)
})
