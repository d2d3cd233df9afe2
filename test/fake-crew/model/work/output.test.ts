import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outputText } from '../../../../fake-crew/model/work/results/output.ts'
import { utf8Length } from '../../../../src/base/utf8.ts'

const subject = { ordinal: 17, taskId: 'research', inputs: { topic: 'tides', depth: 3 } }

describe('a task output', () => {
  test('echoes the ordinal, the task and the inputs', () => {
    const output = outputText({ ...subject, bytes: 500 })
    expect(output).toMatch(/^Execution 17, research\. topic: tides; depth: 3\.\n\n/)
  })

  test('has the wanted size in bytes, unless the echo alone is longer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 0, max: 20_000 }),
        (topic, bytes) => {
          const echo = utf8Length(outputText({ ...subject, inputs: { topic }, bytes: 0 }))
          const size = utf8Length(outputText({ ...subject, inputs: { topic }, bytes }))
          expect(size).toBe(Math.max(echo, bytes))
        },
      ),
      { seed: 2 },
    )
  })

  test('shortens an input that is too long to echo', () => {
    const output = outputText({ ...subject, inputs: { topic: 'x'.repeat(5_000) }, bytes: 0 })
    expect(output.length).toBeLessThan(1_100)
  })

  test('differs between executions with the same inputs', () => {
    expect(outputText({ ...subject, bytes: 500 })).not.toBe(
      outputText({ ...subject, ordinal: 18, bytes: 500 }),
    )
  })
})
