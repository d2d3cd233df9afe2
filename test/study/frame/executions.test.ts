/** The executions of one run, as every study reads them: by a ledger, by reports, by polls. */
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { RunReader } from '../../../src/study/frame/executions/reader.ts'
import { recordingOf } from '../../../src/study/polling/analyse/replay/recording.ts'
import { seenIn } from '../../../src/study/twin/analyse/seen.ts'
import { executionRecord, ledgerRow, runLine } from '../../result/lines.ts'

const CLOCK = {
  offsetMicros: 5_000,
  anchorUnixMs: null,
  errorMicros: 0,
  leastRoundTripMicros: 0,
  samples: 1,
}

function readerOf(lines: readonly JournalLine[]): RunReader {
  const reader = new RunReader()
  for (const line of [runLine(), ...lines]) reader.saw(line)
  return reader
}

describe('starts and ends', () => {
  const record = executionRecord(0)
  const [polled, done] = [record.lastNotDoneSentMicros!, record.firstDoneReceivedMicros!]
  const reader = readerOf([{ type: 'ended', record }])

  test('are those of the ledger, on the clock of the run', () => {
    const row = {
      ...ledgerRow(record),
      accepted_ms: 1,
      started_ms: 10,
      ended_ms: 1_010,
      outcome: 'completed' as const,
      tasks: [{ task_id: 'a', execution_time: 1 }],
    }
    const { by, executions, others } = reader.read({ rows: [row], clock: CLOCK })
    expect([by, others]).toEqual(['ledger', []])
    expect(executions[0]).toMatchObject({
      accepted: 6_000,
      started: { low: 15_000, high: 15_000 },
      ended: { low: 1_015_000, high: 1_015_000 },
      tasks: [{ place: 0, micros: { low: 999_500, high: 1_000_500 } }],
    })
  })

  test('lie between the polls that enclose them, less what the target reports', () => {
    const reported = { executionTimeSeconds: 0.5, tasks: [] }
    const { by, executions } = readerOf([{ type: 'ended', record: { ...record, reported } }]).read(
      null,
    )
    expect(by).toBe('reported')
    expect(executions[0]!.ended).toEqual({ low: polled, high: done })
    expect(executions[0]!.started).toEqual({ low: polled - 500_500, high: done - 499_500 })
  })

  test('have no upper bound where nobody saw the end', () => {
    const silent = { ...record, outcome: 'stuck' as const, firstDoneReceivedMicros: null }
    const { by, executions } = readerOf([{ type: 'ended', record: silent }]).read(null)
    expect(by).toBe('polls')
    expect(executions[0]).toMatchObject({ ended: { low: polled, high: Infinity }, isStuck: true })
  })

  test('of rows with a correlation of this run are none of another client', () => {
    const own = { ...ledgerRow(record), kickoff_id: 'unanswered', correlation: 'run-1/7' }
    const other = { ...ledgerRow(record), kickoff_id: 'other', correlation: null }
    const { others } = reader.read({ rows: [own, other], clock: CLOCK })
    expect(others.map((row) => row.kickoff_id)).toEqual(['other'])
  })
})

/** Numbers that a target tells of its tasks bound no loop and no list. */
test.each([1e9, 1e15, 1e308])('of %d tasks, the studies believe a thousand', (told) => {
  const record = executionRecord(0)
  const atMicros = record.acceptedMicros! + 10
  const reader = readerOf([
    {
      type: 'ended',
      record: {
        ...record,
        reported: { executionTimeSeconds: null, tasks: [] },
        changes: [{ atMicros, task: 'a', completed: told, total: told }],
      },
    },
  ])
  const { executions, taskNames } = seenIn(reader, null)
  expect(executions).toHaveLength(1)
  expect(taskNames.length).toBeLessThanOrEqual(1_000)
  expect(executions[0]!.tasks.length).toBeLessThanOrEqual(1_001)
  const [past] = recordingOf([{ reader, ledger: null }]).executions
  expect(past!.completionsMicros!.length).toBeLessThanOrEqual(1_000)
})

/** The lines of an execution that was accepted. */
function open(index: number): JournalLine[] {
  const { intendedMicros, acceptedMicros, kickoff } = executionRecord(index)
  const atMicros = acceptedMicros!
  return [
    { type: 'started', index, instance: 0, intendedMicros, atMicros: intendedMicros },
    { type: 'accepted', index, instance: 0, kickoffId: `${index}`, atMicros, kickoff },
  ]
}

describe('what a journal lacks', () => {
  const [first, second] = [executionRecord(0), executionRecord(1)]
  const cut = readerOf([...open(0), ...open(1), { type: 'ended', record: first }])

  test('are the polls of an execution in flight, until the last line', () => {
    const { intendedMicros, acceptedMicros } = second
    expect(cut.unfinished).toBe(1)
    expect(cut.leftInFlight).toEqual({
      acceptedMicros: [acceptedMicros],
      untilMicros: first.endedMicros,
    })
    expect(cut.requests('status')).toMatchObject({
      requests: first.polls.answer.map((answer) => ({ answer })),
      gaps: [{ fromMicros: intendedMicros, untilMicros: first.endedMicros }],
    })
    // Both kickoffs are known: by the record of the one, and by the answer of the other.
    expect(cut.requests('kickoff')).toMatchObject({ requests: [{}, {}], gaps: [] })
  })

  test('stays missing when the execution is resumed, whose record has no kickoff', () => {
    const [cutMicros, atMicros] = [first.endedMicros, first.endedMicros + 1_000_000]
    const resumed = { ...second, kickoff: emptyColumns(), resumed: true }
    const reader = readerOf([
      ...open(0),
      ...open(1),
      { type: 'ended', record: first },
      { type: 'resumed', instance: 0, anchorUnixMs: 0, atMicros, cutMicros, indexes: [1] },
      { type: 'ended', record: resumed },
    ])
    expect(reader.unfinished).toBe(0)
    expect(reader.requests('status').gaps).toEqual([
      { fromMicros: second.intendedMicros, untilMicros: cutMicros },
    ])
    expect(reader.requests('kickoff').requests).toHaveLength(2)
    expect(reader.leftInFlight.untilMicros).toBe(cutMicros)
  })
})

test('as many are kept as are asked for, of those that were measured', () => {
  const reader = new RunReader(2)
  const ends = [0, 1, 2, 3, 4].map((index) => ({
    type: 'ended' as const,
    record: { ...executionRecord(index), warmUp: index < 2 },
  }))
  for (const line of [runLine(), ...ends]) reader.saw(line)
  const measured = reader.ended.filter(({ warmUp }) => !warmUp)
  expect(measured.map(({ index }) => index)).toEqual([2, 3])
})
