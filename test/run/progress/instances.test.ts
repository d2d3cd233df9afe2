/** Several instances told as one, from their lines. */
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { Flights } from '../../../src/run/progress.ts'
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import { executionRecord, instanceLines, journalLines } from '../../result/lines.ts'

function fleetThatSaw(lines: readonly JournalLine[]): Flights {
  const fleet = new Flights()
  for (const line of lines) fleet.saw(line)
  return fleet
}

describe('a fleet', () => {
  test('counts what its instances did, whichever line comes first', () => {
    const run = { executions: 40, instances: 2 }
    const one = fleetThatSaw(journalLines(run)).stats(7 * MICROS_PER_SECOND)
    const two = [...instanceLines(1, run), ...instanceLines(0, run)]
    expect(fleetThatSaw(two).stats(7 * MICROS_PER_SECOND)).toEqual(one)
    expect(one).toMatchObject({ started: 40, inFlight: 0, queued: 0 })
    expect(one.outcomes).toMatchObject({ completed: 40, failed: 0 })
    expect(one.lastArrivalMicros).toBe(7 * MICROS_PER_SECOND)
  })

  test('tells which accepted executions nobody follows any more: aborted, or without an end', () => {
    const lines = journalLines({ executions: 5, instances: 2 }).filter(
      (line) => line.type !== 'ended' || ![1, 4].includes(line.record.index),
    )
    const aborted = { ...executionRecord(4), outcome: 'aborted' } as const
    const fleet = fleetThatSaw([...lines, { type: 'ended', record: aborted }])
    expect(fleet.abandoned()).toEqual([
      { index: 1, kickoffId: 'id-1' },
      { index: 4, kickoffId: 'id-4' },
    ])
    expect(fleet.stats(0).inFlight).toBe(1)
  })
})
