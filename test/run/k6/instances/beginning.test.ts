/** Who began first is told first, and nobody is waited for without end. */
import { describe, expect, test } from 'vitest'
import type { JournalLine, RunLine } from '../../../../src/execution/record/journal-lines.ts'
import { Beginning } from '../../../../src/run/k6/instances/beginning.ts'

function began(instance: number, anchorUnixMs: number): JournalLine {
  return { type: 'run', instance, anchorUnixMs } as RunLine
}

function started(instance: number): JournalLine {
  return { type: 'started', index: instance, instance, intendedMicros: 0, atMicros: 1 }
}

function told(lines: readonly JournalLine[], instances: number): [Beginning, string[]] {
  const passed: string[] = []
  const beginning = new Beginning(instances, (line) => {
    passed.push(`${line.type} ${'instance' in line ? line.instance : ''}`)
  })
  for (const line of lines) beginning.take(line)
  return [beginning, passed]
}

describe('Beginning', () => {
  test('passes the earliest first, then the others, then everything as it comes', () => {
    const lines = [began(0, 30), started(0), began(2, 10), began(1, 20), started(2)]
    const [, passed] = told(lines, 3)
    expect(passed).toEqual(['run 2', 'run 1', 'run 0', 'started 0', 'started 2'])
  })

  test('holds nothing of a single instance', () => {
    const [, passed] = told([began(0, 1), started(0)], 1)
    expect(passed).toEqual(['run 0', 'started 0'])
  })

  test('lets go what it holds when told, once', () => {
    const [beginning, passed] = told([began(1, 5), started(1)], 2)
    expect(passed).toEqual([])
    beginning.open()
    beginning.open()
    beginning.take(began(0, 1))
    expect(passed).toEqual(['run 1', 'started 1', 'run 0'])
  })
})
