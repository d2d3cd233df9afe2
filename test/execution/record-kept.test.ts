/** What the record of one execution keeps, and of no other. */
import { describe, expect, test } from 'vitest'
import { notReached, unsentRecord } from '../../src/execution/machine.ts'
import { fingerprint } from '../../src/base/fingerprint.ts'
import {
  ACCEPTED,
  COMPLETED,
  FAILED,
  httpError,
  live,
  NOT_FOUND,
  planWith,
  running,
  RUNNING,
  SECOND,
} from './support.ts'
import { spent, whyOf } from '../support/reasons.ts'

describe('the record', () => {
  test('of a completed execution keeps what the target reported', () => {
    const { record } = live([
      ACCEPTED,
      running('a', 0),
      running('a', 0),
      running('b', 1),
      COMPLETED,
    ])
    expect(record).toMatchObject({
      index: 7,
      kickoffId: 'id-1',
      dialect: 'interface',
      tags: { kind: 'test' },
      sentMicros: 1_050,
      acceptedMicros: 3_050,
      wastedPolls: 1,
      reported: {
        executionTimeSeconds: 2.25,
        tasks: [{ taskId: 'write', agent: 'writer', executionTimeSeconds: 1.5 }],
      },
      output: { bytes: 11, hash: fingerprint('héllo 🚀') },
      violations: [],
    })
    expect(record.changes).toEqual([
      { atMicros: 3_050 + SECOND + 2_050, task: 'a', completed: 0, total: 2 },
      { atMicros: 3_050 + 3 * (SECOND + 2_050), task: 'b', completed: 1, total: 2 },
    ])
  })

  test('holds the interval of the true end: the last not-done poll sent, the first done received', () => {
    const { record } = live([ACCEPTED, RUNNING, httpError(500), COMPLETED])
    expect(record.lastNotDoneSentMicros).toBe(3_050 + SECOND + 50)
    expect(record.firstDoneReceivedMicros).toBe(record.endedMicros)
  })

  test('keeps a short name of a task, however long the target makes it', () => {
    const endless = running(`write\n${'x'.repeat(100_000)}`, 0)
    const { record } = live([ACCEPTED, endless, endless, COMPLETED])
    expect(record.changes).toHaveLength(1)
    expect(record.changes[0]?.task).toMatch(/^write x{193}…$/)
  })

  test('of a failed execution has the error as its reason, on one line, without credentials', () => {
    const body = { status: 'error', error: 'no\nBearer abc123 luck', execution_time: 1 }
    expect(whyOf(live([ACCEPTED, { body }]).record)).toBe('no Bearer [hidden] luck')
    expect(live([ACCEPTED, FAILED]).record.reported.executionTimeSeconds).toBe(1)
  })

  test('runs the checks once, and keeps an exception in one as data', () => {
    let calls = 0
    const checks = [
      { name: 'right topic', passes: ({ inputs }: { inputs: object }) => 'topic' in inputs },
      { name: 'short', passes: ({ output }: { output: string }) => output.length < 3 },
      {
        name: 'broken',
        passes: () => {
          calls++
          throw new TypeError('oh')
        },
      },
    ]
    const { record } = live([ACCEPTED, RUNNING, COMPLETED], planWith({ checks }))
    expect(record.checks).toEqual({ 'right topic': true, short: false, broken: 'TypeError: oh' })
    expect(calls).toBe(1)
  })

  test('calls two dialects in one execution mixed', () => {
    const platform = { body: { state: 'SUCCESS', status: null, result: 'x', progress: null } }
    const { record } = live([ACCEPTED, RUNNING, platform])
    expect(record.dialect).toBe('mixed')
    expect(record.violations.map(({ rule }) => rule)).toContain('one-dialect')
  })
})

test('what one execution did is in no other record', () => {
  const before = JSON.stringify(unsentRecord(ARRIVAL, notReached(spent('kickoff')), 0))
  live([httpError(503), ACCEPTED, RUNNING, { body: 'no object' }, COMPLETED])
  live([ACCEPTED, NOT_FOUND])
  expect(JSON.stringify(unsentRecord(ARRIVAL, notReached(spent('kickoff')), 0))).toBe(before)
})

const ARRIVAL = { index: 7, instance: 0, intendedMicros: 0, warmUp: false }
